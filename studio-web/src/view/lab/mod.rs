//! The lab: machines, jobs that were, measurements side by side. Apart from the steps, under an address of its own.

mod bars;
mod benches;
mod comparison;
mod copy;
mod job;
mod jobs;
mod join;
mod outcome;
mod picker;
mod runners;
mod siblings;
mod timeline;
mod urgency;
mod verified;
mod when;

pub(super) use comparison::Comparison;
pub(super) use picker::Picker;
pub(super) use siblings::Siblings;
pub(super) use urgency::UrgencyFields;
pub(super) use verified::Verified;

use crate::page::App;
use crate::state::lab::route::Route;
use leptos::prelude::*;

/// The lab's page; nothing while the steps are shown.
#[component]
pub(super) fn Lab() -> impl IntoView {
    let app = App::get();
    let is_lab = Memo::new(move |_| app.route.with(Route::is_lab));
    // What is shown changes with the kind of route, not with each number in it.
    let part = Memo::new(move |_| app.route.with(|route| std::mem::discriminant(route)));
    let body = move || {
        // A memo that is only tracked is never computed.
        part.with(|_| ());
        match app.route.get_untracked() {
            Route::Steps => ().into_any(),
            Route::Compare(_) => view! { <benches::Benches/> }.into_any(),
            Route::Runners => view! { <runners::Runners/> }.into_any(),
            Route::Jobs => view! { <jobs::Jobs/> }.into_any(),
            Route::Job(_) => view! { <job::JobPage/> }.into_any(),
        }
    };
    let tab = move |route: Route, title: &'static str, testid: &'static str| {
        let href = route.hash();
        let here = move || {
            app.route.with(|now| match route {
                Route::Jobs => matches!(now, Route::Jobs | Route::Job(_)),
                Route::Compare(_) => matches!(now, Route::Compare(_)),
                Route::Steps | Route::Runners | Route::Job(_) => *now == route,
            })
        };
        view! {
            <a href=href data-testid=testid aria-current=move || here().then_some("page")>{title}</a>
        }
    };
    view! {
        <Show when=move || is_lab.get()>
            <main id="lab" tabindex="-1" data-testid="lab">
                <div class="lab-head">
                    <h1>"Lab"</h1>
                    <nav class="lab-tabs" aria-label="Lab">
                        {tab(Route::Runners, "Runners", "lab-runners")}
                        {tab(Route::Jobs, "Jobs", "lab-jobs")}
                        {tab(Route::Compare(Vec::new()), "Compare", "lab-compare")}
                    </nav>
                </div>
                {body}
            </main>
        </Show>
    }
}
