//! Measurements side by side: a chart, a table, and both as files.

use super::bars::Bars;
use super::copy::Copy;
use crate::state::format;
use crate::state::lab::measure::{Measured, Metric, engine_words};
use crate::state::lab::route::Route;
use crate::view::save::save;
use leptos::prelude::*;
use studio_protocol::Figure;
use studio_protocol::figures::{self, FigureRow};

/// What is not known.
const UNKNOWN: &str = "–";

/// The comparison; nothing while there is nothing.
#[component]
pub(crate) fn Comparison(
    /// What was measured.
    measured: Memo<Vec<Measured>>,
) -> impl IntoView {
    let metric = RwSignal::new(Metric::default());
    view! {
        <Show when=move || measured.with(|measured| !measured.is_empty())>
            <section class="comparison" aria-label="Side by side" data-testid="comparison">
                <div class="table-tools">
                    <MetricChoice metric measured/>
                    <Exports measured/>
                </div>
                <Bars measured metric/>
                <Rows measured/>
                <Terms measured/>
            </section>
        </Show>
    }
}

/// Which figure is drawn.
#[component]
pub(super) fn MetricChoice(
    /// The choice.
    metric: RwSignal<Metric>,
    /// What there is to draw.
    measured: Memo<Vec<Measured>>,
) -> impl IntoView {
    let choose = move |event| {
        let title = event_target_value(&event);
        if let Some((chosen, _)) = Metric::ALL.iter().find(|(_, of)| *of == title) {
            metric.set(*chosen);
        }
    };
    // Most machines don't tell what energy they take.
    let tells = Memo::new(move |_| {
        let has = |one: &Measured| one.report.runs.iter().any(|run| run.decode_joules.is_some());
        measured.with(|measured| measured.iter().any(has))
    });
    let options = move || {
        let there = Metric::ALL.into_iter().filter(move |(of, _)| *of != Metric::Energy || tells.get());
        there
            .map(|(of, title)| {
                view! { <option value=title prop:selected=metric.get_untracked() == of>{title}</option> }
            })
            .collect_view()
    };
    view! { <select aria-label="What is drawn" data-testid="metric" on:change=choose>{options}</select> }
}

/// The same as files and as a link.
#[component]
fn Exports(
    /// What was measured.
    measured: Memo<Vec<Measured>>,
) -> impl IntoView {
    let rows = move || {
        measured.with_untracked(|measured| measured.iter().flat_map(Measured::rows).collect::<Vec<_>>())
    };
    let download = move |kind: &'static str, name: &'static str, text: String| {
        let text = String::from(js_sys::encode_uri_component(&text));
        save(&format!("data:{kind};charset=utf-8,{text}"), name);
    };
    let json = move || serde_json::to_string_pretty(&rows()).unwrap_or_default();
    let origin = window().location().origin().unwrap_or_default();
    let link = Signal::derive(move || {
        let ids = measured.with(|measured| measured.iter().map(|measured| measured.job).collect());
        format!("{origin}/{}", Route::Compare(ids).hash())
    });
    view! {
        <div class="row exports" role="group" aria-label="Take it away">
            <button type="button" class="quiet" data-testid="export-csv" on:click=move |_| download("text/csv", "bench.csv", figures::csv(&rows()))>"CSV"</button>
            <button type="button" class="quiet" data-testid="export-json" on:click=move |_| download("application/json", "bench.json", json())>"JSON"</button>
            <button type="button" class="quiet" data-testid="export-markdown" on:click=move |_| download("text/markdown", "bench.md", figures::markdown(&rows()))>"Markdown"</button>
            <Copy text=link word="Copy link" testid="comparison-link"/>
        </div>
    }
}

#[component]
fn Rows(
    /// What was measured.
    measured: Memo<Vec<Measured>>,
) -> impl IntoView {
    let rows = move || {
        measured.with(|measured| {
            measured.iter().flat_map(Measured::rows).map(|row| row_view(&row)).collect_view()
        })
    };
    view! {
        <div class="table-frame free" tabindex="0" role="region" aria-label="Measurements">
            <table class="plain figures-table" data-testid="figures">
                <thead><tr>
                    <th scope="col">"Runner"</th><th scope="col">"Engine"</th>
                    <th scope="col" class="num">"Threads"</th>
                    <th scope="col" class="num">"Decode tok/s"</th>
                    <th scope="col" class="num" title="Compiled divided by the better llama.cpp of as many threads">"× llama.cpp"</th>
                    <th scope="col" class="num">"Prefill tok/s"</th>
                    <th scope="col" class="num" title="Compiled divided by the better llama.cpp of as many threads">"× llama.cpp"</th>
                    <th scope="col" class="num">"First token"</th><th scope="col" class="num">"Each token"</th>
                    <th scope="col" class="num" title="Half, 9 of 10 and 99 of 100 decoded tokens took at most so many milliseconds">"p50, p90, p99"</th>
                    <th scope="col" class="num">"Load"</th><th scope="col" class="num">"Memory"</th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn row_view(row: &FigureRow) -> impl IntoView + use<> {
    let known = |value: Option<String>| value.unwrap_or_else(|| UNKNOWN.to_owned());
    let rate = |value: Option<f64>, rounds: Option<Figure>| {
        let spread = rounds
            .filter(|rounds| rounds.min < rounds.max)
            .map(|rounds| format!("±{:.0} %", rounds.spread() * 100.0));
        view! { <td class="num">{known(value.map(format::tokens_per_second))}<span class="spread">{spread}</span></td> }
    };
    let ratio = |value: Option<f64>| {
        let class = match value {
            Some(ratio) if ratio >= 1.0 => "num better",
            Some(_) => "num worse",
            None => "num",
        };
        view! { <td class=class>{value.map(|ratio| format!("{ratio:.2} ×"))}</td> }
    };
    let time = |value: Option<f64>| view! { <td class="num">{known(value.map(format::millis))}</td> };
    view! {
        <tr data-testid="figure-row">
            <th scope="row">{match row.job {
                Some(job) => view! { <a href=Route::Job(job).hash()>{row.runner.clone()}</a> }.into_any(),
                None => row.runner.clone().into_any(),
            }}</th>
            <td>{engine_words(row)}</td>
            <td class="num">{row.threads}</td>
            {rate(row.decode_tps, row.decode_rounds)}
            {ratio(row.decode_ratio)}
            {rate(row.prefill_tps, row.prefill_rounds)}
            {ratio(row.prefill_ratio)}
            {time(row.ttft_ms)}
            {time(row.token_ms)}
            <td class="num" data-testid="latency">{known(row.latency_ms.map(|latency| latency.words()))}</td>
            {time(Some(row.load_ms))}
            <td class="num">{format::bytes(row.peak_rss_bytes)}</td>
        </tr>
    }
}

/// On which terms it was measured: what makes figures comparable, or not.
#[component]
fn Terms(
    /// What was measured.
    measured: Memo<Vec<Measured>>,
) -> impl IntoView {
    let words = move || {
        measured.with(|measured| {
            let of = |one: &Measured| {
                let report = &one.report;
                let eager = report
                    .eager
                    .as_ref()
                    .map(|eager| format!("; llama.cpp {} with {}", eager.version, eager.features.join(" ")));
                format!(
                    "{}: {}, {} prompt tokens, {} decoded, medians of {}, on {}{}",
                    one.runner,
                    report.model,
                    report.prompt_tokens,
                    report.gen_tokens,
                    report.repeat,
                    report.cpu,
                    eager.unwrap_or_default()
                )
            };
            measured.iter().map(|one| view! { <li>{of(one)}</li> }).collect_view()
        })
    };
    view! { <ul class="help terms">{words}</ul> }
}
