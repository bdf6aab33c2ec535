//! The third step: compile the bundle, the compiler's log in view.

use super::elapsed::Elapsed;
use super::lab::{Picker, Siblings, UrgencyFields};
use super::log::Log;
use super::module::Made;
use super::problem::ProblemBox;
use super::step::Step;
use crate::page::App;
use crate::state::format;
use crate::state::job::{Job, Phase};
use crate::state::lab::place::Place;
use crate::state::target;
use leptos::prelude::*;
use studio_protocol::Outcome;

/// The compiler's panel.
#[component]
pub(crate) fn Compile() -> impl IntoView {
    view! {
        <Step
            id="compile"
            number=3
            title="Compile"
            lead="IREE turns the graph into machine code for a target."
            waits_for="Export a model first."
        >
            <Body/>
        </Step>
    }
}

#[component]
fn Body() -> impl IntoView {
    let app = App::get();
    let flags = RwSignal::new(String::new());
    let live = Memo::new(move |_| app.compile.with(|job| job.as_ref().is_some_and(Job::is_live)));
    let done = Memo::new(move |_| app.module().is_some());
    let up = Memo::new(move |_| app.link.with(|link| link.is_up()));
    // The machine that is meant, if it is one.
    let there = Memo::new(move |_| {
        let place = app.compile_place.get();
        app.link.with(|link| {
            let meant = place.meant(link.runners());
            meant.first().filter(|_| place.name().is_some()).map(|runner| runner.info.clone())
        })
    });
    let missing = Memo::new(move |_| {
        there.with(|runner| runner.as_ref().is_some_and(|runner| runner.compiler.is_none()))
    });
    // What a page that comes back compiled for is what it had chosen.
    let chosen = RwSignal::new(untrack(|| app.target()));
    let gpus = Memo::new(move |_| {
        there.with(|runner| runner.as_ref().map(|runner| runner.gpus.clone()).unwrap_or_default())
    });
    let obstacle = Memo::new(move |_| {
        let bundle = app.bundle.get()?;
        chosen.with(|target| target::obstacle(target, &bundle.options))
    });
    let machine = move || match there.get() {
        Some(runner) => {
            let whose = if runner.name == "local" { "This host".to_owned() } else { runner.name };
            match runner.cpu.trim() {
                "" => format!("{whose} ({})", runner.arch),
                cpu => format!("{whose}: {cpu} ({})", runner.arch),
            }
        }
        None => match app.compile_place.get() {
            Place::Local | Place::Runner(_) => "The machine that is chosen, when it is there".to_owned(),
            Place::Any(_) | Place::Each(_) | Place::All => {
                "Each machine that takes the job, for itself".to_owned()
            }
        },
    };
    let start = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let flags = flags.get_untracked().split_whitespace().map(str::to_owned).collect();
        app.start_compile(&chosen.get_untracked(), flags);
    };
    let words = move || if done.get() { "Compile again" } else { "Compile" };
    view! {
        <form class="row" on:submit=start>
            <div class="grow">
                <label class="label" for="compile-target">"Target"</label>
                <select id="compile-target" data-testid="compile-target" aria-describedby="compile-machine"
                    on:change=move |event| chosen.set(event_target_value(&event))>
                    {move || target::choices(&gpus.get()).into_iter().map(|(name, words)| view! {
                        <option value=name selected=move || chosen.with(|chosen| chosen == name)>{words}</option>
                    }).collect_view()}
                </select>
                <p class="target" id="compile-machine" data-testid="target">{machine}</p>
            </div>
            <Picker id="compile-place" place=app.compile_place/>
            <Show when=move || live.get() fallback=move || view! {
                <button class="primary" class:again=move || done.get() type="submit" data-testid="compile" prop:disabled=move || !up.get()>{words}</button>
            }>
                <button class="danger" type="button" data-testid="compile-cancel" on:click=move |_| app.cancel_job(app.compile)>"Cancel"</button>
            </Show>
        </form>
        <details class="more">
            <summary>"More"</summary>
            <div class="field">
                <label for="flags">"Flags for iree-compile"</label>
                <input id="flags" data-testid="flags" type="text" spellcheck="false" autocomplete="off" autocapitalize="off"
                    placeholder="--iree-opt-data-tiling" aria-describedby="flags-help"
                    prop:value=move || flags.get() on:input=move |event| flags.set(event_target_value(&event))/>
                <p class="help" id="flags-help">"After those of the target, separated by spaces"</p>
            </div>
            <UrgencyFields id="compile"/>
        </details>
        {move || obstacle.get().map(|words| view! { <p class="note" data-testid="target-obstacle">{words}</p> })}
        <Show when=move || missing.get()>
            <p class="note">"This runner has no iree-compile. "<code>"studio doctor"</code>" says how to get it."</p>
        </Show>
        <Progress/>
        <Siblings kind="compile"/>
        <Log job=app.compile/>
    }
}

/// What the job does or gave.
#[component]
fn Progress() -> impl IntoView {
    let app = App::get();
    let said = Memo::new(move |_| {
        app.compile.with(|job| {
            let job = job.as_ref()?;
            Some((job.phase, job.outcome.clone(), job.problem()))
        })
    });
    let where_ = Memo::new(move |_| app.compile.with(|job| job.as_ref().map(Job::whereabouts)));
    let body = move || {
        said.get().map(|(phase, outcome, problem)| match (phase, outcome, problem) {
            (Phase::Over, _, Some(problem)) => view! { <ProblemBox problem testid="compile-problem"/> }.into_any(),
            (Phase::Over, Some(Outcome::Compiled { module, cached, compile_ms, compiler, flags, .. }), None) => {
                let how = if cached { "found compiled before".to_owned() } else { format!("compiled in {}", format::millis(compile_ms)) };
                view! {
                    <p class="verdict good" data-testid="compile-done">
                        <span class="dot" aria-hidden="true"></span>
                        {format!("{} of machine code, {how} by iree-compile {compiler}", format::bytes(module.size_bytes))}
                    </p>
                    <p class="dim flags">{flags.join(" ")}</p>
                    <Made artifact=module/>
                }
                .into_any()
            }
            (Phase::Over, ..) => view! { <p class="note" data-testid="compile-cancelled">"Cancelled."</p> }.into_any(),
            _ => view! { <p class="working"><span class="spinner" aria-hidden="true"></span>{where_}<Elapsed/></p> }.into_any(),
        })
    };
    view! { <div class="status" role="status" aria-live="polite">{body}</div> }
}
