//! What is in a compiled module.

use super::dispatches::PartsLink;
use super::problem::ProblemBox;
use crate::page::App;
use crate::state::format;
use crate::state::module::{DispatchRow, ModuleState, data, dispatches, exports, facts};
use leptos::ev;
use leptos::prelude::*;
use std::sync::Arc;
use studio_protocol::{Artifact, Origins};
use vmfb_file::Vmfb;

/// A module in whatever state it is.
#[component]
pub(super) fn Module(
    /// The module.
    state: RwSignal<ModuleState>,
    /// Where its dispatches come from, if that is known.
    #[prop(into, optional)]
    origins: Signal<Option<Arc<Origins>>>,
) -> impl IntoView {
    move || {
        state.with(|module| match module {
            ModuleState::None => ().into_any(),
            ModuleState::Asked { .. } => view! {
                <p class="reading" role="status"><span class="spinner" aria-hidden="true"></span>"Reading the module"</p>
            }
            .into_any(),
            ModuleState::Failed { problem, .. } => {
                view! { <ProblemBox problem=problem.clone() testid="module-problem"/> }.into_any()
            }
            ModuleState::Open { module, .. } => view! { <Open module=module.clone() origins/> }.into_any(),
        })
    }
}

/// The module that the hub has compiled: read when somebody wants to see it.
#[component]
pub(super) fn Made(artifact: Artifact) -> impl IntoView {
    let app = App::get();
    let toggle = move |event: ev::Event| {
        if event_target::<web_sys::Element>(&event).has_attribute("open") {
            app.look_into_module(&artifact);
        }
    };
    view! {
        <details class="more" on:toggle=toggle>
            <summary data-testid="module-inside">"What is in the module"</summary>
            <Module state=app.made_module origins=app.origins()/>
        </details>
    }
}

#[component]
fn Open(module: Arc<Vmfb>, origins: Signal<Option<Arc<Origins>>>) -> impl IntoView {
    let rows = |rows: Vec<(String, String)>| {
        rows.into_iter()
            .map(|(name, value)| view! { <tr><td><code>{name}</code></td><td class="num">{value}</td></tr> })
            .collect_view()
    };
    let facts = facts(&module)
        .into_iter()
        .map(|(label, value)| view! { <div><dt>{label}</dt><dd>{value}</dd></div> })
        .collect_view();
    let exports = exports(&module)
        .into_iter()
        .map(|(name, declaration)| view! { <li><code>{name}</code><p class="dim declaration">{declaration}</p></li> })
        .collect_view();
    let executables = (0..module.executables.len())
        .map(|index| view! { <Executable module=module.clone() origins index/> })
        .collect_view();
    let imports = module.module.imports.iter().flatten().map(|import| {
        let convention = import.signature.calling_convention.clone().unwrap_or_default();
        (import.name.clone(), if import.optional { format!("{convention} optional") } else { convention })
    });
    let (imports, data) = (imports.collect::<Vec<_>>(), data(&module));
    let titles = [format!("Imports, {}", imports.len()), format!("Constants and code, {}", data.len())];
    let [imports_title, data_title] = titles;
    view! {
        <div class="module" data-testid="module">
            <dl class="facts">{facts}</dl>
            <h3>"Functions"</h3>
            <ul class="module-exports" data-testid="module-exports">{exports}</ul>
            {executables}
            <details class="more">
                <summary>{imports_title}</summary>
                <div class="table-frame free" tabindex="0" role="region" aria-label="Imports"><table><tbody>{rows(imports)}</tbody></table></div>
            </details>
            <details class="more">
                <summary>{data_title}</summary>
                <div class="table-frame free" tabindex="0" role="region" aria-label="Constants and code"><table><tbody>{rows(data)}</tbody></table></div>
            </details>
        </div>
    }
}

#[component]
fn Executable(module: Arc<Vmfb>, origins: Signal<Option<Arc<Origins>>>, index: usize) -> impl IntoView {
    let query = RwSignal::new(String::new());
    let executable = module.executables[index].clone();
    let title = format!("{}, {}", executable.format, format::bytes(executable.bytes));
    let (name, total) = (executable.name.clone(), executable.functions.len());
    let found = Memo::new(move |_| {
        let origins = origins.get();
        query.with(|query| dispatches(&module, &executable, origins.as_deref(), query))
    });
    let known = move || origins.with(Option::is_some);
    let row = move |DispatchRow { name, code, given, calls, parts }: DispatchRow| {
        let parts = known().then(|| view! { <td><PartsLink parts/></td> });
        view! { <tr><td><code>{name}</code></td><td class="num">{code}</td><td>{given}</td><td>{calls}</td>{parts}</tr> }
    };
    let parts_head = move || known().then(|| view! { <th scope="col">"Computes"</th> });
    view! {
        <h3>{name}</h3>
        <p class="dim">{title}</p>
        <Show when=move || { total > 0 }>
            <div class="table-tools">
                <input
                    type="search"
                    class="search"
                    data-testid="dispatch-search"
                    aria-label="Search dispatches by name or by what they compute"
                    placeholder="Search: matmul, decode, mlp"
                    prop:value=move || query.get()
                    on:input=move |event| query.set(event_target_value(&event))
                />
                <p class="dim" role="status" data-testid="dispatch-count">{move || format!("{} of {total} dispatches", found.with(Vec::len))}</p>
            </div>
            <div class="table-frame free" tabindex="0" role="region" aria-label="Dispatches">
                <table data-testid="dispatches">
                    <thead><tr><th scope="col">"Dispatch"</th><th scope="col" class="num">"Code"</th><th scope="col">"Is given"</th><th scope="col">"Called by"</th>{parts_head}</tr></thead>
                    <tbody>{move || found.get().into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        </Show>
    }
}
