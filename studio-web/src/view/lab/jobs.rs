//! The history: every job that the hub remembers, the newest first, searched.

use super::when::when;
use crate::page::App;
use crate::state::lab::history::{Search, outcome_words, state_word};
use crate::state::lab::route::Route;
use crate::view::problem::ProblemBox;
use leptos::prelude::*;
use studio_protocol::{JobRecord, JobState, On};

/// The list with its search.
#[component]
pub(super) fn Jobs() -> impl IntoView {
    let app = App::get();
    let set = move |write: fn(&mut Search, String)| {
        move |event: web_sys::Event| app.search.update(|search| write(search, event_target_value(&event)))
    };
    let runners = move || {
        let names = app
            .link
            .with(|link| link.runners().iter().map(|runner| runner.info.name.clone()).collect::<Vec<_>>());
        let chosen = app.search.with_untracked(|search| search.runner.clone());
        names
            .into_iter()
            .map(|name| view! { <option value=name.clone() prop:selected=name == chosen>{name.clone()}</option> })
            .collect_view()
    };
    let chosen = move |read: fn(&Search) -> &str, value: &'static str| {
        app.search.with_untracked(|search| read(search) == value)
    };
    let kinds = [
        ("", "every kind"),
        ("compile", "compile"),
        ("run", "run"),
        ("bench", "bench"),
        ("verify", "verify"),
        ("sweep", "sweep"),
    ];
    let states = [("", "every state"), ("waiting", "waiting"), ("working", "working"), ("over", "over")];
    let is_empty =
        Memo::new(move |_| app.history.with(|history| history.is_known && history.jobs.is_empty()));
    let searched = move || app.search.with(|search| *search != Search::default());
    let count = move || {
        app.history.with(|history| match (history.is_known, history.more) {
            (false, _) => String::new(),
            (true, true) => format!("The newest {}", history.jobs.len()),
            (true, false) if history.jobs.len() == 1 => "1 job".to_owned(),
            (true, false) => format!("{} jobs", history.jobs.len()),
        })
    };
    let problem = move || {
        app.history.with(|history| history.problem.clone()).map(|problem| view! { <ProblemBox problem/> })
    };
    view! {
        <section class="panel" aria-label="Jobs">
            <div class="table-tools">
                <input type="search" class="search" data-testid="jobs-search" aria-label="Search jobs" placeholder="Search: model, hash, option, error"
                    prop:value=move || app.search.with(|search| search.text.clone()) on:input=set(|search, text| search.text = text)/>
                <select aria-label="Kind" data-testid="jobs-kind" on:change=set(|search, kind| search.kind = kind)>
                    {kinds.map(|(value, words)| view! { <option value=value prop:selected=chosen(|search| &search.kind, value)>{words}</option> }).collect_view()}
                </select>
                <select aria-label="State" data-testid="jobs-state" on:change=set(|search, state| search.state = state)>
                    {states.map(|(value, words)| view! { <option value=value prop:selected=chosen(|search| &search.state, value)>{words}</option> }).collect_view()}
                </select>
                <select aria-label="Runner" data-testid="jobs-runner" on:change=set(|search, runner| search.runner = runner)>
                    <option value="">"every runner"</option>
                    {runners}
                </select>
                <p class="dim" role="status" data-testid="jobs-count">{count}</p>
            </div>
            {problem}
            <Show when=move || !is_empty.get() fallback=move || view! {
                <p class="empty" data-testid="jobs-empty">{move || if searched() { "No job is like that." } else { "No job yet. Compile or run a model, and it is kept here." }}</p>
            }>
                <div class="table-frame free jobs-frame" tabindex="0" role="region" aria-label="Jobs, the newest first">
                    <table class="plain jobs">
                        <thead><tr>
                            <th scope="col">"When"</th><th scope="col">"Kind"</th><th scope="col">"Model"</th>
                            <th scope="col">"Runner"</th><th scope="col">"State"</th><th scope="col">"Came of it"</th>
                        </tr></thead>
                        <tbody>
                            <For each=move || app.history.with(|history| history.jobs.clone())
                                key=|job| (job.job, job.state as u8, job.attempt, job.events)
                                children=|job| row(&job)/>
                        </tbody>
                    </table>
                </div>
            </Show>
            <Show when=move || app.history.with(|history| history.more)>
                <button data-testid="jobs-more" on:click=move |_| app.list_more()>"Older jobs"</button>
            </Show>
        </section>
    }
}

fn row(record: &JobRecord) -> impl IntoView + use<> {
    let runner = match (&record.runner, &record.terms.on) {
        (Some(runner), _) => runner.name.clone(),
        (None, None) => "for local".to_owned(),
        (None, Some(On::Runner(name))) => format!("for {name}"),
        (None, Some(On::Label(label))) => format!("for label {label}"),
        (None, Some(On::Each(_))) => "for each".to_owned(),
    };
    let priority = match record.terms.priority {
        0 => String::new(),
        priority => format!(", priority {priority}"),
    };
    let words = record.outcome.as_ref().map(outcome_words).unwrap_or_default();
    let title = words.clone();
    view! {
        <tr data-testid="job-row" data-job=record.job.to_string()>
            <td class="num"><a href=Route::Job(record.job).hash()>{when(record.created_ms)}</a></td>
            <td>{record.spec.kind()}</td>
            <td class="job-model">{record.model.clone()}</td>
            <td>{runner}</td>
            <td><StateWord word=state_word(record) live=record.state != JobState::Over/>{priority}</td>
            <td class="job-words" title=title>{words}</td>
        </tr>
    }
}

/// A state in its colour.
#[component]
pub(super) fn StateWord(
    /// The word.
    word: &'static str,
    /// Whether it will change.
    live: bool,
) -> impl IntoView {
    let class = match word {
        "failed" => "state bad",
        "cancelled" => "state",
        _ if live => "state live",
        _ => "state good",
    };
    view! { <span class=class><span class="dot" aria-hidden="true"></span>{word}</span> }
}
