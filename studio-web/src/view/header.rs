//! The head of the page: its name, the way through it, the hub, the theme.

use super::icon::Mark;
use super::step::steps;
use crate::page::{App, Theme};
use crate::state::lab::place::Place;
use crate::state::lab::route::Route;
use crate::state::link::LinkState;
use leptos::prelude::*;

/// The head of the page.
#[component]
pub(crate) fn Header() -> impl IntoView {
    let app = App::get();
    let list = steps(app)
        .into_iter()
        .map(|(id, title, status)| {
            view! {
                <li>
                    <a href=format!("#{id}") data-testid=format!("nav-{id}") class=move || status.get().class()>
                        <span class="dot" aria-hidden="true"></span>
                        {title}
                        <span class="sr">{move || status.get().words()}</span>
                    </a>
                </li>
            }
        })
        .collect_view();
    let others =
        Memo::new(move |_| app.link.with(|link| Place::All.meant(link.runners()).len().saturating_sub(1)));
    let theme_words = move || match app.theme.get() {
        Theme::System => "Auto",
        Theme::Light => "Light",
        Theme::Dark => "Dark",
    };
    view! {
        <header class="head">
            <div class="head-row">
                <p class="name"><Mark/>"Lowering Studio"</p>
                <nav aria-label="Steps"><ol class="steps">{list}</ol></nav>
                <HubChip/>
                <a class="lab-link" href="#lab/runners" data-testid="nav-lab" aria-current=move || app.route.with(Route::is_lab).then_some("page")>
                    "Lab"
                    {move || Some(others.get()).filter(|others| *others > 0).map(|others| view! { <span class="count" title="Other machines that are there">{others}</span> })}
                </a>
                <button
                    class="quiet theme"
                    data-testid="theme"
                    aria-label=move || format!("Theme: {}. Press for the next one", theme_words())
                    title="Light, dark, or as your system has it"
                    on:click=move |_| app.theme.update(|theme| *theme = theme.next())
                >
                    <span class="theme-disc" aria-hidden="true"></span>
                    <span class="theme-words">{theme_words}</span>
                </button>
            </div>
        </header>
    }
}

/// Who is on the other end.
#[component]
fn HubChip() -> impl IntoView {
    let app = App::get();
    let class = move || {
        app.link.with(|link| match link {
            LinkState::Connecting => "hub waiting",
            LinkState::Up { .. } => "hub up",
            LinkState::Away { .. } => "hub away",
        })
    };
    let words = move || {
        app.link.with(|link| match link {
            LinkState::Connecting => "Connecting".to_owned(),
            LinkState::Away { .. } => "Hub away".to_owned(),
            LinkState::Up { .. } => match link.runner() {
                Some(runner) => format!("{} · {} · {} cores", runner.name, runner.arch, runner.cores),
                None => "Hub, no runner".to_owned(),
            },
        })
    };
    let title = move || {
        app.link.with(|link| match (link, link.runner()) {
            (LinkState::Up { hub, .. }, Some(runner)) => {
                let compiler = match &runner.compiler {
                    Some(compiler) => format!("iree-compile {}", compiler.version),
                    None => "no compiler".to_owned(),
                };
                format!("{hub}\n{}\n{compiler}, IREE runtime {}", runner.cpu, runner.runtime)
            }
            (LinkState::Up { hub, .. }, None) => hub.clone(),
            _ => String::new(),
        })
    };
    view! {
        <p class=class data-testid="hub" title=title role="status">
            <span class="dot" aria-hidden="true"></span>
            <span class="hub-words">{words}</span>
        </p>
    }
}
