//! Measurements over time, a line for each engine on each machine.

use super::when::when;
use crate::state::lab::chart::{Line, timeline};
use crate::state::lab::measure::{Measured, Metric};
use leptos::prelude::*;

/// The chart.
#[component]
pub(super) fn Timeline(
    /// What was measured.
    measured: Memo<Vec<Measured>>,
    /// Of that.
    metric: RwSignal<Metric>,
) -> impl IntoView {
    let found = Memo::new(move |_| measured.with(|measured| timeline(measured, metric.get())));
    let drawn = move || {
        let chart = found.get();
        let (from, to) = chart.from_to;
        if chart.lines.is_empty() {
            return view! { <p class="note">"Nothing of this was measured."</p> }.into_any();
        }
        let words = format!(
            "{} over time, from {} to {}; the table below has the values",
            metric.get().title(),
            when(from),
            when(to)
        );
        let paths = chart.lines.iter().map(line_view).collect_view();
        let legend = chart.lines.iter().map(|line| view! { <li><span class=format!("swatch hue-{}", line.hue)></span>{line.name.clone()}</li> }).collect_view();
        view! {
            <div class="timeline-top dim">{metric.get().words(chart.top)}</div>
            <svg viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label=words>
                <path class="grid" d="M0 2h100M0 20h100M0 38h100"/>
                {paths}
            </svg>
            <figcaption><span>{when(from)}</span><span>{when(to)}</span></figcaption>
            <ul class="legend">{legend}</ul>
        }
        .into_any()
    };
    view! { <figure class="timeline" data-testid="timeline">{drawn}</figure> }
}

fn line_view(line: &Line) -> impl IntoView + use<> {
    let at = |(x, y): &(f64, f64)| format!("{:.2} {:.2}", 1.0 + x * 98.0, 38.0 - y * 36.0);
    let places: Vec<String> = line.points.iter().map(at).collect();
    let through = format!("M{}", places.join("L"));
    // A stroke of no length with round ends is a dot, however the picture is stretched.
    let dots: String = places.iter().map(|place| format!("M{place}h0")).collect();
    view! {
        <path class=format!("line ink-{}", line.hue) d=through/>
        <path class=format!("dots ink-{}", line.hue) d=dots/>
    }
}
