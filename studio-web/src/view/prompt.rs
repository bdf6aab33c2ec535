//! What the model is asked, and the buttons that begin and end a run.

use super::field::{TextField, Tickbox};
use super::lab::{Picker, UrgencyFields};
use crate::page::App;
use crate::state::job::{Job, Phase};
use crate::state::prompt::{Field, PromptForm};
use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// The prompt form.
#[component]
pub(crate) fn PromptPanel() -> impl IntoView {
    let app = App::get();
    let errors = RwSignal::new(Vec::<(Field, String)>::new());
    let live = Memo::new(move |_| app.run.with(|job| job.as_ref().is_some_and(Job::is_live)));
    let stopping = Memo::new(move |_| {
        app.run.with(|job| job.as_ref().is_some_and(|job| job.phase == Phase::Cancelling))
    });
    let can = Memo::new(move |_| app.link.with(|link| link.is_up()) && app.module().is_some());
    let template = Memo::new(move |_| {
        app.bundle.with(|bundle| bundle.as_ref().is_some_and(|bundle| bundle.has_chat_template))
    });
    let embeds = Memo::new(move |_| app.embeds());
    let chat = Memo::new(move |_| template.get() && app.prompt.with(|form| form.chat));
    let cores = Memo::new(move |_| {
        let place = app.run_place.get();
        app.link.with(|link| place.meant(link.runners()).iter().map(|runner| runner.info.cores).min())
    });
    let positions =
        Memo::new(move |_| app.bundle.with(|bundle| bundle.as_ref().map(|bundle| bundle.positions())));

    let error = move |field: Field| {
        Signal::derive(move || {
            errors.with(|errors| errors.iter().find(|(of, _)| *of == field).map(|(_, words)| words.clone()))
        })
    };
    let value = move |read: fn(&PromptForm) -> String| Signal::derive(move || app.prompt.with(read));
    let set = move |write: fn(&mut PromptForm, String)| {
        move |text| {
            app.prompt.update(|form| write(form, text));
            errors.update(Vec::clear);
        }
    };
    let run = move || {
        if can.get_untracked() && !live.get_untracked() {
            errors.set(app.start_run().err().unwrap_or_default());
        }
    };
    let keys = move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" if event.ctrl_key() || event.meta_key() => {
            event.prevent_default();
            run();
        }
        "Escape" if live.get_untracked() => app.cancel_job(app.run),
        _ => {}
    };
    let submit = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        run();
    };
    let template_help = move || match (template.get(), chat.get()) {
        (false, _) => "This model brings none: the text is continued as it is.",
        (true, true) => "The prompt is a user’s turn and the model answers.",
        (true, false) => "The text is continued as it is.",
    };
    let set_system = set(|form, text| form.system = text);
    let set_text = set(|form, text| form.text = text);
    view! {
        <form class="prompt" on:submit=submit on:keydown=keys>
            <Show when=move || chat.get()>
                <div class="field">
                    <label for="system">"System prompt"</label>
                    <input id="system" data-testid="system" type="text" autocomplete="off"
                        placeholder="None: the template’s own, if it has one"
                        prop:value=move || app.prompt.with(|form| form.system.clone())
                        on:input=move |event| set_system(event_target_value(&event))/>
                </div>
            </Show>
            <div class="field" class:wrong=move || error(Field::Text).get().is_some()>
                <label for="prompt">{move || if embeds.get() { "Text" } else { "Prompt" }}</label>
                <textarea id="prompt" data-testid="prompt" rows="3" aria-describedby="prompt-help"
                    placeholder=move || match (embeds.get(), chat.get()) {
                        (true, _) => "A text whose vector you want",
                        (false, true) => "What is gravity?",
                        (false, false) => "Once upon a time",
                    }
                    prop:value=move || app.prompt.with(|form| form.text.clone())
                    on:input=move |event| set_text(event_target_value(&event))></textarea>
                <p class="help" id="prompt-help" aria-live="polite">
                    {move || error(Field::Text).get().unwrap_or_else(|| match positions.get() {
                        Some(positions) if embeds.get() => format!("Up to {positions} tokens. Ctrl+Enter runs, Escape stops."),
                        Some(positions) => format!("Prompt and answer together have {positions} positions. Ctrl+Enter runs, Escape stops."),
                        None => "Ctrl+Enter runs, Escape stops.".to_owned(),
                    })}
                </p>
            </div>
            <div class="prompt-row">
                <Show when=move || !embeds.get()>
                <Tickbox id="chat" label="Chat template" help=Signal::derive(move || template_help().to_owned())
                    value=chat disabled=Signal::derive(move || !template.get())
                    on_change=move |on| app.prompt.update(|form| form.chat = on)/>
                <TextField id="max-tokens" label="Most tokens" help="It may end earlier"
                    value=value(|form| form.max_tokens.clone()) on_input=set(|form, text| form.max_tokens = text)
                    error=error(Field::MaxTokens) numeric=true/>
                </Show>
                <TextField id="threads" label="Threads"
                    help=Signal::derive(move || cores.get().map_or_else(String::new, |cores| format!("1 to {cores}")))
                    placeholder=Signal::derive(move || cores.get().map_or_else(|| "all".to_owned(), |cores| format!("all {cores}")))
                    value=value(|form| form.threads.clone()) on_input=set(|form, text| form.threads = text)
                    error=error(Field::Threads) numeric=true/>
                <Tickbox id="profile" label="Time each dispatch" help="Slower; shows where the time goes, also in the graph"
                    value=Signal::derive(move || app.prompt.with(|form| form.profile))
                    on_change=move |on| app.prompt.update(|form| form.profile = on)/>
                <Picker id="run-place" place=app.run_place/>
                <div class="go">
                    <Show when=move || live.get() fallback=move || view! {
                        <button class="primary" type="submit" data-testid="run" prop:disabled=move || !can.get()>"Run"</button>
                    }>
                        <button class="danger" type="button" data-testid="stop" prop:disabled=move || stopping.get()
                            on:click=move |_| app.cancel_job(app.run)>
                            {move || if stopping.get() { "Stopping" } else { "Stop" }}
                        </button>
                    </Show>
                </div>
            </div>
            <details class="more" data-testid="run-more"><summary>"More"</summary><UrgencyFields id="run"/></details>
        </form>
    }
}
