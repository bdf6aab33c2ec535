//! Many exports of a model, each measured, the best first.

use super::field::{TextField, Tickbox};
use super::progress::Bar;
use crate::page::App;
use crate::state::format;
use crate::state::job::Job;
use crate::state::lab::measure::Metric;
use crate::state::lab::route::Route;
use crate::state::lab::sweep::{Ranked, SweepForm, done_of, ranked, weights_name};
use crate::state::options::{FormChoice, Subject};
use leptos::prelude::*;
use studio_core::options::Weights;

/// The grid, and what came of it.
#[component]
pub(super) fn SweepPanel() -> impl IntoView {
    let app = App::get();
    let form = RwSignal::new(SweepForm::default());
    let subject =
        Memo::new(move |_| app.model.with(|model| model.exportable().map(|(_, card)| Subject::of(card))));
    let combinations = Memo::new(move |_| {
        let Some(subject) = subject.get() else {
            return Err("Drop the model again: each combination is exported from it".to_owned());
        };
        let kernels = app.form.with(|form| form.runner_kernels);
        form.with(|form| form.combinations(subject, kernels))
    });
    let count = move || {
        combinations.with(|found| match found {
            Ok(found) if found.len() == 1 => "1 combination".to_owned(),
            Ok(found) => format!("{} combinations", found.len()),
            Err(words) => words.clone(),
        })
    };
    let live = Memo::new(move |_| app.is_sweeping());
    let can = move || combinations.with(Result::is_ok) && app.link.with(|link| link.is_up());
    // What is wrong with the fields above, which the sweep takes its threads, tokens and rounds from.
    let wrong = RwSignal::new(None::<String>);
    let begin = move |_| {
        if let Ok(options) = combinations.get_untracked() {
            let errors = app.start_sweep(options).err().unwrap_or_default();
            wrong.set(errors.into_iter().map(|(_, words)| words).next());
        }
    };
    let forms =
        [(FormChoice::Cpu, "sweep-cpu", "cpu"), (FormChoice::Stablehlo, "sweep-stablehlo", "stablehlo")];
    let forms = forms.map(|(of, id, word)| view! {
        <Tickbox id label=word.to_owned() help=String::new() value=Signal::derive(move || form.with(|form| form.forms.contains(&of)))
            on_change=move |_| form.update(|form| form.turn_form(of))/>
    });
    let weights = [
        (Weights::Keep, "sweep-keep"),
        (Weights::Bf16, "sweep-bf16"),
        (Weights::F16, "sweep-f16"),
        (Weights::F32, "sweep-f32"),
    ];
    let weights = weights.map(|(of, id)| view! {
        <Tickbox id label=weights_name(of) help=String::new() value=Signal::derive(move || form.with(|form| form.weights.contains(&of)))
            on_change=move |_| form.update(|form| form.turn_weights(of))/>
    });
    let none = Signal::derive(|| None::<String>);
    view! {
        <details class="more sweep" data-testid="sweep">
            <summary>"Sweep: find the fastest form, weights and sizes"</summary>
            <div class="sweep-form">
                <fieldset><legend>"Forms"</legend><div class="row">{forms.collect_view()}</div></fieldset>
                <fieldset><legend>"Weights"</legend><div class="row">{weights.collect_view()}</div></fieldset>
                <div class="fields">
                    <TextField id="sweep-chunks" label="Chunks" help="As 16,64; the usual one where blank" value=Signal::derive(move || form.with(|form| form.chunks.clone()))
                        on_input=move |text| form.update(|form| form.chunks = text) error=none/>
                    <TextField id="sweep-contexts" label="Contexts" help="As 512,2048; the usual one where blank" value=Signal::derive(move || form.with(|form| form.contexts.clone()))
                        on_input=move |text| form.update(|form| form.contexts = text) error=none/>
                </div>
                <div class="row">
                    <Show when=move || live.get() fallback=move || view! {
                        <button type="button" data-testid="sweep-start" prop:disabled=move || !can() on:click=begin>"Sweep"</button>
                    }>
                        <button type="button" class="danger" data-testid="sweep-cancel" on:click=move |_| app.cancel_sweep()>"Stop"</button>
                    </Show>
                    <p class="help" role="status" data-testid="sweep-count">{move || wrong.get().unwrap_or_else(&count)}</p>
                </div>
                <p class="help">"Where, threads, tokens and rounds are those above. The hub exports a combination when the one before it was measured; this page may be closed meanwhile, and the history has the sweep."</p>
            </div>
            <Ranking job=app.sweep/>
        </details>
    }
}

/// How far a sweep is, and the best so far; nothing of a job that is none.
#[component]
pub(super) fn Ranking(
    /// The sweep.
    job: RwSignal<Option<Job>>,
    /// Whether this is the sweep's own page, which need not lead there.
    #[prop(optional)]
    alone: bool,
) -> impl IntoView {
    let by = RwSignal::new(Metric::Decode);
    let done = Memo::new(move |_| job.with(|job| job.as_ref().map(done_of).unwrap_or_default()));
    let there = Memo::new(move |_| done.get().1 > 0);
    let fraction = Signal::derive(move || match done.get() {
        (_, 0) => 0.0,
        (done, all) => done as f64 / all as f64,
    });
    let at = move || {
        let (done, all) = done.get();
        let now = job.with(|job| {
            let job = job.as_ref()?;
            match (job.is_live(), job.problem()) {
                (true, _) => Some(format!(", {}", job.whereabouts())),
                (false, Some(problem)) => Some(format!(": {}", problem.message)),
                (false, None) => None,
            }
        });
        format!("{done} of {all}{}", now.unwrap_or_default())
    };
    let ranked = Memo::new(move |_| {
        let by = by.get();
        job.with(|job| job.as_ref().map(|job| ranked(job, by)).unwrap_or_default())
    });
    let rows =
        move || ranked.get().iter().enumerate().map(|(index, ranked)| row(index + 1, ranked)).collect_view();
    let orders = [
        (Metric::Decode, "Rank by decode"),
        (Metric::Prefill, "Rank by prefill"),
        (Metric::Memory, "Rank by memory"),
    ];
    let choose = move |event| {
        let title = event_target_value(&event);
        if let Some((metric, _)) = orders.iter().find(|(_, of)| *of == title) {
            by.set(*metric);
        }
    };
    view! {
        <Show when=move || there.get()>
            <div class="under-way" role="status">
                <p class="phase" data-testid="sweep-progress">{at}</p>
                {move || job.with(|job| job.as_ref().and_then(|job| job.id)).filter(|_| !alone).map(|id| view! { <a href=Route::Job(id).hash() data-testid="sweep-link">"Open it by itself"</a> })}
                <Bar label="Sweep" fraction testid="sweep-bar"/>
            </div>
            <Show when=move || ranked.with(|ranked| !ranked.is_empty())>
                <select aria-label="Rank by" data-testid="sweep-by" on:change=choose>
                    {orders.map(|(_, title)| view! { <option value=title>{title}</option> }).collect_view()}
                </select>
                <div class="table-frame free" tabindex="0" role="region" aria-label="The sweep, the best first">
                    <table class="plain figures-table" data-testid="sweep-table">
                        <thead><tr>
                            <th scope="col" class="num">"Rank"</th><th scope="col">"Combination"</th><th scope="col">"Runner"</th><th scope="col" class="num">"Threads"</th>
                            <th scope="col" class="num">"Decode tok/s"</th><th scope="col" class="num">"Prefill tok/s"</th>
                            <th scope="col" class="num">"First token"</th><th scope="col" class="num">"Load"</th><th scope="col" class="num">"Memory"</th>
                        </tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </Show>
        </Show>
    }
}

fn row(rank: usize, ranked: &Ranked) -> impl IntoView + use<> {
    let words = ranked.words.clone();
    match &ranked.row {
        None => view! {
            <tr data-testid="sweep-row"><td></td><td>{words}</td><td colspan="7" class="worse">{ranked.failure.clone()}</td></tr>
        }
        .into_any(),
        Some(row) => {
            let rate = |value: Option<f64>| value.map(format::tokens_per_second);
            let href = row.job.map(|job| Route::Job(job).hash());
            view! {
                <tr data-testid="sweep-row">
                    <td class="num">{rank}</td><td>{words}</td>
                    <td><a href=href>{row.runner.clone()}</a></td>
                    <td class="num">{row.threads}</td>
                    <td class="num">{rate(row.decode_tps)}</td><td class="num">{rate(row.prefill_tps)}</td>
                    <td class="num">{row.ttft_ms.map(format::millis)}</td><td class="num">{format::millis(row.load_ms)}</td>
                    <td class="num">{format::bytes(row.peak_rss_bytes)}</td>
                </tr>
            }
            .into_any()
        }
    }
}
