//! The conversation's turns.

use super::super::field::Tickbox;
use crate::page::App;
use leptos::prelude::*;

const ROLES: [&str; 3] = ["system", "user", "assistant"];

/// The turns, each with who speaks and what is said.
#[component]
pub(super) fn Conversation() -> impl IntoView {
    let app = App::get();
    let keys =
        Memo::new(move |_| app.bench.with(|form| form.turns.iter().map(|turn| turn.key).collect::<Vec<_>>()));
    view! {
        <ol class="turns" data-testid="turns">
            <For each=move || keys.get() key=|key| *key children=move |key| view! { <TurnRow key/> }/>
        </ol>
        <div class="row">
            <button data-testid="add-turn" on:click=move |_| app.change_bench(|form| { form.add_turn(); })>"Add a turn"</button>
        </div>
        <Tickbox id="bench-answer" label="Begin the answer" help="End with what the template writes before the assistant speaks"
            value=Signal::derive(move || app.bench.with(|form| form.answer))
            on_change=move |on| app.change_bench(|form| form.answer = on)/>
    }
}

#[component]
fn TurnRow(
    /// The turn's key.
    key: u64,
) -> impl IntoView {
    let app = App::get();
    let role = Memo::new(move |_| {
        app.bench.with(|form| form.turn(key).map(|turn| turn.role.clone()).unwrap_or_default())
    });
    let content =
        move || app.bench.with(|form| form.turn(key).map(|turn| turn.content.clone()).unwrap_or_default());
    let option = move |name: &'static str| {
        view! { <option value=name prop:selected=move || role.with(|role| role == name)>{name}</option> }
    };
    let set_role = move |event| {
        app.change_bench(|form| {
            if let Some(turn) = form.turn_mut(key) {
                turn.role = event_target_value(&event);
            }
        });
    };
    let set_content = move |event| {
        app.change_bench(|form| {
            if let Some(turn) = form.turn_mut(key) {
                turn.content = event_target_value(&event);
            }
        });
    };
    view! {
        <li class="turn">
            <div class="turn-head">
                <select aria-label="Who speaks" on:change=set_role>{ROLES.map(option).collect_view()}</select>
                <button class="quiet" aria-label=move || format!("Remove this turn of {}", role.get())
                    on:click=move |_| app.change_bench(|form| form.remove_turn(key))>"Remove"</button>
            </div>
            <textarea rows="2" spellcheck="false" aria-label=move || format!("What {} says", role.get())
                prop:value=content on:input=set_content></textarea>
        </li>
    }
}
