//! The banner that says that the hub is away.

use crate::page::App;
use crate::state::link::LinkState;
use leptos::prelude::*;

/// The banner; nothing while the hub is there.
#[component]
pub(crate) fn Banner() -> impl IntoView {
    let app = App::get();
    let words = Memo::new(move |_| {
        app.link.with(|link| match link {
            LinkState::Away { attempt, reason } => Some((*attempt, reason.clone())),
            LinkState::Connecting | LinkState::Up { .. } => None,
        })
    });
    let text = move || {
        words.get().map(|(attempt, reason)| {
            let reason = reason.unwrap_or_else(|| "The hub does not answer".to_owned());
            let hint = if attempt < 4 {
                "Calling it again. What it has is kept, and jobs go on from where they were."
            } else {
                "Is studio serve still running? If its address or token changed, open the address that it prints."
            };
            view! {
                <div class="banner" data-testid="banner">
                    <span class="spinner" aria-hidden="true"></span>
                    <p><strong>{reason}"."</strong>" "{hint}</p>
                </div>
            }
        })
    };
    view! { <div role="status" aria-live="polite">{text}</div> }
}
