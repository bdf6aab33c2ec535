//! The fifth step: how fast it is and whether it is right, beside llama.cpp, on one machine or many.

use super::field::TextField;
use super::lab::{Comparison, Picker, UrgencyFields, Verified};
use super::problem::ProblemBox;
use super::progress::Bar;
use super::step::Step;
use super::sweep::SweepPanel;
use crate::messages::ExportPhase;
use crate::page::App;
use crate::state::format;
use crate::state::job::Job;
use crate::state::lab::measure::{Field, FieldError, MeasureForm, Measured, SourceState, Wanted};
use crate::state::lab::route::Route;
use leptos::prelude::*;
use studio_protocol::{JobId, Outcome};

/// The measurements' panel.
#[component]
pub(crate) fn Measure() -> impl IntoView {
    let app = App::get();
    view! {
        <Step
            id="measure"
            number=5
            title="Measure"
            lead="How fast it is, and whether it is right, beside llama.cpp with the same file."
            waits_for="Export a model first."
        >
            <Show when=move || !app.embeds() fallback=|| view! { <p class="note">"A run says how long a text’s vector takes; encoders have nothing else to measure here."</p> }>
                <Form/>
                <Sending/>
                <UnderWay/>
                <Results/>
                <SweepPanel/>
            </Show>
        </Step>
    }
}

#[component]
fn Form() -> impl IntoView {
    let app = App::get();
    let errors = RwSignal::new(Vec::<FieldError>::new());
    let error = move |field: Field| {
        Signal::derive(move || {
            errors.with(|errors| errors.iter().find(|(of, _)| *of == field).map(|(_, words)| words.clone()))
        })
    };
    let value = move |read: fn(&MeasureForm) -> String| Signal::derive(move || app.measure.with(read));
    let set = move |write: fn(&mut MeasureForm, String)| {
        move |text| {
            app.measure.update(|form| write(form, text));
            errors.update(Vec::clear);
        }
    };
    let busy = Memo::new(move |_| {
        app.measured.with(|jobs| jobs.iter().any(Job::is_live))
            || app.source.with(|source| matches!(source, SourceState::Sending(..)))
            || app.is_sweeping()
            || !app.link.with(|link| link.is_up())
    });
    // Which of the machines that are meant have llama.cpp in their program.
    let eager = Memo::new(move |_| {
        let place = app.measure_place.get();
        app.link.with(|link| {
            let meant = place.meant(link.runners());
            let without: Vec<String> = meant
                .iter()
                .filter(|runner| runner.info.eager.is_none())
                .map(|runner| runner.info.name.clone())
                .collect();
            (meant.len(), without)
        })
    });
    let none_has_it =
        Memo::new(move |_| eager.with(|(meant, without)| *meant > 0 && *meant == without.len()));
    let missing = move || {
        eager.with(|(meant, without)| match without.len() {
            0 => None,
            all if all == *meant => Some("No llama.cpp in the program of the machine that is chosen: one that was built with --features eager has it.".to_owned()),
            _ => Some(format!("No llama.cpp in the program of {}: there the comparison will fail.", without.join(", "))),
        })
    };
    let both = move |wanted: Wanted| move |_| errors.set(app.measure_both(&wanted).err().unwrap_or_default());
    view! {
        <form on:submit=move |event| event.prevent_default()>
            <div class="fields">
                <Picker id="measure-place" place=app.measure_place/>
                <TextField id="bench-threads" label="Threads" help="Numbers, as 1,2,4" placeholder=Signal::derive(|| "all cores".to_owned())
                    value=value(|form| form.threads.clone()) on_input=set(|form, text| form.threads = text) error=error(Field::Threads)/>
                <TextField id="bench-prompt" label="Prompt tokens" help="What prefill takes"
                    value=value(|form| form.prompt_tokens.clone()) on_input=set(|form, text| form.prompt_tokens = text) error=error(Field::PromptTokens) numeric=true/>
                <TextField id="bench-gen" label="Decoded tokens" help="What decode makes"
                    value=value(|form| form.gen_tokens.clone()) on_input=set(|form, text| form.gen_tokens = text) error=error(Field::GenTokens) numeric=true/>
                <TextField id="bench-repeat" label="Rounds" help="Medians of these"
                    value=value(|form| form.repeat.clone()) on_input=set(|form, text| form.repeat = text) error=error(Field::Repeat) numeric=true/>
                <TextField id="verify-positions" label="Positions" help="Whose logits are verified"
                    value=value(|form| form.positions.clone()) on_input=set(|form, text| form.positions = text) error=error(Field::Positions) numeric=true/>
            </div>
            <div class="row">
                <button class="primary" type="button" data-testid="compare-engines" prop:disabled=move || busy.get() || none_has_it.get() on:click=both(Wanted::Compare)>"Compare compiled with llama.cpp"</button>
                <button type="button" data-testid="verify" prop:disabled=move || busy.get() || none_has_it.get() on:click=both(Wanted::Verify)>"Verify logits"</button>
                <button type="button" data-testid="bench" prop:disabled=move || busy.get()
                    on:click=move |_| errors.set(app.measure_compiled().err().unwrap_or_default())>"Measure compiled alone"</button>
            </div>
            {move || missing().map(|words| view! { <p class="note" data-testid="no-eager">{words}</p> })}
            <details class="more"><summary>"More"</summary><UrgencyFields id="measure"/></details>
        </form>
    }
}

/// The GGUF on its way to the hub.
#[component]
fn Sending() -> impl IntoView {
    let app = App::get();
    let is_sending = Memo::new(move |_| app.source.with(|source| matches!(source, SourceState::Sending(..))));
    let at = move || {
        app.source.with(|source| match source {
            SourceState::Sending(_, Some(progress)) => match progress.phase {
                ExportPhase::Hashing => (progress.hashed_bytes, progress.source_bytes),
                ExportPhase::Sending { .. } | ExportPhase::Reconnecting { .. } => {
                    (progress.received_bytes, progress.total_bytes)
                }
            },
            _ => (0, 0),
        })
    };
    let fraction = Signal::derive(move || match at() {
        (_, 0) => 0.0,
        (done, of) => done as f64 / of as f64,
    });
    let numbers = move || {
        let (done, of) = at();
        format!("{} of {}", format::bytes(done), format::bytes(of))
    };
    let problem = move || {
        app.source.with(|source| match source {
            SourceState::Failed(problem) => Some(problem.clone()),
            SourceState::Idle | SourceState::Sending(..) | SourceState::There(_) => None,
        })
    };
    view! {
        <Show when=move || is_sending.get()>
            <div class="under-way" data-testid="source-progress">
                <p class="phase">"Sending the GGUF to the hub"</p>
                <Bar label="The GGUF" fraction testid="source-bar"/>
                <p class="dim numbers">{numbers}</p>
                <button class="danger" type="button" on:click=move |_| app.cancel_source()>"Cancel"</button>
            </div>
        </Show>
        {move || problem().map(|problem| view! { <ProblemBox problem testid="source-problem"/> })}
    }
}

/// The jobs that are not over, and those that failed.
#[component]
fn UnderWay() -> impl IntoView {
    let app = App::get();
    let ids = Memo::new(move |_| {
        let is_worth_a_word =
            |job: &&Job| job.is_live() || job.problem().is_some() || job.outcome == Some(Outcome::Cancelled);
        app.measured.with(|jobs| {
            jobs.iter().filter(is_worth_a_word).map(|job| (job.request, job.id)).collect::<Vec<_>>()
        })
    });
    let row = move |(request, id): (u64, Option<JobId>)| {
        let read = move |read: fn(&Job) -> String| {
            Memo::new(move |_| {
                app.measured
                    .with(|jobs| jobs.iter().find(|job| job.request == request).map(read).unwrap_or_default())
            })
        };
        let runner = read(|job| job.runner.clone().unwrap_or_default());
        let words = read(|job| match (job.problem(), &job.outcome) {
            (Some(problem), _) => format!(
                "Failed: {}",
                [Some(problem.message), problem.hint].into_iter().flatten().collect::<Vec<_>>().join(". ")
            ),
            (None, Some(_)) => "Cancelled".to_owned(),
            (None, None) => job.whereabouts(),
        });
        let live = Memo::new(move |_| {
            app.measured.with(|jobs| jobs.iter().any(|job| job.request == request && job.is_live()))
        });
        let link = id.map(|id| view! { <a href=Route::Job(id).hash()>"Job"</a> });
        view! {
            <li data-testid="measuring">
                <strong>{runner}</strong>
                <span>{move || live.get().then(|| view! { <span class="spinner" aria-hidden="true"></span> })}" "{words}</span>
                <span class="row">
                    {link}
                    {move || live.get().then_some(id).flatten().map(|id| view! { <button type="button" class="quiet danger" on:click=move |_| app.cancel(id)>"Cancel"</button> })}
                </span>
            </li>
        }
    };
    view! {
        <Show when=move || ids.with(|ids| !ids.is_empty())>
            <ul class="siblings" role="status" aria-label="Under way"><For each=move || ids.get() key=|id| *id children=row/></ul>
        </Show>
    }
}

/// What was found.
#[component]
fn Results() -> impl IntoView {
    let app = App::get();
    let measured = Memo::new(move |_| {
        app.measured.with(|jobs| jobs.iter().filter_map(Measured::of_job).collect::<Vec<_>>())
    });
    let verified = Memo::new(move |_| {
        app.measured.with(|jobs| {
            let of = |job: &Job| match &job.outcome {
                Some(Outcome::Verified { report }) => {
                    Some((job.id?, job.runner.clone().unwrap_or_default(), (**report).clone()))
                }
                _ => None,
            };
            jobs.iter().filter_map(of).collect::<Vec<_>>()
        })
    });
    view! {
        <Comparison measured/>
        <For each=move || verified.get() key=|(id, ..)| *id children=|(_, runner, report)| view! {
            <h3 class="compare-head">{format!("Logits on {runner}")}</h3>
            <Verified report/>
        }/>
    }
}
