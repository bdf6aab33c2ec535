//! Tokens in colour, with what there is to know of the one under the pointer or chosen by the arrow keys; and as a table.

use super::is_open;
use crate::messages::{TOKENS_AT_ONCE, TokenAnswer};
use crate::page::App;
use crate::state::format;
use crate::state::tokens::{kind, shown, spaced};
use leptos::prelude::*;
use std::sync::Arc;
use studio_core::tokenizer::{TokenPiece, TokenType};
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement, KeyboardEvent};

/// Colours that neighbours take in turn; `studio.css` has as many.
const HUES: usize = 5;

/// The tokens.
#[component]
pub(super) fn TokenList(
    /// The worker's answer.
    answer: Arc<TokenAnswer>,
    /// Whether the table is open.
    table: RwSignal<bool>,
) -> impl IntoView {
    let chosen = RwSignal::new(None::<usize>);
    let count = answer.pieces.len();
    let token = |(at, piece): (usize, &TokenPiece)| {
        let class = match piece.ty {
            TokenType::Control | TokenType::Unknown => "token special".to_owned(),
            _ => format!("token tint-{}", at % HUES),
        };
        let title = format!("{} · {}", piece.id, spaced(&piece.bytes));
        view! {
            <span class=class role="option" id=format!("token-{at}") data-at=at.to_string() title=title
                aria-selected=move || (chosen.get() == Some(at)).to_string()>{shown(piece)}</span>
        }
    };
    let tokens = answer.pieces.iter().enumerate().map(token).collect_view();
    let point = move |event: Event| {
        if let Some(at) = token_at(&event) {
            chosen.set(Some(at));
        }
    };
    let turn = move |event: KeyboardEvent| {
        let last = count.saturating_sub(1);
        let to = match (event.key().as_str(), chosen.get_untracked()) {
            ("ArrowRight" | "ArrowDown", at) => at.map_or(0, |at| (at + 1).min(last)),
            ("ArrowLeft" | "ArrowUp", at) => at.map_or(0, |at| at.saturating_sub(1)),
            ("Home", _) => 0,
            ("End", _) => last,
            _ => return,
        };
        event.prevent_default();
        chosen.set((count > 0).then_some(to));
        let token = document().get_element_by_id(&format!("token-{to}"));
        if let Some(token) = token.and_then(|token| token.dyn_into().ok()) {
            into_view(&token);
        }
    };
    let details = {
        let answer = answer.clone();
        move || chosen.get().and_then(|at| answer.pieces.get(at).map(|piece| words(&answer, at, piece)))
    };
    view! {
        <Pages answer=answer.clone()/>
        <div class="tokens" data-testid="tokens" role="listbox" tabindex="0" aria-label="Tokens"
            aria-describedby="token-details"
            aria-activedescendant=move || chosen.get().map(|at| format!("token-{at}"))
            on:pointerover=move |event| point(event.into()) on:click=move |event| point(event.into())
            on:keydown=turn>{tokens}</div>
        <p class="help token-details" id="token-details" data-testid="token-details" aria-live="polite">
            {move || details().unwrap_or_else(|| "Point at a token, or go through them with the arrow keys.".to_owned())}
        </p>
        <TokenTable answer open=table/>
    }
}

fn token_at(event: &Event) -> Option<usize> {
    let element: HtmlElement = event.target()?.dyn_into().ok()?;
    element.get_attribute("data-at")?.parse().ok()
}

/// Scrolls the list, and not the page, until the token is seen.
fn into_view(token: &HtmlElement) {
    let Some(frame) = token.parent_element() else { return };
    let (top, bottom) = (token.offset_top(), token.offset_top() + token.offset_height());
    if top < frame.scroll_top() || bottom > frame.scroll_top() + frame.client_height() {
        frame.set_scroll_top(top - frame.client_height() / 2);
    }
}

/// All of a token in a line.
fn words(answer: &TokenAnswer, at: usize, piece: &TokenPiece) -> String {
    let place = format::grouped(answer.first + at as u64 + 1);
    let text = match &piece.text {
        Some(text) => format!("{text:?}"),
        None => "a part of a character".to_owned(),
    };
    let bytes = match piece.bytes.len() / 2 {
        0 => "no bytes".to_owned(),
        1 => format!("byte {}", piece.bytes),
        count => format!("{count} bytes {}", spaced(&piece.bytes)),
    };
    format!("Token {place}: id {}, {}, {text}, {bytes}", piece.id, kind(piece.ty))
}

/// Which of the tokens are shown, where they are too many to be shown at once.
#[component]
fn Pages(
    /// The worker's answer.
    answer: Arc<TokenAnswer>,
) -> impl IntoView {
    let app = App::get();
    let (first, shown, all) = (answer.first, answer.pieces.len() as u64, answer.counts.tokens);
    let go = move |to: u64| app.bench.update(|form| form.first = to);
    let words = match (shown, shown < all) {
        (0, _) => "No tokens".to_owned(),
        (_, false) => format!("All {} tokens", format::grouped(all)),
        (_, true) => format!(
            "Tokens {} to {} of {}",
            format::grouped(first + 1),
            format::grouped(first + shown),
            format::grouped(all)
        ),
    };
    let (is_first, is_last) = (first == 0, first + shown >= all);
    let buttons = (shown < all).then(|| {
        view! {
            <button class="quiet" data-testid="tokens-before" disabled=is_first on:click=move |_| go(first.saturating_sub(TOKENS_AT_ONCE as u64))>"Before"</button>
            <button class="quiet" data-testid="tokens-after" disabled=is_last on:click=move |_| go(first + shown)>"After"</button>
        }
    });
    view! { <div class="row"><p class="dim" role="status" data-testid="token-count">{words}</p>{buttons}</div> }
}

/// The same as a table, built when it is opened.
#[component]
fn TokenTable(
    /// The worker's answer.
    answer: Arc<TokenAnswer>,
    /// Whether it is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let rows = move || {
        let row = |(at, piece): (usize, &TokenPiece)| {
            view! {
                <tr>
                    <td class="num">{format::grouped(answer.first + at as u64 + 1)}</td>
                    <td class="num">{piece.id}</td>
                    <td>{kind(piece.ty)}</td>
                    <td class="mono">{shown(piece)}</td>
                    <td class="mono">{spaced(&piece.bytes)}</td>
                </tr>
            }
        };
        answer.pieces.iter().enumerate().map(row).collect_view()
    };
    view! {
        <details class="more" open=open.get_untracked() on:toggle=move |event| open.set(is_open(&event))>
            <summary data-testid="token-table-open">"As a table"</summary>
            <Show when=move || open.get()>
                <div class="table-frame free" tabindex="0" role="region" aria-label="Tokens as a table">
                    <table class="plain" data-testid="token-table">
                        <thead><tr>
                            <th class="num" scope="col">"Place"</th><th class="num" scope="col">"Id"</th><th scope="col">"Type"</th>
                            <th scope="col">"Text"</th><th scope="col">"Bytes"</th>
                        </tr></thead>
                        <tbody>{rows.clone()}</tbody>
                    </table>
                </div>
            </Show>
        </details>
    }
}
