//! A step of the way: its panel, and how far it is.

use super::icon::Tick;
use crate::page::App;
use crate::state::export::ExportState;
use crate::state::job::{Job, Phase};
use crate::state::model::ModelState;
use leptos::prelude::*;
use studio_protocol::Outcome;

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Something before it is missing.
    Locked,
    /// It can be done.
    Ready,
    /// It is being done.
    Busy,
    /// It is done.
    Done,
    /// It failed.
    Failed,
}

impl Status {
    /// The class that colours it.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Status::Locked => "locked",
            Status::Ready => "ready",
            Status::Busy => "busy",
            Status::Done => "done",
            Status::Failed => "failed",
        }
    }

    /// The same for those who do not see colours.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Status::Locked => ", not yet",
            Status::Ready => ", ready",
            Status::Busy => ", under way",
            Status::Done => ", done",
            Status::Failed => ", failed",
        }
    }
}

/// The steps: id, title, status.
pub(crate) fn steps(app: App) -> [(&'static str, &'static str, Memo<Status>); 6] {
    let has_bundle = move || app.bundle.with(Option::is_some);
    [
        ("model", "Model", Memo::new(move |_| model_status(app))),
        ("export", "Export", Memo::new(move |_| export_status(app))),
        (
            "compile",
            "Compile",
            Memo::new(move |_| app.compile.with(|job| job_status(job.as_ref(), has_bundle()))),
        ),
        (
            "run",
            "Run",
            Memo::new(move |_| {
                let ready = app.module().is_some();
                app.run.with(|job| job_status(job.as_ref(), ready))
            }),
        ),
        ("measure", "Measure", Memo::new(move |_| measure_status(app, has_bundle()))),
        ("bundle", "Bundle", Memo::new(move |_| if has_bundle() { Status::Ready } else { Status::Locked })),
    ]
}

fn model_status(app: App) -> Status {
    app.model.with(|model| match model {
        ModelState::Empty => Status::Ready,
        ModelState::Reading { .. } => Status::Busy,
        ModelState::Failed { .. } => Status::Failed,
        ModelState::Open { report, .. } if report.card.obstacles.is_empty() => Status::Done,
        ModelState::Open { .. } => Status::Failed,
    })
}

fn export_status(app: App) -> Status {
    app.export.with(|export| match export {
        ExportState::Running(_) => Status::Busy,
        ExportState::Failed(_) => Status::Failed,
        ExportState::Done => Status::Done,
        ExportState::Idle | ExportState::Cancelled => {
            match (app.model.with(|model| model.exportable().is_some()), app.bundle.with(Option::is_some)) {
                (true, _) => Status::Ready,
                (false, true) => Status::Done,
                (false, false) => Status::Locked,
            }
        }
    })
}

fn measure_status(app: App, ready: bool) -> Status {
    app.measured.with(|jobs| {
        let is_over = |job: &Job| job.phase == Phase::Over;
        match jobs {
            _ if !ready => Status::Locked,
            jobs if jobs.iter().any(|job| !is_over(job)) => Status::Busy,
            jobs if jobs.iter().any(|job| job.problem().is_some()) => Status::Failed,
            jobs if jobs.iter().any(|job| !matches!(job.outcome, None | Some(Outcome::Cancelled))) => {
                Status::Done
            }
            _ => Status::Ready,
        }
    })
}

fn job_status(job: Option<&Job>, ready: bool) -> Status {
    match job {
        None if ready => Status::Ready,
        None => Status::Locked,
        Some(job) if job.phase != Phase::Over => Status::Busy,
        Some(job) if job.problem().is_some() => Status::Failed,
        Some(Job { outcome: Some(Outcome::Cancelled), .. }) => Status::Ready,
        Some(_) => Status::Done,
    }
}

/// A step's panel. A locked one shows one line that says what it waits for.
#[component]
pub(crate) fn Step(
    /// Its id in the document.
    id: &'static str,
    /// Its number.
    number: u8,
    /// Its title.
    title: &'static str,
    /// What it is for, in a line.
    lead: &'static str,
    /// What a locked step waits for.
    #[prop(optional)]
    waits_for: &'static str,
    children: ChildrenFn,
) -> impl IntoView {
    let app = App::get();
    let status = steps(app).into_iter().find(|(step, ..)| *step == id).map(|(.., status)| status);
    let status = Memo::new(move |_| status.map_or(Status::Ready, |status| status.get()));
    let locked = Memo::new(move |_| status.get() == Status::Locked);
    let heading = format!("{id}-title");
    let labelled_by = heading.clone();
    view! {
        <section id=id class=move || format!("step {}", status.get().class()) aria-labelledby=labelled_by data-testid=format!("step-{id}")>
            <div class="step-head">
                <span class="number" aria-hidden="true">
                    {move || if status.get() == Status::Done { view! { <Tick/> }.into_any() } else { number.into_any() }}
                </span>
                <h2 id=heading>{title}</h2>
                <p class="lead">{move || if locked.get() { waits_for } else { lead }}</p>
            </div>
            <Show when=move || !locked.get()>
                <div class="step-body">{children()}</div>
            </Show>
        </section>
    }
}
