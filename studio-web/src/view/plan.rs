//! The files that an export would have, with their sizes, and what a run takes, before it is made.

use super::problem::ProblemBox;
use crate::messages::ExportPlan;
use crate::page::App;
use crate::state::format;
use crate::state::model::PlanState;
use crate::state::room::{disk_problem, memory_problem, parts};
use leptos::prelude::*;
use studio_core::manifest::MemoryEntry;

/// The planned files.
#[component]
pub(crate) fn Plan() -> impl IntoView {
    let app = App::get();
    // While the next answer is on its way the last one stays, so that nothing jumps.
    let shown = RwSignal::new(PlanState::Unknown);
    Effect::new(move |_| {
        let plan = app.plan.get();
        if !matches!(plan, PlanState::Asked { .. }) {
            shown.set(plan);
        }
    });
    let body = move || match shown.get() {
        PlanState::Unknown | PlanState::Asked { .. } => {
            view! { <p class="note">"The files appear here when the options are complete."</p> }.into_any()
        }
        PlanState::Failed(problem) => view! { <ProblemBox problem testid="plan-problem"/> }.into_any(),
        PlanState::Planned(ExportPlan { files, memory, warnings }) => {
            let total = files.iter().map(|file| file.size_bytes).fold(0, u64::saturating_add);
            let rows = files
                .into_iter()
                .map(|file| view! { <tr><td>{file.name}</td><td class="num">{format::bytes(file.size_bytes)}</td></tr> })
                .collect_view();
            view! {
                <table class="plan" data-testid="plan">
                    <caption>"The bundle will hold"</caption>
                    <tbody>{rows}</tbody>
                    <tfoot><tr><th scope="row">"Together"</th><td class="num" data-testid="plan-total">{format::bytes(total)}</td></tr></tfoot>
                </table>
                <p class="help" data-testid="plan-memory" title=parts(&memory)>{format!("A run takes {} of memory.", format::bytes(memory.total_bytes()))}</p>
                {warnings.into_iter().map(|words| view! { <p class="help" role="status" data-testid="plan-warning">{words}"."</p> }).collect_view()}
                <Room total memory/>
            }
            .into_any()
        }
    };
    view! { <div class:stale=move || matches!(app.plan.get(), PlanState::Asked { .. })>{body}</div> }
}

/// What of an export is too much for the hub's machine, told with the numbers; nothing where all of it fits, or the hub is
/// away.
#[component]
fn Room(
    /// Bytes of the files.
    total: u64,
    /// What a run takes.
    memory: MemoryEntry,
) -> impl IntoView {
    let app = App::get();
    let found = move || {
        app.link.with(|link| {
            let runner = link.runner()?;
            Some([disk_problem(total, link.free_disk_bytes()), memory_problem(&memory, runner.memory_bytes)])
        })
    };
    let shown = move || {
        found()
            .into_iter()
            .flatten()
            .flatten()
            .map(|problem| view! { <ProblemBox problem testid="plan-room"/> })
            .collect_view()
    };
    view! { {shown} }
}
