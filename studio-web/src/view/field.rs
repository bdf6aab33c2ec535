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

/// One of a few choices, with what the chosen one means.
#[component]
pub(crate) fn Segments<T: Copy + PartialEq + Send + Sync + 'static>(
    /// What it is called; a choice's id, by which tests find it too, is this, a dash and the choice's name.
    name: &'static str,
    /// What is chosen, for those who hear the page.
    label: &'static str,
    /// Values, names and what they mean.
    choices: Vec<(T, &'static str, &'static str)>,
    /// The chosen value.
    #[prop(into)]
    value: Signal<T>,
    /// What to do when it changes.
    on_change: impl Fn(T) + Copy + 'static,
) -> impl IntoView {
    let meanings: Vec<_> = choices.iter().map(|(choice, _, meaning)| (*choice, *meaning)).collect();
    let meaning =
        move || meanings.iter().find(|(choice, _)| *choice == value.get()).map(|(_, meaning)| *meaning);
    let segment = move |(choice, word, _): (T, &'static str, &'static str)| {
        let id = format!("{name}-{word}");
        view! {
            <div class="segment">
                <input
                    type="radio"
                    name=name
                    id=id.clone()
                    data-testid=id.clone()
                    prop:checked=move || value.get() == choice
                    on:change=move |_| on_change(choice)
                />
                <label for=id>{word}</label>
            </div>
        }
    };
    view! {
        <div class="segments" role="radiogroup" aria-label=label>
            {choices.into_iter().map(segment).collect_view()}
        </div>
        <p class="help">{meaning}</p>
    }
}
