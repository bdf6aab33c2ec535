//! Earlier runs of this bundle, to compare with.

use super::timings::Figures;
use crate::page::App;
use crate::state::format;
use crate::state::job::Job;
use leptos::prelude::*;

/// The earlier runs; nothing while there are none, and nothing of texts' vectors, which are compared elsewhere.
#[component]
pub(crate) fn PastRuns() -> impl IntoView {
    let app = App::get();
    view! {
        <Show when=move || !app.embeds() && app.past_runs.with(|runs| !runs.is_empty())>
            <details class="more past" data-testid="past-runs">
                <summary>{move || format!("Earlier runs ({})", app.past_runs.with(Vec::len))}</summary>
                <div class="table-frame free" tabindex="0" role="region" aria-label="Earlier runs">
                    <table>
                        <thead>
                            <tr>
                                <th scope="col">"Prompt and answer"</th>
                                <th scope="col" class="num">"Threads"</th>
                                <th scope="col" class="num">"First token"</th>
                                <th scope="col" class="num">"Prefill tok/s"</th>
                                <th scope="col" class="num">"Decode tok/s"</th>
                            </tr>
                        </thead>
                        <tbody>
                            <For each=move || app.past_runs.get() key=|job| job.request children=|job| row(&job)/>
                        </tbody>
                    </table>
                </div>
            </details>
        </Show>
    }
}

fn row(job: &Job) -> impl IntoView + use<> {
    let figures = Figures::of(job);
    let (asked, text) = (job.asked(), job.text.clone());
    let cell =
        |value: Option<String>| view! { <td class="num">{value.unwrap_or_else(|| "–".to_owned())}</td> };
    view! {
        <tr>
            <td class="past-text"><strong>{asked}</strong>" "{text}</td>
            {cell(figures.threads.map(|threads| threads.to_string()))}
            {cell(figures.ttft_ms.map(format::millis))}
            {cell(figures.prefill_tps.map(format::tokens_per_second))}
            {cell(figures.decode_tps.map(format::tokens_per_second))}
        </tr>
    }
}
