//! Values of machines and engines as bars; the table beside them says the same.

use crate::state::lab::chart::{Bar, bars};
use crate::state::lab::measure::{Measured, Metric};
use leptos::prelude::*;

/// The chart.
#[component]
pub(super) fn Bars(
    /// What was measured.
    measured: Memo<Vec<Measured>>,
    /// Of that.
    metric: RwSignal<Metric>,
) -> impl IntoView {
    let drawn = move || {
        let rows: Vec<_> = measured.with(|measured| measured.iter().flat_map(Measured::rows).collect());
        let bars = bars(&rows, metric.get());
        if bars.is_empty() {
            return view! { <p class="note">"Nothing of this was measured."</p> }.into_any();
        }
        let mut last = String::new();
        let list: Vec<_> = bars
            .into_iter()
            .map(|bar| {
                let place = (bar.place != last).then(|| bar.place.clone());
                last.clone_from(&bar.place);
                bar_view(&bar, place)
            })
            .collect();
        let note = if metric.get().is_more_better() { "Longer is better." } else { "Shorter is better." };
        view! {
            <ul class="bars">{list}</ul>
            <p class="help">{note}" A thin line goes from the slowest to the fastest round, where rounds were kept."</p>
        }
        .into_any()
    };
    view! { <figure class="bars-figure" aria-label=move || metric.get().title() data-testid="bars">{drawn}</figure> }
}

fn bar_view(bar: &Bar, place: Option<String>) -> impl IntoView + use<> {
    let length = bar.length * 100.0;
    let path = format!("M0 2h{length:.2}v6h-{length:.2}z");
    let extremes = bar.extremes.map(|(from, to)| {
        let path = format!("M{:.2} 5h{:.2}", from * 100.0, (to - from) * 100.0);
        view! { <path class="extremes" d=path/> }
    });
    view! {
        <li>
            {place.map(|place| view! { <p class="bar-place">{place}</p> })}
            <div class="bar-row">
                <span class="bar-engine">{bar.engine.clone()}</span>
                <svg class=format!("ink-{}", bar.hue) viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                    <path d=path/>{extremes}
                </svg>
                <span class="num">{bar.words.clone()}</span>
            </div>
        </li>
    }
}
