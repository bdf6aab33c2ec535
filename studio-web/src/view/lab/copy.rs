//! A button that copies a text.

use leptos::prelude::*;
use std::time::Duration;

/// How long it says that it did.
const SAYS_SO_FOR: Duration = Duration::from_secs(2);

/// The button.
#[component]
pub(crate) fn Copy(
    /// What it copies.
    #[prop(into)]
    text: Signal<String>,
    /// Its word.
    #[prop(default = "Copy")]
    word: &'static str,
    /// What to find it by.
    testid: &'static str,
) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copy = move |_| {
        // Where the browser refuses, the text can still be selected.
        drop(window().navigator().clipboard().write_text(&text.get_untracked()));
        copied.set(true);
        set_timeout(move || _ = copied.try_set(false), SAYS_SO_FOR);
    };
    view! {
        <button type="button" class="quiet" data-testid=testid on:click=copy>
            {move || if copied.get() { "Copied" } else { word }}
        </button>
    }
}
