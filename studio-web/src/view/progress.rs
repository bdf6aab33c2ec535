//! A bar that fills.

use leptos::prelude::*;

/// A progress bar.
#[component]
pub(crate) fn Bar(
    /// What it measures, for those who do not see it.
    label: &'static str,
    /// From 0 to 1.
    #[prop(into)]
    fraction: Signal<f64>,
    /// What to find it by.
    testid: &'static str,
) -> impl IntoView {
    let percent = Memo::new(move |_| (fraction.get().clamp(0.0, 1.0) * 1000.0).round() / 10.0);
    view! {
        <div
            class="bar"
            role="progressbar"
            aria-label=label
            aria-valuemin="0"
            aria-valuemax="100"
            aria-valuenow=move || percent.get().round().to_string()
            data-testid=testid
        >
            <div class="bar-fill" style:width=move || format!("{}%", percent.get())></div>
        </div>
    }
}
