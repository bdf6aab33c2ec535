//! How far the export is, with the buttons that begin and end it.

use super::problem::ProblemBox;
use super::progress::Bar;
use crate::messages::{ExportPhase, ExportProgress};
use crate::page::App;
use crate::state::export::{ExportState, Running};
use crate::state::format;
use crate::state::model::PlanState;
use leptos::prelude::*;

/// What is shown, told apart coarsely so that a running export's parts stay in the document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Idle,
    Running,
    Cancelled,
    Failed,
    Done,
}

/// The export's state.
#[component]
pub(crate) fn ExportStatus() -> impl IntoView {
    let app = App::get();
    let stage = Memo::new(move |_| {
        app.export.with(|export| match export {
            ExportState::Idle => Stage::Idle,
            ExportState::Running(_) => Stage::Running,
            ExportState::Cancelled => Stage::Cancelled,
            ExportState::Failed(_) => Stage::Failed,
            ExportState::Done => Stage::Done,
        })
    });
    let said = move || {
        match stage.get() {
        Stage::Idle => view! {}.into_any(),
        Stage::Running => view! { <UnderWay/> }.into_any(),
        Stage::Cancelled => {
            view! { <p class="note" data-testid="export-cancelled">"Cancelled. What was sent is kept on the hub: the same export goes on from there."</p> }
                .into_any()
        }
        Stage::Failed => app
            .export
            .with_untracked(|export| match export {
                ExportState::Failed(problem) => Some(problem.clone()),
                _ => None,
            })
            .map(|problem| view! { <ProblemBox problem testid="export-problem"/> })
            .into_any(),
        Stage::Done => view! { <Finished/> }.into_any(),
    }
    };
    let ready = move || app.plan.with(|plan| matches!(plan, PlanState::Planned(_)));
    let words = move || match stage.get() {
        Stage::Idle | Stage::Running => "Export",
        Stage::Cancelled => "Go on",
        Stage::Failed => "Try again",
        Stage::Done => "Export again",
    };
    view! {
        <div class="status" role="status" aria-live="polite">{said}</div>
        <Show when=move || stage.get() != Stage::Running>
            <button class="primary wide" class:again=move || stage.get() == Stage::Done type="submit" form="export-form" data-testid="export" prop:disabled=move || !ready()>
                {words}
            </button>
        </Show>
    }
}

#[component]
fn UnderWay() -> impl IntoView {
    let app = App::get();
    let read = move |read: fn(&Running) -> String| {
        move || {
            app.export.with(|export| match export {
                ExportState::Running(running) => read(running),
                _ => String::new(),
            })
        }
    };
    let fraction = Signal::derive(move || {
        app.export.with(|export| match export {
            ExportState::Running(running) => match running.done_of() {
                (_, 0) => 0.0,
                (done, all) => done as f64 / all as f64,
            },
            _ => 0.0,
        })
    });
    view! {
        <div class="under-way" data-testid="export-progress">
            <p class="phase">{read(phase)}</p>
            <Bar label="Export" fraction testid="export-bar"/>
            <p class="dim numbers">{read(numbers)}</p>
            <button class="danger" data-testid="export-cancel" on:click=move |_| app.cancel_export()>"Cancel"</button>
        </div>
    }
}

fn phase(running: &Running) -> String {
    match running.progress.as_ref().map(|progress| &progress.phase) {
        _ if running.cancelling => "Cancelling".to_owned(),
        None => "Beginning".to_owned(),
        Some(ExportPhase::Hashing) => "Reading the model to name it by its hash".to_owned(),
        Some(ExportPhase::Sending { file }) => format!("Making and sending {file}"),
        Some(ExportPhase::Reconnecting { .. }) => {
            "The hub is away. Calling it again; what it has is kept".to_owned()
        }
    }
}

fn numbers(running: &Running) -> String {
    let (done, all) = running.done_of();
    let mut words = vec![format!("{} of {}", format::bytes(done), format::bytes(all))];
    if let Some(rate) = running.rate.per_second() {
        words.push(format!("{}/s", format::bytes(rate as u64)));
    }
    if let Some(left) = running.rate.seconds_to(all).filter(|_| done < all) {
        words.push(format!("{} left", format::seconds(left)));
    }
    if let Some(ExportProgress { reused_bytes, memory_bytes, .. }) = &running.progress {
        if *reused_bytes > 0 {
            words.push(format!("{} were on the hub", format::bytes(*reused_bytes)));
        }
        words.push(format!("{} of memory", format::bytes(*memory_bytes)));
    }
    words.join(" · ")
}

#[component]
fn Finished() -> impl IntoView {
    let app = App::get();
    move || {
        app.bundle.get().map(|bundle| {
            let words = format!(
                "{} on the hub after {}",
                format::bytes(bundle.size_bytes()),
                format::millis(bundle.elapsed_ms)
            );
            view! { <p class="verdict good" data-testid="export-done"><span class="dot" aria-hidden="true"></span>{words}</p> }
        })
    }
}
