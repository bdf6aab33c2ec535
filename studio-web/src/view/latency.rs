//! How long each token took, as bars.

use crate::state::format;
use crate::state::latency::chart;
use leptos::prelude::*;

/// A short run's bars are as wide as those of a run of this many.
const FEWEST_SLOTS: usize = 32;

/// The chart; nothing before the second token.
#[component]
pub(crate) fn LatencyChart(
    /// Milliseconds, in order.
    latencies: Memo<Vec<f64>>,
) -> impl IntoView {
    let chart = Memo::new(move |_| latencies.with(|latencies| chart(latencies)));
    let path = move || {
        chart.with(|chart| {
            let step = 100.0 / chart.bars.len().max(FEWEST_SLOTS) as f64;
            let bar = |(index, height): (usize, &f64)| {
                let (x, width, height) =
                    (index as f64 * step, (step * 0.72).min(6.0), (height * 30.0).max(0.4));
                format!("M{x:.2} 30h{width:.2}v-{height:.2}h-{width:.2}z")
            };
            chart.bars.iter().enumerate().map(bar).collect::<String>()
        })
    };
    let words = move || {
        chart.with(|chart| {
            format!(
                "Time of each token: median {}, scale to {}",
                format::millis(chart.median_ms),
                format::millis(chart.top_ms)
            )
        })
    };
    view! {
        <Show when=move || chart.with(|chart| !chart.bars.is_empty())>
            <figure class="latency">
                <svg viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label=words>
                    <path d=path/>
                </svg>
                <figcaption>
                    <span>"Time of each token"</span>
                    <span>{move || chart.with(|chart| format!("up to {}", format::millis(chart.top_ms)))}</span>
                </figcaption>
            </figure>
        </Show>
    }
}
