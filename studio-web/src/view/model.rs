//! The first step: drop a model, see what it is.

use super::card::Card;
use super::compare::Compare;
use super::drop::DropZone;
use super::graph::{self, Graph};
use super::metadata::MetadataTable;
use super::module::Module;
use super::problem::ProblemBox;
use super::step::Step;
use super::tensors::TensorTable;
use super::tokens::TokenBench;
use crate::browser;
use crate::messages::ModelReport;
use crate::page::App;
use crate::state::model::ModelState;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;

/// The model's panel.
#[component]
pub(crate) fn Model() -> impl IntoView {
    let app = App::get();
    let text = Memo::new(move |_| app.graph.with(|graph| graph.file().map(str::to_owned)));
    let module = Memo::new(move |_| app.dropped_module.with(|module| module.name().map(str::to_owned)));
    let body = move || {
        if let Some(file) = text.get() {
            return view! { <GraphText file/> }.into_any();
        }
        if let Some(file) = module.get() {
            return view! { <ModuleFile file/> }.into_any();
        }
        app.model.with(|model| match model {
            ModelState::Empty => view! { <Awaited/><DropZone/> }.into_any(),
            ModelState::Reading { names, .. } => {
                let names = names.join(", ");
                view! {
                    <p class="reading" role="status"><span class="spinner" aria-hidden="true"></span>"Reading the header of "{names}</p>
                }
                .into_any()
            }
            ModelState::Failed { problem } => {
                let problem = problem.clone();
                view! { <ProblemBox problem testid="model-problem"/><DropZone/> }.into_any()
            }
            ModelState::Open { report, .. } => view! { <Opened report=report.clone()/> }.into_any(),
        })
    };
    view! {
        <Step id="model" number=1 title="Model" lead="What the file says about itself. Only its header is read.">
            {body}
        </Step>
    }
}

/// Which of the model's sides is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Overview,
    Tensors,
    Metadata,
    Graph,
    Tokens,
    Compare,
}

const SIDES: [(Side, &str, &str); 6] = [
    (Side::Overview, "overview", "Overview"),
    (Side::Tensors, "tensors", "Tensors"),
    (Side::Metadata, "metadata", "Metadata"),
    (Side::Graph, "graph", "Graph"),
    (Side::Tokens, "tokens", "Tokens"),
    (Side::Compare, "compare", "Compare"),
];

impl Side {
    /// The side that the page's address leads to: `#model/tensors`, or a place in the graph.
    fn addressed() -> Option<Self> {
        if graph::address().is_some() {
            return Some(Side::Graph);
        }
        let hash = window().location().hash().ok()?;
        let id = hash.strip_prefix("#model/")?;
        SIDES.iter().find(|(_, known, _)| *known == id).map(|(side, ..)| *side)
    }

    /// Its place in the row.
    fn index(self) -> usize {
        SIDES.iter().position(|(of, ..)| *of == self).unwrap_or(0)
    }
}

/// Where the address leads once there is a model.
#[component]
fn Awaited() -> impl IntoView {
    let words = || {
        let side = Side::addressed()?;
        let to = match graph::address() {
            Some((function, path)) => format!("{} in a model’s graph", graph::place(&function, &path)),
            None => format!("a model’s {}", SIDES[side.index()].2.to_lowercase()),
        };
        Some(format!("The address leads to {to}. Drop the model to go there."))
    };
    let shown = RwSignal::new(words());
    let line = NodeRef::<html::P>::new();
    // A link that was followed is seen to have been.
    let changed = window_event_listener(ev::hashchange, move |_| {
        shown.set(words());
        if let Some(line) = line.get_untracked().filter(|_| shown.with_untracked(Option::is_some)) {
            line.scroll_into_view_with_bool(false);
        }
    });
    on_cleanup(move || changed.remove());
    view! { <p class="help" role="status" data-testid="awaited" node_ref=line>{move || shown.get()}</p> }
}

/// The graph of a dropped text, which is no model.
#[component]
fn GraphText(
    /// The file's name.
    file: String,
) -> impl IntoView {
    let app = App::get();
    view! {
        <FileRow file test_id="close-text" close=move || app.close_graph()/>
        <Graph/>
    }
}

/// A compiled module that was dropped, which is no model.
#[component]
fn ModuleFile(
    /// The file's name.
    file: String,
) -> impl IntoView {
    let app = App::get();
    view! {
        <FileRow file test_id="close-module" close=move || app.close_module_file()/>
        <Module state=app.dropped_module/>
    }
}

/// A dropped file's name, and the way to another.
#[component]
fn FileRow(
    /// The file's name.
    file: String,
    /// The button's name for tests.
    test_id: &'static str,
    /// Puts the file away.
    close: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <div class="tab-row">
            <p class="file-name">{file}</p>
            <button class="quiet" data-testid=test_id on:click=move |_| close()>"Another file"</button>
        </div>
    }
}

/// An open model: overview, tensors and metadata as tabs.
#[component]
fn Opened(
    /// What the worker told.
    report: Arc<ModelReport>,
) -> impl IntoView {
    let app = App::get();
    let side = RwSignal::new(Side::addressed().unwrap_or(Side::Overview));
    let changed = window_event_listener(ev::hashchange, move |_| {
        // A side that is shown already stays as it is.
        if let Some(to) = Side::addressed().filter(|to| *to != side.get_untracked()) {
            side.set(to);
        }
    });
    on_cleanup(move || changed.remove());
    Effect::new(move |before: Option<()>| {
        // The graph keeps its own address.
        if before.is_some() && side.get() != Side::Graph {
            browser::replace_address(&format!("#model/{}", SIDES[side.get().index()].1));
        }
        side.track();
    });
    let counts = [0, report.tensors.len(), report.metadata.len(), 0, 0, 0];
    let tabs = SIDES
        .into_iter()
        .zip(counts)
        .map(|((of, id, title), count)| {
            view! {
                <button
                    role="tab"
                    id=format!("tab-{id}")
                    data-testid=format!("tab-{id}")
                    aria-controls="model-side"
                    aria-selected=move || (side.get() == of).to_string()
                    tabindex=move || if side.get() == of { "0" } else { "-1" }
                    on:click=move |_| side.set(of)
                >
                    {title}
                    {(count > 0).then(|| view! { <span class="count">{count}</span> })}
                </button>
            }
        })
        .collect_view();
    let turn = move |event: web_sys::KeyboardEvent| {
        let at = side.get_untracked().index();
        let to = match event.key().as_str() {
            "ArrowRight" => (at + 1) % SIDES.len(),
            "ArrowLeft" => (at + SIDES.len() - 1) % SIDES.len(),
            "Home" => 0,
            "End" => SIDES.len() - 1,
            _ => return,
        };
        event.prevent_default();
        side.set(SIDES[to].0);
        let tab = document().get_element_by_id(&format!("tab-{}", SIDES[to].1));
        if let Some(tab) =
            tab.and_then(|tab| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(tab).ok())
        {
            drop(tab.focus());
        }
    };
    let shown = move || {
        let report = report.clone();
        match side.get() {
            Side::Overview => view! {
                <Card report/>
                <div class="row"><button data-testid="compare-with" on:click=move |_| side.set(Side::Compare)>"Compare with another GGUF"</button></div>
            }
            .into_any(),
            Side::Tensors => view! { <TensorTable report/> }.into_any(),
            Side::Metadata => view! { <MetadataTable report/> }.into_any(),
            Side::Graph => view! { <Graph/> }.into_any(),
            Side::Tokens => view! { <TokenBench/> }.into_any(),
            Side::Compare => view! { <Compare/> }.into_any(),
        }
    };
    view! {
        <div class="tab-row">
            <div class="tabs" role="tablist" aria-label="The model" on:keydown=turn>{tabs}</div>
            <button class="quiet" data-testid="close-model" on:click=move |_| app.close_model()>"Another model"</button>
        </div>
        <div
            id="model-side"
            role="tabpanel"
            aria-labelledby=move || format!("tab-{}", SIDES[side.get().index()].1)
        >
            {shown}
        </div>
    }
}
