//! One job: where it is, what came of it, and everything that is needed to do it again.

use super::copy::Copy;
use super::jobs::StateWord;
use super::outcome::Given;
use super::when::when;
use crate::page::App;
use crate::state::format;
use crate::state::job::{Job, Phase};
use crate::state::lab::history::state_word;
use crate::view::elapsed::Elapsed;
use crate::view::log::Log;
use crate::view::problem::ProblemBox;
use crate::view::sweep::Ranking;
use leptos::prelude::*;
use studio_protocol::{JobRecord, JobState, On, Terms};

/// The job that the address names.
#[component]
pub(super) fn JobPage() -> impl IntoView {
    let app = App::get();
    let record =
        Memo::new(move |_| app.shown.with(|shown| shown.as_ref().and_then(|shown| shown.record.clone())));
    let problem =
        Memo::new(move |_| app.shown.with(|shown| shown.as_ref().and_then(|shown| shown.problem.clone())));
    let head = move || record.get().map(|record| head(&record));
    let facts = move || record.get().map(|record| facts(&record));
    let of = move |read: fn(&Job) -> Option<String>| {
        Memo::new(move |_| app.looked_at.with(|job| job.as_ref().and_then(read)))
    };
    let whereabouts = of(|job| job.is_live().then(|| job.whereabouts()));
    let text = of(|job| Some(job.text.clone()).filter(|text| !text.is_empty()));
    let failed = Memo::new(move |_| app.looked_at.with(|job| job.as_ref().and_then(Job::problem)));
    let outcome =
        Memo::new(move |_| app.looked_at.with(|job| job.as_ref().and_then(|job| job.outcome.clone())));
    view! {
        <article class="panel job" data-testid="job">
            {head}
            {move || problem.get().map(|problem| view! { <ProblemBox problem testid="job-unknown"/> })}
            <div class="status" role="status" aria-live="polite">
                <Show when=move || whereabouts.with(Option::is_some)>
                    <p class="working" data-testid="job-working"><span class="spinner" aria-hidden="true"></span>{move || whereabouts.get()}<Elapsed/></p>
                </Show>
            </div>
            {move || failed.get().map(|problem| view! { <ProblemBox problem testid="job-problem"/> })}
            {move || text.get().map(|text| view! { <div class="said" data-testid="job-text">{text}</div> })}
            <Ranking job=app.looked_at alone=true/>
            {move || outcome.get().map(|outcome| view! { <Given outcome/> })}
            <Log job=app.looked_at/>
            {facts}
        </article>
    }
}

fn head(record: &JobRecord) -> impl IntoView + use<> {
    let app = App::get();
    let id = record.job;
    let cancelling =
        move || app.looked_at.with(|job| job.as_ref().is_some_and(|job| job.phase == Phase::Cancelling));
    let act = match record.state {
        JobState::Over => view! {
            <button class="primary" data-testid="job-rerun" on:click=move |_| app.rerun(id)>"Do it again"</button>
        }
        .into_any(),
        JobState::Waiting | JobState::Working => view! {
            <button class="danger" data-testid="job-cancel" prop:disabled=cancelling on:click=move |_| app.cancel(id)>"Cancel"</button>
        }
        .into_any(),
    };
    let link = window().location().href().unwrap_or_default();
    view! {
        <div class="card-head">
            <div>
                <h2>{format!("{} of {}", format::sentence(record.spec.kind()), record.model)}</h2>
                <p class="dim"><StateWord word=state_word(record) live=record.state != JobState::Over/>{format!(" · job {id} · {}", when(record.created_ms))}</p>
            </div>
            <div class="row">
                <Copy text=Signal::derive(move || link.clone()) word="Copy link" testid="job-link"/>
                {act}
            </div>
        </div>
    }
}

fn facts(record: &JobRecord) -> impl IntoView + use<> {
    let runner = record.runner.as_ref();
    let seconds = |from: Option<u64>, to: Option<u64>| Some(format::millis(to?.saturating_sub(from?) as f64));
    let compiler = runner.map(|runner| match &runner.compiler {
        Some(compiler) => format!("iree-compile {}", compiler.version),
        None => "none".to_owned(),
    });
    let rows = [
        (
            "Runner",
            runner.map(|runner| format!("{} ({}, {} {})", runner.name, runner.cpu, runner.os, runner.arch)),
        ),
        ("Asked for", Some(place(&record.terms))),
        ("Waited", seconds(Some(record.created_ms), record.started_ms)),
        ("Took", seconds(record.started_ms, record.finished_ms)),
        ("Priority", Some(record.terms.priority.to_string())),
        ("Time limit", record.terms.time_limit_s.map(|limit| format::seconds(f64::from(limit)))),
        ("Group", record.terms.group.clone()),
        ("Given to a runner", Some(format!("{} times", record.attempt)).filter(|_| record.attempt > 1)),
        ("Agent", runner.map(|runner| runner.agent.clone())),
        ("Compiler", compiler),
        ("IREE runtime", runner.map(|runner| runner.runtime.clone())),
        ("llama.cpp", runner.and_then(|runner| runner.eager.as_ref()).map(|eager| eager.version.clone())),
        ("Hub", Some(record.hub.clone())),
    ];
    let rows = rows
        .into_iter()
        .filter_map(|(label, value)| Some(view! { <div><dt>{label}</dt><dd>{value?}</dd></div> }));
    let request = serde_json::to_string_pretty(&Request { spec: &record.spec, terms: &record.terms })
        .unwrap_or_default();
    let copied = request.clone();
    view! {
        <dl class="facts job-facts" data-testid="job-facts">{rows.collect_view()}</dl>
        <details class="more">
            <summary>"Everything that was asked for"</summary>
            <pre class="log" data-testid="job-spec">{request}</pre>
            <Copy text=Signal::derive(move || copied.clone()) word="Copy JSON" testid="job-spec-copy"/>
        </details>
    }
}

/// What `job_submit` would say.
#[derive(serde::Serialize)]
struct Request<'a> {
    spec: &'a studio_protocol::JobSpec,
    #[serde(flatten)]
    terms: &'a Terms,
}

fn place(terms: &Terms) -> String {
    match &terms.on {
        None => "the hub’s own runner".to_owned(),
        Some(On::Runner(name)) => name.clone(),
        Some(On::Label(label)) => format!("the first free with label {label}"),
        Some(On::Each(names)) if names.is_empty() => "all that were there".to_owned(),
        Some(On::Each(names)) => format!("each of {}", names.join(", ")),
    }
}
