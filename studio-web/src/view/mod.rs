//! What a person sees: one component a file.

#![expect(unreachable_pub, reason = "`#[component]` makes the types of properties public")]

mod banner;
mod bundle;
mod card;
mod compare;
mod compile;
mod dispatches;
mod drop;
mod elapsed;
mod export;
mod export_status;
mod field;
mod formats;
mod graph;
mod header;
mod icon;
mod lab;
mod latency;
mod log;
mod measure;
mod metadata;
mod model;
mod module;
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
mod sweep;
mod tensors;
mod timings;
mod tokens;
mod vector;

use crate::page::App;
use crate::state::lab::route::Route;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// The whole page.
#[component]
pub(crate) fn Page() -> impl IntoView {
    provide_context(App::start());
    provide_context(drop::Over::default());
    let app = App::get();
    let is_lab = Memo::new(move |_| app.route.with(Route::is_lab));
    follow_steps(is_lab);
    // Not by the address, which says what part of the page is shown.
    let skip = move |event: web_sys::MouseEvent| {
        event.prevent_default();
        let id = if is_lab.get_untracked() { "lab" } else { "main" };
        if let Some(main) =
            document().get_element_by_id(id).and_then(|main| main.dyn_into::<HtmlElement>().ok())
        {
            drop(main.focus());
        }
    };
    view! {
        <a class="skip" href="#main" on:click=skip>"Skip to the content"</a>
        <header::Header/>
        <banner::Banner/>
        <drop::DropAnywhere/>
        <main id="main" tabindex="-1" prop:hidden=move || is_lab.get()>
            <model::Model/>
            <export::Export/>
            <compile::Compile/>
            <run::Run/>
            <measure::Measure/>
            <bundle::Download/>
        </main>
        <lab::Lab/>
        <footer class="foot">
            <p>
                "Everything happens on this machine and its hub. The page talks to no other host."
            </p>
        </footer>
    }
}

/// A link from the lab to a step finds it hidden still: it is shown, then scrolled to.
fn follow_steps(is_lab: Memo<bool>) {
    Effect::new(move |was: Option<bool>| {
        let is_lab = is_lab.get();
        if was == Some(true) && !is_lab {
            request_animation_frame(|| {
                let hash = window().location().hash().unwrap_or_default();
                if let Some(step) = document().get_element_by_id(hash.trim_start_matches('#')) {
                    step.scroll_into_view();
                }
            });
        } else if is_lab && was != Some(true) {
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
        is_lab
    });
}
