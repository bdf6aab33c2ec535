//! What a person asks of the hub: compile, run, cancel; and what the hub says to that.

use super::App;
use crate::hub::link::{Link, LinkEvent};
use crate::messages::Problem;
use crate::state::job::{Job, Phase};
use crate::state::link::LinkState;
use crate::state::prompt::{self, PromptForm};
use crate::state::session::Bundle;
use leptos::prelude::*;
use studio_protocol::{Artifact, ClientMessage, CompileSpec, HubMessage, JobId, JobSpec, Outcome, Terms};

/// The place that a job is shown in.
pub(crate) type JobSlot = RwSignal<Option<Job>>;

impl App {
    pub(super) fn start_link(self) -> Link {
        Link::start(move |event| match event {
            LinkEvent::Message(message) => self.take_from_hub(*message),
            LinkEvent::Away { attempt, reason } => self.link.set(LinkState::Away { attempt, reason }),
        })
    }

    fn say(&self, message: &ClientMessage) {
        self.hub.with_value(|link| {
            if let Some(link) = link {
                link.say(message);
            }
        });
    }

    /// Compiles the bundle for a target.
    pub(crate) fn start_compile(&self, target: &str, flags: Vec<String>) {
        let Some(bundle) = self.bundle.with_untracked(|bundle| bundle.as_ref().map(|bundle| bundle.hash))
        else {
            return;
        };
        let spec = CompileSpec { bundle, target: target.to_owned(), flags };
        self.submit(self.compile, JobSpec::Compile(spec));
    }

    /// Runs the prompt form; gives what is wrong with it.
    pub(crate) fn start_run(&self) -> Result<(), Vec<(prompt::Field, String)>> {
        let bundle = self.bundle.get_untracked();
        let (Some(bundle), Some(module)) = (bundle, untrack(|| self.module())) else { return Ok(()) };
        let cores = self.link.with_untracked(|link| link.runner().map(|runner| runner.cores));
        let mut form = self.prompt.get_untracked();
        if bundle.is_encoder() {
            // What it can't be asked for has no field.
            form.max_tokens = PromptForm::default().max_tokens;
        }
        let spec = form.check(bundle.hash, module.blake3, bundle.has_chat_template, cores)?;
        if let Some(last) = self.run.get_untracked().filter(Job::has_answer) {
            self.past_runs.update(|runs| runs.insert(0, last));
        }
        self.submit(self.run, JobSpec::Run(spec));
        Ok(())
    }

    /// Asks a job to end.
    pub(crate) fn cancel_job(&self, slot: JobSlot) {
        let id = slot.try_update(|job| {
            let job = job.as_mut().filter(|job| job.is_live())?;
            job.phase = Phase::Cancelling;
            job.id
        });
        if let Some(Some(job)) = id {
            self.say(&ClientMessage::JobCancel { job });
        }
    }

    /// Whether the bundle gives texts' vectors.
    pub(crate) fn embeds(&self) -> bool {
        self.bundle.with(|bundle| bundle.as_ref().is_some_and(Bundle::is_encoder))
    }

    /// The module that the compile job gave.
    pub(crate) fn module(&self) -> Option<Artifact> {
        self.compile.with(|job| match job.as_ref()?.outcome.as_ref()? {
            Outcome::Compiled { module, .. } => Some(module.clone()),
            Outcome::Ran { .. }
            | Outcome::Benched { .. }
            | Outcome::Verified { .. }
            | Outcome::Failed { .. }
            | Outcome::Cancelled => None,
        })
    }

    fn submit(&self, slot: JobSlot, spec: JobSpec) {
        let request = self.next_number();
        slot.set(Some(Job::new(request, spec.clone())));
        self.say(&ClientMessage::JobSubmit { request, spec, terms: Terms::default() });
    }

    fn slots(&self) -> [JobSlot; 2] {
        [self.compile, self.run]
    }

    /// Changes the job that a test picks, and only that one.
    fn with_job(&self, pick: impl Fn(&Job) -> bool, change: impl FnOnce(&mut Job)) {
        for slot in self.slots() {
            if slot.with_untracked(|job| job.as_ref().is_some_and(&pick)) {
                slot.update(|job| {
                    if let Some(job) = job {
                        change(job);
                    }
                });
                return;
            }
        }
    }

    fn take_from_hub(&self, message: HubMessage) {
        match message {
            HubMessage::Welcome { hub, free_disk_bytes, runners, .. } => {
                self.link.set(LinkState::Up { hub, free_disk_bytes, runners });
                self.take_jobs_up();
            }
            HubMessage::JobAccepted { request, job: id, .. } => {
                self.with_job(|job| job.request == request, |job| job.accept(id));
                self.repeat_cancel(request);
            }
            HubMessage::JobEvent { job: id, seq, event } => {
                self.with_job(|job| job.id == Some(id), |job| job.take(seq, event));
            }
            HubMessage::Error { request: Some(request), error, .. } => {
                self.with_job(|job| job.request == request, |job| job.refuse(error.into()));
            }
            HubMessage::Error { job: Some(id), error, .. } => self.lose_job(id, error.into()),
            // An error about nothing in particular comes before a close, which tells it. Uploads go over the
            // worker's own connection.
            HubMessage::Error { .. }
            | HubMessage::UploadState { .. }
            | HubMessage::UploadAck { .. }
            | HubMessage::UploadDone { .. } => {}
            // Answers to what this page doesn't ask, and what only runners are told.
            HubMessage::Jobs { .. }
            | HubMessage::Job { .. }
            | HubMessage::Done { .. }
            | HubMessage::Runners { .. }
            | HubMessage::Invitation { .. }
            | HubMessage::Joined { .. }
            | HubMessage::JobAssign(_)
            | HubMessage::JobAck { .. }
            | HubMessage::JobStop { .. }
            | HubMessage::JobForget { .. } => {}
        }
    }

    /// A job that was cancelled before the hub had named it.
    fn repeat_cancel(&self, request: u64) {
        for slot in self.slots() {
            let id = slot.with_untracked(|job| {
                let job = job.as_ref()?;
                (job.request == request && job.phase == Phase::Cancelling).then_some(job.id)?
            });
            if let Some(job) = id {
                self.say(&ClientMessage::JobCancel { job });
            }
        }
    }

    /// After a connection: watch what the hub has, ask again for what it never answered.
    fn take_jobs_up(&self) {
        for slot in self.slots() {
            let Some(job) = slot.get_untracked().filter(Job::is_live) else { continue };
            match job.id {
                Some(id) => self.say(&ClientMessage::JobWatch { job: id, after: job.last_seq }),
                None => self.say(&ClientMessage::JobSubmit {
                    request: job.request,
                    spec: job.spec,
                    terms: Terms::default(),
                }),
            }
            if let (Phase::Cancelling, Some(job)) = (job.phase, job.id) {
                self.say(&ClientMessage::JobCancel { job });
            }
        }
    }

    fn lose_job(&self, id: JobId, problem: Problem) {
        self.with_job(|job| job.id == Some(id), |job| job.refuse(problem));
    }
}
