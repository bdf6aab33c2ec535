//! What came of a job.

use super::comparison::Comparison;
use super::verified::Verified;
use crate::page::App;
use crate::state::format;
use crate::state::lab::history::outcome_words;
use crate::state::lab::measure::Measured;
use leptos::prelude::*;
use studio_protocol::Outcome;

/// What came of it, but for a failure, which is shown as one.
#[component]
pub(super) fn Given(
    /// How it ended.
    outcome: Outcome,
) -> impl IntoView {
    let app = App::get();
    let words = outcome_words(&outcome);
    match outcome {
        Outcome::Compiled { module, flags, .. } => {
            let href = format!("/artifacts/{}?name=module.vmfb", module.blake3);
            view! {
                <p class="verdict good" data-testid="job-result"><span class="dot" aria-hidden="true"></span>{words}</p>
                <p class="dim flags">{flags.join(" ")}</p>
                <p><a class="button" href=href download="module.vmfb">{format!("Download the module, {}", format::bytes(module.size_bytes))}</a></p>
            }
            .into_any()
        }
        // What a sweep found is shown while it goes on, too.
        Outcome::Failed { .. } | Outcome::Swept { .. } => ().into_any(),
        Outcome::Cancelled => view! { <p class="note" data-testid="job-result">"Cancelled."</p> }.into_any(),
        Outcome::Ran { .. } => {
            view! { <p class="verdict good" data-testid="job-result"><span class="dot" aria-hidden="true"></span>{words}</p> }.into_any()
        }
        Outcome::Benched { .. } => {
            let measured = Memo::new(move |_| app.looked_at.with(|job| job.iter().filter_map(Measured::of_job).collect::<Vec<_>>()));
            view! { <Comparison measured/> }.into_any()
        }
        Outcome::Verified { report } => view! { <Verified report=*report/> }.into_any(),
    }
}
