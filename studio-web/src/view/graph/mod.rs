//! The graph explorer.

mod input;
mod outline;
mod panel;
mod pen;
mod save;
mod stage;
mod tools;

use super::problem::ProblemBox;
use crate::browser;
use crate::page::{App, Theme};
use crate::state::graph::explorer::Explorer;
use crate::state::graph::{GraphState, link};
use input::Input;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use outline::Outline;
use panel::Panel;
use stage::Stage;
use std::sync::Arc;
use studio_graph::{Module, Point};
use tools::{Legend, Tools};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;

/// The part of the address that may lead into a graph.
pub(super) fn address() -> Option<(String, String)> {
    link::parse(&window().location().hash().unwrap_or_default())
}

/// A place in a graph, in words.
pub(super) fn place(function: &str, path: &str) -> String {
    let slash = if path.is_empty() { "" } else { "/" };
    format!("{function}{slash}{path}")
}

/// The graph of the model, or of a dropped text, in whatever state it is.
#[component]
pub(crate) fn Graph() -> impl IntoView {
    let app = App::get();
    if app.graph.with_untracked(|graph| matches!(graph, GraphState::None)) {
        app.ask_for_graph();
    }
    move || {
        app.graph.with(|graph| match graph {
            GraphState::None => ().into_any(),
            GraphState::Asked { .. } => view! {
                <p class="reading" role="status"><span class="spinner" aria-hidden="true"></span>"Making the graph"</p>
            }
            .into_any(),
            GraphState::Failed { problem, .. } => {
                let problem = problem.clone();
                view! { <ProblemBox problem testid="graph-problem"/> }.into_any()
            }
            GraphState::Open { module, .. } => shown(module.clone()),
        })
    }
}

fn shown(module: Arc<Module>) -> AnyView {
    match Explorer::new(module) {
        Some(explorer) => view! { <Open explorer/> }.into_any(),
        None => view! { <p class="empty">"There is no function in it."</p> }.into_any(),
    }
}

/// Whether the page is dark.
fn dark(app: App) -> Memo<bool> {
    let system = RwSignal::new(false);
    if let Ok(Some(media)) = window().match_media("(prefers-color-scheme: dark)") {
        system.set(media.matches());
        let changed = Closure::<dyn FnMut()>::new({
            let media = media.clone();
            move || _ = system.try_set(media.matches())
        });
        media.set_onchange(Some(changed.as_ref().unchecked_ref()));
        let changed = StoredValue::new_local(changed);
        let media = StoredValue::new_local(media);
        on_cleanup(move || {
            media.with_value(|media| media.set_onchange(None));
            changed.dispose();
        });
    }
    Memo::new(move |_| match app.theme.get() {
        Theme::Dark => true,
        Theme::Light => false,
        Theme::System => system.get(),
    })
}

/// An open graph.
#[component]
fn Open(explorer: Explorer) -> impl IntoView {
    let app = App::get();
    let dark = dark(app);
    let stage = Stage::new(explorer, dark);
    let (full, search) = (RwSignal::new(false), NodeRef::<html::Input>::new());
    let lost = RwSignal::new(None);
    follow(stage, lost);
    Effect::new(move |_| {
        dark.track();
        full.track();
        stage.repaint();
    });
    let resized = window_event_listener(ev::resize, move |_| stage.repaint());
    on_cleanup(move || resized.remove());
    let keys = move |event: ev::KeyboardEvent| {
        let typing = event.target().is_some_and(|target| {
            target.dyn_ref::<web_sys::HtmlInputElement>().is_some()
                || target.dyn_ref::<web_sys::HtmlSelectElement>().is_some()
        });
        if typing {
            return;
        }
        match event.key().as_str() {
            "/" => {
                if let Some(search) = search.get_untracked() {
                    drop(search.focus());
                }
            }
            "Escape" if full.get_untracked() && stage.peek(|inner| inner.explorer.chosen().is_none()) => {
                full.set(false);
            }
            _ => return,
        }
        event.prevent_default();
    };
    view! {
        <div class="graph" class:full=move || full.get() data-testid="graph" on:keydown=keys>
            <Tools stage full search/>
            <div class="graph-body">
                <Canvas stage lost/>
                <Panel stage/>
            </div>
            <Outline stage/>
        </div>
    }
}

/// Goes where the address leads, and keeps the address to what is chosen. Where it leads nowhere, `lost` is that place.
fn follow(stage: Stage, lost: RwSignal<Option<String>>) {
    let go = move || {
        let Some((function, path)) = address() else { return };
        let found = stage.change(|inner| inner.explorer.follow(&function, &path)) == Some(true);
        lost.set((!found).then(|| place(&function, &path)));
        if found && !path.is_empty() {
            // The stage has its size only when it was painted once.
            request_animation_frame(move || request_animation_frame(move || stage.show_chosen()));
        }
    };
    go();
    let changed = window_event_listener(ev::hashchange, move |_| {
        if address().is_some_and(|_| {
            stage.peek(|inner| inner.explorer.address()) != window().location().hash().unwrap_or_default()
        }) {
            go();
        }
    });
    on_cleanup(move || changed.remove());
    Effect::new(move |before: Option<String>| {
        let address = stage.with(Explorer::address);
        if before.is_some_and(|before| before != address) {
            browser::replace_address(&address);
            lost.set(None);
        }
        address
    });
}

#[component]
fn Canvas(stage: Stage, lost: RwSignal<Option<String>>) -> impl IntoView {
    let input = Input::new(stage);
    let focused = RwSignal::new(false);
    let says = move || {
        stage.with(|explorer| match explorer.chosen_box() {
            Some(drawn) => {
                format!("{}; {}", outline::words(drawn), explorer.path(drawn.item).replace('/', ", "))
            }
            None => format!("{}, nothing chosen", explorer.function().name()),
        })
    };
    let dragging = RwSignal::new(false);
    let from_map = move |event: &ev::PointerEvent| {
        stage.look_from_map(Point::new(event.offset_x() as f32, event.offset_y() as f32));
    };
    view! {
        <div class="graph-stage">
            <canvas
                class="graph-canvas"
                data-testid="graph-canvas"
                node_ref=stage.canvas
                tabindex="0"
                role="application"
                aria-label="The graph: arrows walk along edges, Enter opens, slash searches. The same stands below as a list."
                on:pointerdown=move |event| input.press(&event)
                on:pointermove=move |event| input.motion(&event)
                on:pointerup=move |event| input.release(&event)
                on:pointercancel=move |event| input.release(&event)
                on:pointerleave=move |_| input.leave()
                on:dblclick=move |event| input.double(&event)
                on:wheel=move |event| input.wheel(&event, focused.get_untracked())
                on:focus=move |_| focused.set(true)
                on:blur=move |_| focused.set(false)
                on:keydown=move |event| if input.key(&event) { event.prevent_default(); event.stop_propagation(); }
            ></canvas>
            <canvas
                class="graph-map"
                aria-hidden="true"
                node_ref=stage.map
                on:pointerdown=move |event| {
                    dragging.set(true);
                    if let Some(map) = stage.map.get_untracked() {
                        drop(map.set_pointer_capture(event.pointer_id()));
                    }
                    from_map(&event);
                }
                on:pointermove=move |event| if dragging.get_untracked() { from_map(&event) }
                on:pointerup=move |_| dragging.set(false)
                on:pointercancel=move |_| dragging.set(false)
            ></canvas>
            <Legend stage/>
            <p class="graph-lost" role="status" data-testid="graph-lost">{move || lost.get().map(|place| format!("This graph has no {place}"))}</p>
            <p class="sr" role="status" data-testid="graph-says">{says}</p>
        </div>
    }
}
