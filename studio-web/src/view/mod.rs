//! What a person sees: one component a file.

#![expect(unreachable_pub, reason = "`#[component]` makes the types of properties public")]

mod banner;
mod bundle;
mod card;
mod compare;
mod compile;
mod drop;
mod elapsed;
mod export;
mod export_status;
mod field;
mod formats;
mod graph;
mod header;
mod icon;
mod latency;
mod log;
mod metadata;
mod model;
mod output;
mod past_runs;
mod plan;
mod problem;
mod progress;
mod prompt;
mod run;
mod save;
mod step;
mod survey;
mod tensors;
mod timings;
mod tokens;
mod vector;

use crate::page::App;
use leptos::prelude::*;

/// The whole page.
#[component]
pub(crate) fn Page() -> impl IntoView {
    provide_context(App::start());
    provide_context(drop::Over::default());
    view! {
        <a class="skip" href="#main">"Skip to the model"</a>
        <header::Header/>
        <banner::Banner/>
        <drop::DropAnywhere/>
        <main id="main" tabindex="-1">
            <model::Model/>
            <export::Export/>
            <compile::Compile/>
            <run::Run/>
            <bundle::Download/>
        </main>
        <footer class="foot">
            <p>
                "Everything happens on this machine and its hub. The page talks to no other host."
            </p>
        </footer>
    }
}
