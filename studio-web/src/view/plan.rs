//! The files that an export would have, with their sizes, before it is made.

use super::problem::ProblemBox;
use crate::page::App;
use crate::state::format;
use crate::state::model::PlanState;
use leptos::prelude::*;

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
        PlanState::Planned(files) => {
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
            }
            .into_any()
        }
    };
    view! { <div class:stale=move || matches!(app.plan.get(), PlanState::Asked { .. })>{body}</div> }
}
