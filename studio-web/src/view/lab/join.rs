//! How another machine joins.

use super::copy::Copy;
use crate::page::App;
use crate::state::lab::place::join_command;
use leptos::prelude::*;

/// The command, ready to paste.
#[component]
pub(super) fn Join() -> impl IntoView {
    let app = App::get();
    let origin = window().location().origin().unwrap_or_default();
    let port = window().location().port().unwrap_or_default();
    let command = {
        let origin = origin.clone();
        Signal::derive(move || {
            app.token
                .with(|token| token.as_ref().map(|token| join_command(&origin, token)).unwrap_or_default())
        })
    };
    let shown = RwSignal::new(false);
    // Somebody may look over a shoulder.
    let text = move || match shown.get() {
        true => command.get(),
        false => join_command(&origin, "••••••••"),
    };
    let forward = format!("ssh -N -L {port}:127.0.0.1:{port} THIS-HUB");
    let forward_text = forward.clone();
    view! {
        <section class="panel" aria-labelledby="join-title" data-testid="join">
            <h2 id="join-title">"Add a machine"</h2>
            <p class="help">"Run this there. "<code>"--name NAME"</code>" and "<code>"--label LABEL"</code>" say what it is called; "<code>"studio join"</code>" does the same."</p>
            <div class="command">
                <code data-testid="join-command">{text}</code>
                <button type="button" class="quiet" data-testid="join-show" aria-pressed=move || shown.get().to_string()
                    on:click=move |_| shown.update(|shown| *shown = !*shown)>
                    {move || if shown.get() { "Hide token" } else { "Show token" }}
                </button>
                <Copy text=command testid="join-copy"/>
            </div>
            <p class="help">"This hub listens on its own machine only. From another one, let ssh carry the port first:"</p>
            <div class="command">
                <code>{forward}</code>
                <Copy text=Signal::derive(move || forward_text.clone()) testid="forward-copy"/>
            </div>
            <p class="help">"Keep the token as you keep a password: whoever has it can run code on every runner."</p>
        </section>
    }
}
