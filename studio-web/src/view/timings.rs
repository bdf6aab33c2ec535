//! A run's figures: live while it goes on, the runner's own once it is over.

use super::latency::LatencyChart;
use crate::page::App;
use crate::state::format;
use crate::state::job::Job;
use leptos::prelude::*;
use studio_protocol::Outcome;

/// What is not known yet.
const UNKNOWN: &str = "–";

/// The figures of the present run.
#[component]
pub(crate) fn Timings() -> impl IntoView {
    let app = App::get();
    let figures = Memo::new(move |_| app.run.with(|job| job.as_ref().map(Figures::of).unwrap_or_default()));
    let latencies =
        Memo::new(move |_| app.run.with(|job| job.as_ref().map(Job::latencies_ms).unwrap_or_default()));
    let figure = move |label: &'static str,
                       testid: &'static str,
                       unit: &'static str,
                       read: fn(&Figures) -> Option<String>| {
        let value = move || figures.with(|figures| read(figures).unwrap_or_else(|| UNKNOWN.to_owned()));
        view! {
            <div>
                <dt>{label}</dt>
                <dd data-testid=testid>{value}{(!unit.is_empty()).then(|| view! { <span class="unit">{unit}</span> })}</dd>
            </div>
        }
    };
    let embeds = Memo::new(move |_| app.embeds());
    view! {
        <section class="timings" aria-label="Timings" data-testid="timings">
            <Show when=move || embeds.get()>
                <dl class="figures">
                    {figure("Text", "prefill-tps", "tok/s", |f| f.prefill_tps.map(format::tokens_per_second))}
                    {figure("Vector", "ttft", "", |f| f.ttft_ms.map(format::millis))}
                    {figure("Tokens", "token-counts", "", |f| f.prompt_tokens.map(|count| count.to_string()))}
                </dl>
            </Show>
            <Show when=move || !embeds.get()>
                <dl class="figures">
                    {figure("Decode", "decode-tps", "tok/s", |f| f.decode_tps.map(format::tokens_per_second))}
                    {figure("Prefill", "prefill-tps", "tok/s", |f| f.prefill_tps.map(format::tokens_per_second))}
                    {figure("First token", "ttft", "", |f| f.ttft_ms.map(format::millis))}
                    {figure("Tokens", "token-counts", "", |f| f.tokens.clone())}
                </dl>
                <LatencyChart latencies/>
                <dl class="figures small">
                    {figure("p50", "p50", "", |f| f.percentiles.map(|p| format::millis(p[0])))}
                    {figure("p90", "p90", "", |f| f.percentiles.map(|p| format::millis(p[1])))}
                    {figure("p99", "p99", "", |f| f.percentiles.map(|p| format::millis(p[2])))}
                </dl>
            </Show>
            <dl class="figures small">
                {figure("Load", "load", "", |f| f.load_ms.map(format::millis))}
                {figure("Peak memory", "peak-memory", "", |f| f.peak_rss_bytes.map(format::bytes))}
                {figure("Threads", "threads-used", "", |f| match f.on_gpu {
                    true => Some("GPU".to_owned()),
                    false => f.threads.map(|threads| threads.to_string()),
                })}
            </dl>
        </section>
    }
}

/// The figures, as far as they are known.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Figures {
    pub(super) decode_tps: Option<f64>,
    pub(super) prefill_tps: Option<f64>,
    pub(super) ttft_ms: Option<f64>,
    pub(super) load_ms: Option<f64>,
    pub(super) prompt_tokens: Option<u32>,
    pub(super) tokens: Option<String>,
    pub(super) percentiles: Option<[f64; 3]>,
    pub(super) peak_rss_bytes: Option<u64>,
    pub(super) threads: Option<u32>,
    /// Whether a graphics processor computed.
    pub(super) on_gpu: bool,
}

impl Figures {
    /// The figures of a job.
    pub(super) fn of(job: &Job) -> Self {
        if let Some(Outcome::Ran { report }) = &job.outcome {
            let timings = &report.timings;
            return Self {
                decode_tps: timings.decode_tps,
                prefill_tps: Some(timings.prefill_tps),
                ttft_ms: Some(timings.ttft_ms),
                load_ms: Some(timings.load_ms),
                prompt_tokens: Some(timings.prompt_tokens),
                tokens: Some(format!("{} + {}", timings.prompt_tokens, timings.generated_tokens)),
                percentiles: timings
                    .latency_ms
                    .as_ref()
                    .map(|latency| [latency.p50, latency.p90, latency.p99]),
                peak_rss_bytes: Some(timings.peak_rss_bytes),
                threads: Some(timings.threads).filter(|_| timings.device.is_none()),
                on_gpu: timings.device.is_some(),
            };
        }
        let (ttft_ms, decode_tps) = job.live_timings();
        let tokens = (!job.prompt_tokens.is_empty())
            .then(|| format!("{} + {}", job.prompt_tokens.len(), job.tokens.len()));
        Self { decode_tps, ttft_ms, tokens, ..Self::default() }
    }
}
