//! The tokenizer bench: a text or a conversation, its tokens in colour, what there is to know of each.

mod conversation;
mod list;

use super::field::{Segments, Tickbox};
use super::problem::ProblemBox;
use crate::messages::TokenAnswer;
use crate::page::App;
use crate::state::format;
use crate::state::tokens::Input;
use conversation::Conversation;
use leptos::prelude::*;
use list::TokenList;
use std::sync::Arc;
use wasm_bindgen::JsCast;

/// What is folded out: an answer is shown anew at each key, and what a person opened stays open.
#[derive(Clone, Copy, Default)]
struct Folds {
    table: RwSignal<bool>,
    rendered: RwSignal<bool>,
}

/// The bench.
#[component]
pub(crate) fn TokenBench() -> impl IntoView {
    let app = App::get();
    // Typing asks; so does another model, for which the bench is built anew.
    Effect::new(move |_| {
        app.bench.track();
        app.ask_for_tokens();
    });
    let has_template = Memo::new(move |_| {
        app.model.with(|model| model.open().is_some_and(|(_, card)| card.has_chat_template))
    });
    let input = Memo::new(move |_| app.bench.with(|form| form.input));
    let choices = vec![
        (Input::Text, "text", "A text as it is."),
        (Input::Chat, "conversation", "Turns, rendered by the model’s chat template."),
    ];
    let form = move || {
        match (input.get(), has_template.get()) {
        (Input::Text, _) => view! { <Text/> }.into_any(),
        (Input::Chat, true) => view! { <Conversation/> }.into_any(),
        (Input::Chat, false) => view! {
            <p class="note" data-testid="no-template">
                "This model brings no chat template (tokenizer.chat_template): below are the tokens of the text."
            </p>
        }
        .into_any(),
    }
    };
    let folds = Folds::default();
    let body = move || {
        let answer = app.tokens.with(|tokens| tokens.answer.clone());
        match answer {
            None => view! { <p class="working" role="status">"Reading the vocabulary"</p> }.into_any(),
            Some(Err(problem)) => view! { <ProblemBox problem testid="tokens-problem"/> }.into_any(),
            Some(Ok(answer)) => view! { <Answer answer folds/> }.into_any(),
        }
    };
    view! {
        <div class="bench" data-testid="bench">
            <div class="bench-form">
                <div>
                    <Segments name="bench" label="What is encoded" choices value=input
                        on_change=move |input| app.change_bench(|form| form.input = input)/>
                </div>
                {form}
            </div>
            <div class="bench-found" aria-busy=move || app.tokens.with(|tokens| tokens.is_waiting()).to_string()>{body}</div>
        </div>
    }
}

/// A text, and which special tokens it is given.
#[component]
fn Text() -> impl IntoView {
    let app = App::get();
    view! {
        <div class="field">
            <label for="token-text">"Text"</label>
            <textarea id="token-text" data-testid="token-text" rows="5" spellcheck="false"
                prop:value=move || app.bench.with(|form| form.text.clone())
                on:input=move |event| app.change_bench(|form| form.text = event_target_value(&event))></textarea>
        </div>
        <Tickbox id="parse-special" label="Read control tokens" help="<|im_start|> in the text becomes that token"
            value=Signal::derive(move || app.bench.with(|form| form.parse_special))
            on_change=move |on| app.change_bench(|form| form.parse_special = on)/>
        <Tickbox id="add-special" label="Add what begins and ends a text" help="The tokens that the model wants around a text, if it wants any"
            value=Signal::derive(move || app.bench.with(|form| form.add_special))
            on_change=move |on| app.change_bench(|form| form.add_special = on)/>
    }
}

/// Whether what was folded is open now.
fn is_open(event: &web_sys::Event) -> bool {
    let details: Option<web_sys::Element> = event.target().and_then(|target| target.dyn_into().ok());
    details.is_some_and(|details| details.has_attribute("open"))
}

/// What became of it.
#[component]
fn Answer(
    /// The worker's answer.
    answer: Arc<TokenAnswer>,
    /// What is folded out.
    folds: Folds,
) -> impl IntoView {
    let counts = answer.counts;
    let ratio = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:.2}"));
    let mut facts = vec![
        ("Tokens", format::grouped(counts.tokens), "tokens"),
        ("Bytes a token", ratio(counts.bytes_a_token()), "bytes-a-token"),
        ("Tokens a word", ratio(counts.tokens_a_word()), "tokens-a-word"),
        ("Control tokens", format::grouped(counts.control), "control"),
        ("Different tokens", format::grouped(counts.distinct), "distinct"),
        ("Bytes", format::grouped(counts.bytes), "bytes"),
        ("Characters", format::grouped(counts.characters), "characters"),
        ("Vocabulary", format::grouped(answer.vocabulary_size), "vocabulary"),
    ];
    if counts.unknown > 0 {
        facts.insert(4, ("Unknown", format::grouped(counts.unknown), "unknown"));
    }
    let facts = facts
        .into_iter()
        .map(|(label, value, id)| {
            view! { <div><dt>{label}</dt><dd data-testid=format!("count-{id}")>{value}</dd></div> }
        })
        .collect_view();
    let rendered = answer.rendered.clone().map(|text| {
        view! {
            <details class="more" open=folds.rendered.get_untracked() on:toggle=move |event| folds.rendered.set(is_open(&event))>
                <summary>"The rendered template"</summary>
                <pre class="log" data-testid="rendered" tabindex="0">{text}</pre>
            </details>
        }
    });
    view! {
        <dl class="facts" data-testid="counts">{facts}</dl>
        <TokenList answer table=folds.table/>
        {rendered}
    }
}
