//! The jobs of other runners, where several were asked for the same.

use crate::page::App;
use crate::state::job::Job;
use crate::state::lab::history::outcome_words;
use crate::state::lab::route::Route;
use leptos::prelude::*;
use studio_protocol::JobId;

/// Where they are; nothing where there are none.
#[component]
pub(crate) fn Siblings(
    /// `compile` or `run`
    kind: &'static str,
) -> impl IntoView {
    let app = App::get();
    let of_kind = move |job: &&Job| job.spec.kind() == kind;
    let ids = Memo::new(move |_| {
        app.siblings.with(|jobs| jobs.iter().filter(of_kind).filter_map(|job| job.id).collect::<Vec<_>>())
    });
    let row = move |id: JobId| {
        let read = move |read: fn(&Job) -> String| {
            Memo::new(move |_| {
                app.siblings
                    .with(|jobs| jobs.iter().find(|job| job.id == Some(id)).map(read).unwrap_or_default())
            })
        };
        let (runner, words) = (read(|job| job.runner.clone().unwrap_or_default()), read(words));
        view! {
            <li>
                <strong>{runner}</strong>
                <span>{words}</span>
                <a href=Route::Job(id).hash()>"Job"</a>
            </li>
        }
    };
    view! {
        <Show when=move || ids.with(|ids| !ids.is_empty())>
            <ul class="siblings" aria-label="The same on other runners" data-testid=format!("siblings-{kind}")>
                <For each=move || ids.get() key=|id| *id children=row/>
            </ul>
        </Show>
    }
}

fn words(job: &Job) -> String {
    match (&job.outcome, job.problem()) {
        (_, Some(problem)) => format!("failed: {}", problem.message),
        (Some(outcome), None) => match outcome_words(outcome) {
            words if words.is_empty() => outcome.result().to_owned(),
            words => words,
        },
        (None, None) => job.whereabouts(),
    }
}
