//! The machines that carry out jobs.

use super::join::Join;
use super::when::{now_ms, when};
use crate::page::App;
use crate::state::format;
use crate::state::lab::place::parse_labels;
use crate::state::lab::route::Route;
use crate::view::problem::ProblemBox;
use leptos::prelude::*;
use studio_protocol::{Runner, RunnerState};

/// All of them, and how to add one.
#[component]
pub(super) fn Runners() -> impl IntoView {
    let app = App::get();
    let names = Memo::new(move |_| {
        app.link.with(|link| link.runners().iter().map(|runner| runner.info.name.clone()).collect::<Vec<_>>())
    });
    view! {
        <ul class="runners" data-testid="runners">
            <For each=move || names.get() key=Clone::clone children=|name| view! { <Card name/> }/>
        </ul>
        <Show when=move || names.with(Vec::len) == 1>
            <p class="note" data-testid="runners-empty">"This hub works alone. Another machine that joins can compile, run and measure beside it, and is seen here at once."</p>
        </Show>
        <Show when=move || names.with(Vec::is_empty)>
            <p class="note">"The hub is away; so is what it knows of its runners."</p>
        </Show>
        <Join/>
    }
}

/// A machine.
#[component]
fn Card(
    /// Its name.
    name: String,
) -> impl IntoView {
    let app = App::get();
    let of = name.clone();
    let runner = Memo::new(move |_| {
        app.link.with(|link| link.runners().iter().find(|runner| runner.info.name == of).cloned())
    });
    let class = move || {
        runner.with(|runner| match runner.as_ref().map(|runner| runner.state) {
            Some(RunnerState::Idle) => "pill idle",
            Some(RunnerState::Busy) => "pill busy",
            Some(RunnerState::Gone) | None => "pill gone",
        })
    };
    let state = move || {
        runner.with(|runner| match runner {
            Some(Runner { state: RunnerState::Idle, .. }) => "idle",
            Some(Runner { state: RunnerState::Busy, .. }) => "busy",
            Some(Runner { state: RunnerState::Gone, .. }) | None => "gone",
        })
    };
    let doing = move || {
        let runner = runner.get()?;
        let job = runner.job.map(|job| view! { <a href=Route::Job(job).hash()>"at work"</a> });
        let gone = (runner.state == RunnerState::Gone).then(|| {
            let ago = now_ms().saturating_sub(runner.seen_ms) as f64 / 1000.0;
            format!("last here {} ago, {}", format::seconds(ago), when(runner.seen_ms))
        });
        Some(view! { {job}" "{gone} })
    };
    let gone =
        move || runner.with(|runner| runner.as_ref().is_some_and(|runner| runner.state == RunnerState::Gone));
    let refused_of = name.clone();
    let refusal = move || {
        let (of, problem) = app.refusal.get()?;
        (of == refused_of).then(|| view! { <ProblemBox problem testid="runner-problem"/> })
    };
    let removed = name.clone();
    let sure = RwSignal::new(false);
    let facts = move || runner.get().map(|runner| facts(&runner));
    view! {
        <li class="panel runner" data-testid=format!("runner-{name}")>
            <div class="runner-head">
                <h2>{name.clone()}</h2>
                <span class=class data-testid="runner-state"><span class="dot" aria-hidden="true"></span>{state}</span>
            </div>
            <p class="dim runner-doing" role="status">{doing}</p>
            {facts}
            <Labels name=name.clone() runner/>
            <Show when=gone>
                {
                    let name = removed.clone();
                    move || {
                        let name = name.clone();
                        if sure.get() {
                            view! {
                                <div class="row confirm" role="group" aria-label="Remove it?">
                                    <p class="note">"Its name becomes free, and jobs that only it could do fail."</p>
                                    <button class="danger" data-testid="remove-sure" on:click=move |_| app.remove_runner(name.clone())>"Remove"</button>
                                    <button data-testid="remove-keep" on:click=move |_| sure.set(false)>"Keep"</button>
                                </div>
                            }.into_any()
                        } else {
                            view! { <button class="quiet danger" data-testid="remove" on:click=move |_| sure.set(true)>"Remove"</button> }.into_any()
                        }
                    }
                }
            </Show>
            {refusal}
        </li>
    }
}

fn facts(runner: &Runner) -> impl IntoView + use<> {
    let info = &runner.info;
    let memory = match info.memory_bytes {
        0 => "not known".to_owned(),
        bytes => format::bytes(bytes),
    };
    let compiler = info.compiler.as_ref().map(|compiler| format!("iree-compile {}", compiler.version));
    let eager = info.eager.as_ref().map(|eager| format!("llama.cpp {}", eager.version));
    let row = |label: &'static str, value: String| view! { <div><dt>{label}</dt><dd>{value}</dd></div> };
    view! {
        <p class="runner-cpu">{info.cpu.clone()}</p>
        <dl class="facts">
            {row("System", format!("{} {}", info.os, info.arch))}
            {row("Cores", info.cores.to_string())}
            {row("Memory", memory)}
            {row("Compiles", compiler.unwrap_or_else(|| "no".to_owned()))}
        </dl>
        <details class="more">
            <summary>"Versions and features"</summary>
            <dl class="facts wide">
                {row("Agent", info.agent.clone())}
                {row("IREE runtime", info.runtime.clone())}
                {row("Drivers", info.drivers.join(", "))}
                {row("Eager engine", eager.unwrap_or_else(|| "none in its program".to_owned()))}
                {row("Processor features", info.features.join(" "))}
            </dl>
        </details>
    }
}

/// What jobs may choose it by besides its name.
#[component]
fn Labels(
    /// Whose.
    name: String,
    /// It.
    runner: Memo<Option<Runner>>,
) -> impl IntoView {
    let app = App::get();
    let labels = Memo::new(move |_| {
        runner.with(|runner| runner.as_ref().map(|runner| runner.labels.clone()).unwrap_or_default())
    });
    // What somebody is writing, while they do.
    let draft = RwSignal::new(None::<String>);
    let error = RwSignal::new(None::<String>);
    let id = format!("labels-{name}");
    let of = name.clone();
    let save = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        match parse_labels(&draft.get_untracked().unwrap_or_default()) {
            Ok(labels) => {
                app.label_runner(of.clone(), labels);
                draft.set(None);
                error.set(None);
            }
            Err(words) => error.set(Some(words)),
        }
    };
    let chips =
        move || labels.get().into_iter().map(|label| view! { <li class="chip">{label}</li> }).collect_view();
    let edits = Memo::new(move |_| draft.with(Option::is_some));
    let body = move || {
        if edits.get() {
            let (id, save) = (id.clone(), save.clone());
            let described = format!("{id}-help");
            view! {
                <form class="labels-form" on:submit=save>
                    <label for=id.clone() class="label">"Labels, separated by commas"</label>
                    <div class="row">
                        <input id=id class="grow" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" data-testid="labels-input"
                            aria-describedby=described.clone()
                            prop:value=draft.get_untracked().unwrap_or_default()
                            on:input=move |event| draft.set(Some(event_target_value(&event)))/>
                        <button type="submit" data-testid="labels-save">"Save"</button>
                        <button type="button" class="quiet" on:click=move |_| { draft.set(None); error.set(None); }>"Cancel"</button>
                    </div>
                    <p class="help" class:wrong=move || error.with(Option::is_some) id=described aria-live="polite">{move || error.get()}</p>
                </form>
            }.into_any()
        } else {
            view! {
                <div class="labels">
                    <span class="label">"Labels"</span>
                    <ul class="chips" data-testid="labels">{chips}</ul>
                    <button class="quiet" data-testid="labels-edit" on:click=move |_| draft.set(Some(labels.get_untracked().join(", ")))>
                        {move || if labels.with(Vec::is_empty) { "Add" } else { "Edit" }}
                    </button>
                </div>
            }.into_any()
        }
    };
    view! { {body} }
}
