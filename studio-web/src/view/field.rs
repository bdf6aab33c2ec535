//! A labelled input with its help and what is wrong with it.

use leptos::prelude::*;

/// A line of text or a number.
#[component]
pub(crate) fn TextField(
    /// Its id, by which tests find it too.
    id: &'static str,
    /// What it is.
    label: &'static str,
    /// What it does.
    #[prop(into)]
    help: Signal<String>,
    /// What stands in it.
    #[prop(into)]
    value: Signal<String>,
    /// What to do when it changes.
    on_input: impl Fn(String) + 'static,
    /// What is wrong with it.
    #[prop(into)]
    error: Signal<Option<String>>,
    /// Whether it takes a number.
    #[prop(optional)]
    numeric: bool,
    /// What stands in it while it is empty.
    #[prop(into, optional)]
    placeholder: Signal<String>,
) -> impl IntoView {
    let help_id = format!("{id}-help");
    let described = help_id.clone();
    view! {
        <div class="field" class:wrong=move || error.with(Option::is_some)>
            <label for=id>{label}</label>
            <input
                id=id
                data-testid=id
                type="text"
                inputmode=if numeric { "numeric" } else { "text" }
                autocomplete="off"
                spellcheck="false"
                autocapitalize="off"
                placeholder=move || placeholder.get()
                aria-describedby=described
                aria-invalid=move || error.with(Option::is_some).to_string()
                prop:value=move || value.get()
                on:input=move |event| on_input(event_target_value(&event))
            />
            <p class="help" id=help_id aria-live="polite">
                {move || error.get().unwrap_or_else(|| help.get())}
            </p>
        </div>
    }
}

/// A box to tick.
#[component]
pub(crate) fn Tickbox(
    /// Its id, by which tests find it too.
    id: &'static str,
    /// What it is.
    #[prop(into)]
    label: Signal<String>,
    /// What it does.
    #[prop(into)]
    help: Signal<String>,
    /// Whether it is ticked.
    #[prop(into)]
    value: Signal<bool>,
    /// What to do when it changes.
    on_change: impl Fn(bool) + 'static,
    /// Whether it cannot be changed.
    #[prop(into, optional)]
    disabled: Signal<bool>,
) -> impl IntoView {
    let help_id = format!("{id}-help");
    let described = help_id.clone();
    view! {
        <div class="tick" class:off=move || disabled.get()>
            <input
                id=id
                data-testid=id
                type="checkbox"
                aria-describedby=described
                prop:checked=move || value.get()
                prop:disabled=move || disabled.get()
                on:change=move |event| on_change(event_target_checked(&event))
            />
            <div>
                <label for=id>{move || label.get()}</label>
                <p class="help" id=help_id>{move || help.get()}</p>
            </div>
        </div>
    }
}
