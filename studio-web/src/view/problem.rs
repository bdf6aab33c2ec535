//! An error, shown where it happened: what, where, what to do.

use crate::messages::Problem;
use crate::state::format::sentence;
use leptos::prelude::*;

/// An error.
#[component]
pub(crate) fn ProblemBox(
    /// What went wrong.
    problem: Problem,
    /// What to find it by.
    #[prop(default = "problem")]
    testid: &'static str,
) -> impl IntoView {
    let Problem { message, place, hint } = problem;
    let message = sentence(&message);
    let full_stop = if message.ends_with(['.', '!', '?']) { "" } else { "." };
    view! {
        <div class="problem" role="alert" data-testid=testid>
            <p class="problem-message">{message}{full_stop}</p>
            {place.filter(|place| !place.is_empty()).map(|place| view! { <p class="problem-place"><span class="label">"Where"</span>" "<code>{place}</code></p> })}
            {hint.map(|hint| view! { <p class="problem-hint"><span class="label">"What to do"</span>" "{hint}</p> })}
        </div>
    }
}
