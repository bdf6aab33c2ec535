//! How long something has been going on, for whoever waits for it.

use crate::browser;
use crate::state::format;
use leptos::prelude::*;
use std::time::Duration;

/// Seconds since this was first shown; nothing for the first few.
#[component]
pub(crate) fn Elapsed() -> impl IntoView {
    let began_ms = browser::now_ms();
    let seconds = RwSignal::new(0.0);
    let tick = move || seconds.set((browser::now_ms() - began_ms) / 1000.0);
    if let Ok(timer) = set_interval_with_handle(tick, Duration::from_secs(1)) {
        on_cleanup(move || timer.clear());
    }
    // Not a live region: a screen reader would say every second.
    view! {
        <span class="elapsed dim" aria-hidden="true">
            {move || (seconds.get() >= 2.0).then(|| format::seconds(seconds.get()))}
        </span>
    }
}
