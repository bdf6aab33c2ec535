//! What the page keeps in the browser: the session over a reload, the theme for good.

use crate::state::session::Session;
use leptos::prelude::*;
use web_sys::Storage;

const SESSION_KEY: &str = "lowering-studio.session";
const THEME_KEY: &str = "lowering-studio.theme";

/// Dark, light or the system's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Its name in storage and in the document.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// The one that a press on the toggle gives.
    pub(crate) fn next(self) -> Self {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }
}

/// Storage may be switched off: then nothing is kept and nothing is lost but that.
fn session_storage() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

fn local_storage() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

/// What a reload left, or an empty session.
pub(super) fn session() -> Session {
    let text = session_storage().and_then(|storage| storage.get_item(SESSION_KEY).ok().flatten());
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Keeps the session for a reload.
pub(super) fn keep_session(session: &Session) {
    if let (Some(storage), Ok(text)) = (session_storage(), serde_json::to_string(session)) {
        drop(storage.set_item(SESSION_KEY, &text));
    }
}

/// The theme that was chosen.
pub(super) fn theme() -> Theme {
    let name = local_storage().and_then(|storage| storage.get_item(THEME_KEY).ok().flatten());
    match name.as_deref() {
        Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        _ => Theme::System,
    }
}

/// Shows a theme and keeps the choice. `boot.js` shows it before anything is painted.
pub(super) fn keep_theme(theme: Theme) {
    if let Some(root) = document().document_element() {
        drop(root.set_attribute("data-theme", theme.name()));
    }
    if let Some(storage) = local_storage() {
        drop(storage.set_item(THEME_KEY, theme.name()));
    }
}
