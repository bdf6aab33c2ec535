//! What the model says, as it comes, with the figures beside it.

use super::log::Log;
use super::problem::ProblemBox;
use super::timings::Timings;
use crate::page::App;
use crate::state::format::millis;
use crate::state::job::{Job, Phase};
use leptos::prelude::*;
use studio_protocol::{JobSpec, Outcome, Prompt, RunSpec, StopReason};

/// The present run; nothing before the first.
#[component]
pub(crate) fn Output() -> impl IntoView {
    let app = App::get();
    let there = Memo::new(move |_| app.run.with(Option::is_some));
    let text =
        Memo::new(move |_| app.run.with(|job| job.as_ref().map(|job| job.text.clone()).unwrap_or_default()));
    // What is continued stands before it; a conversation's question stands in its own field.
    let continued = Memo::new(move |_| {
        app.run.with(|job| match job.as_ref().map(|job| &job.spec) {
            Some(JobSpec::Run(RunSpec { prompt: Prompt::Text { text }, .. })) => text.clone(),
            _ => String::new(),
        })
    });
    let end = Memo::new(move |_| app.run.with(|job| job.as_ref().map(ending).unwrap_or_default()));
    let spoken = Memo::new(move |_| {
        app.run.with(|job| {
            job.as_ref().is_some_and(|job| {
                !job.text.is_empty() || (job.problem().is_none() && job.embedding().is_none())
            })
        })
    });
    let live = Memo::new(move |_| app.run.with(|job| job.as_ref().is_some_and(Job::is_live)));
    let problem = Memo::new(move |_| app.run.with(|job| job.as_ref().and_then(Job::problem)));
    let checked = Memo::new(move |_| app.run.with(|job| Some(job.as_ref()?.check.as_ref()?.words())));
    view! {
        <Show when=move || there.get()>
            <div class="two answer">
                <div class="said-side">
                    <div
                        class="said"
                        class:silent=move || !spoken.get()
                        class:live=move || live.get()
                        role="log"
                        aria-label="The model’s text"
                        aria-busy=move || live.get().to_string()
                    >
                        <span class="asked">{continued}</span>
                        <span data-testid="output">{text}</span>
                        <span class="caret" aria-hidden="true"></span>
                    </div>
                    <p class="dim" role="status" data-testid="run-state">{end}</p>
                    {move || checked.get().map(|words| view! { <p class="dim" data-testid="device-check">{words}</p> })}
                    {move || problem.get().map(|problem| view! { <ProblemBox problem testid="run-problem"/> })}
                    <Log job=app.run/>
                </div>
                <Timings/>
            </div>
        </Show>
    }
}

/// Where a run is or how it ended, in words.
fn ending(job: &Job) -> String {
    match (&job.phase, &job.outcome) {
        (Phase::Asked, _) => "Asking the hub".to_owned(),
        (Phase::Queued, _) => job.whereabouts(),
        (Phase::Cancelling, _) => "Stopping".to_owned(),
        (Phase::Running, _) if job.tokens.is_empty() => job.whereabouts(),
        (Phase::Running, _) => format!("{} tokens so far", job.tokens.len()),
        (Phase::Over, Some(Outcome::Ran { report })) if report.embedding.is_some() => {
            format!("The vector was there after {}.", millis(report.timings.ttft_ms))
        }
        (Phase::Over, Some(Outcome::Ran { report })) => match report.stop {
            StopReason::EndOfText => "The model ended its text.".to_owned(),
            StopReason::MaxTokens => "Stopped at the most tokens asked for.".to_owned(),
            StopReason::ContextFull => "Stopped: the context is full.".to_owned(),
        },
        (Phase::Over, Some(Outcome::Cancelled)) => format!("Stopped after {} tokens.", job.tokens.len()),
        (Phase::Over, _) => String::new(),
    }
}
