//! The page's few drawings.

use leptos::prelude::*;

/// The mark: a stack of layers going down into a chip.
#[component]
pub(crate) fn Mark() -> impl IntoView {
    view! {
        <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
            <path class="mark-1" d="M16 3 29 9 16 15 3 9Z"/>
            <path class="mark-2" d="m3 15.500 13 6 13-6"/>
            <path class="mark-3" d="m3 22 13 6 13-6"/>
        </svg>
    }
}

/// A tick, for what is done.
#[component]
pub(crate) fn Tick() -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <path d="m3 8.500 3.500 3.500L13 4.500"/>
        </svg>
    }
}

/// An arrow into a tray, for dropping files and taking them away.
#[component]
pub(crate) fn Tray() -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
            <path d="M12 3v11m-4.500-4.500L12 14l4.500-4.500M4 15v4a1.500 1.500 0 0 0 1.500 1.500h13A1.500 1.500 0 0 0 20 19v-4"/>
        </svg>
    }
}
