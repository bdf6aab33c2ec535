//! What a person asks of the hub: compile, run, cancel; and what the hub says to that.

use super::App;
use crate::hub::link::{Link, LinkEvent};
use crate::messages::Problem;
use crate::state::job::{Job, Phase};
use crate::state::lab::place::Place;
use crate::state::link::LinkState;
use crate::state::profile::{self, Profile};
use crate::state::prompt::{self, PromptForm};
use crate::state::session::Bundle;
use crate::state::target;
use leptos::prelude::*;
use std::sync::Arc;
use studio_protocol::{
    Artifact, ClientMessage, CompileSpec, DispatchTime, HOST, HubMessage, JobId, JobSpec, Origins, Outcome,
    is_gpu_target,
};

/// The place that a job is shown in.
pub(crate) type JobSlot = RwSignal<Option<Job>>;

impl App {
    pub(super) fn start_link(self) -> Link {
        Link::start(move |event| match event {
            LinkEvent::Message(message) => self.take_from_hub(*message),
            LinkEvent::Away { attempt, reason } => self.link.set(LinkState::Away { attempt, reason }),
        })
    }

    pub(super) fn say(&self, message: &ClientMessage) {
        self.hub.with_value(|link| {
            if let Some(link) = link {
                link.say(message);
            }
        });
    }

    /// Compiles the bundle for a target, where the form says.
    pub(crate) fn start_compile(&self, target: &str, flags: Vec<String>) {
        let Some(bundle) = self.bundle.with_untracked(|bundle| bundle.as_ref().map(|bundle| bundle.hash))
        else {
            return;
        };
        let spec = CompileSpec { bundle, target: target.to_owned(), flags };
        self.submit(self.compile, JobSpec::Compile(spec), &self.compile_place.get_untracked());
    }

    /// Runs the prompt form; gives what is wrong with it.
    pub(crate) fn start_run(&self) -> Result<(), Vec<(prompt::Field, String)>> {
        let bundle = self.bundle.get_untracked();
        let place = self.run_place.get_untracked();
        // A module is for the machine that compiled it: others take their own, those that were made for them.
        let target = untrack(|| self.target());
        let module = self.compile.with_untracked(|job| {
            let compiled_on = job.as_ref().and_then(|job| job.runner.as_deref());
            target::runs_here(&target) && compiled_on.is_some_and(|name| place.name() == Some(name))
        });
        let module = if module { untrack(|| self.module()).map(|module| module.blake3) } else { None };
        let Some(bundle) = bundle else { return Ok(()) };
        let cores = self
            .link
            .with_untracked(|link| place.meant(link.runners()).iter().map(|runner| runner.info.cores).min());
        let mut form = self.prompt.get_untracked();
        if bundle.is_encoder() {
            // What it can't be asked for has no field.
            form.max_tokens = PromptForm::default().max_tokens;
        }
        let mut spec = form.check(bundle.hash, module, bundle.has_chat_template, cores)?;
        spec.target = Some(target).filter(|target| is_gpu_target(target));
        if let Some(last) = self.run.get_untracked().filter(Job::has_answer) {
            self.past_runs.update(|runs| runs.insert(0, last));
        }
        self.submit(self.run, JobSpec::Run(spec), &place);
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

    /// Asks a job of another runner, or one of the history, to end.
    pub(crate) fn cancel(&self, id: JobId) {
        self.with_jobs(|job| job.id == Some(id) && job.is_live(), |job| job.phase = Phase::Cancelling);
        self.say(&ClientMessage::JobCancel { job: id });
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
            | Outcome::Swept { .. }
            | Outcome::Failed { .. }
            | Outcome::Cancelled => None,
        })
    }

    /// The target that was compiled for, or is.
    pub(crate) fn target(&self) -> String {
        self.compile.with(|job| match job.as_ref().map(|job| &job.spec) {
            Some(JobSpec::Compile(spec)) => spec.target.clone(),
            _ => HOST.to_owned(),
        })
    }

    /// Where the dispatches of the compiled module come from.
    pub(crate) fn origins(&self) -> Memo<Option<Arc<Origins>>> {
        let compile = self.compile;
        Memo::new(move |_| compile.with(|job| profile::origins_of(job.as_ref())))
    }

    /// What the dispatches of the last run took; none where it did not measure that.
    pub(crate) fn dispatch_times(&self) -> Memo<Vec<DispatchTime>> {
        let run = self.run;
        Memo::new(move |_| run.with(|job| profile::times_of(job.as_ref())))
    }

    /// What is known of the time that the graph's parts take.
    pub(crate) fn profile(&self) -> Memo<Option<Profile>> {
        let (origins, run, past) = (self.origins(), self.run, self.past_runs);
        let times =
            Memo::new(move |_| run.with(|run| past.with(|past| profile::last_times(run.as_ref(), past))));
        Memo::new(move |_| Profile::new(origins.get(), times.get()))
    }

    fn submit(&self, slot: JobSlot, spec: JobSpec, place: &Place) {
        self.siblings.update(|jobs| jobs.retain(|job| job.spec.kind() != spec.kind()));
        let (request, terms) = (self.next_number(), self.urgency.get_untracked().on(place.terms(None)));
        slot.set(Some(Job::new(request, spec.clone(), terms.clone())));
        self.say(&ClientMessage::JobSubmit { request, spec, terms });
    }

    fn slots(&self) -> [JobSlot; 4] {
        [self.compile, self.run, self.sweep, self.looked_at]
    }

    /// Changes the jobs that a test picks, wherever they are shown, and no other signal.
    fn with_jobs(&self, pick: impl Fn(&Job) -> bool, change: impl Fn(&mut Job)) {
        for slot in self.slots() {
            if slot.with_untracked(|job| job.as_ref().is_some_and(&pick)) {
                slot.update(|job| job.iter_mut().for_each(&change));
            }
        }
        for list in [self.siblings, self.measured] {
            if list.with_untracked(|jobs| jobs.iter().any(&pick)) {
                list.update(|jobs| jobs.iter_mut().filter(|job| pick(job)).for_each(&change));
            }
        }
    }

    /// All jobs that are followed and not over.
    fn live_jobs(&self) -> Vec<Job> {
        let slots = self.slots().into_iter().filter_map(|slot| slot.get_untracked());
        slots
            .chain(self.siblings.get_untracked())
            .chain(self.measured.get_untracked())
            .filter(Job::is_live)
            .collect()
    }

    /// The hub took a job, or one for each of several runners.
    fn accept(&self, request: u64, first: JobId, all: &[JobId]) {
        let is_it = |job: &&Job| job.request == request;
        let slotted = self
            .slots()
            .into_iter()
            .find_map(|slot| slot.with_untracked(|job| job.as_ref().filter(is_it).cloned()));
        let listed = self
            .measured
            .with_untracked(|jobs| jobs.iter().find(is_it).cloned())
            .map(|job| (self.measured, job));
        let found = slotted.map(|job| (self.siblings, job)).or(listed);
        self.with_jobs(|job| job.request == request, |job| job.accept(first));
        self.repeat_cancel(request);
        let Some((list, asked)) = found else { return };
        let others: Vec<Job> = all
            .iter()
            .filter(|id| **id != first)
            .map(|id| {
                let mut job = Job::new(self.next_number(), asked.spec.clone(), asked.terms.clone());
                job.accept(*id);
                job
            })
            .collect();
        if !others.is_empty() {
            list.update(|jobs| jobs.extend(others));
        }
    }

    fn take_from_hub(&self, message: HubMessage) {
        match message {
            HubMessage::Welcome { hub, free_disk_bytes, runners, .. } => {
                self.link.set(LinkState::Up { hub, free_disk_bytes, runners });
                // What was asked before has no answer any more.
                self.asked.update_value(std::collections::HashMap::clear);
                self.say(&ClientMessage::RunnersWatch);
                self.take_jobs_up();
            }
            HubMessage::Runners { runners } => self.link.update(|link| {
                if let LinkState::Up { runners: known, .. } = link {
                    *known = runners;
                }
            }),
            HubMessage::JobAccepted { request, job, jobs } => {
                self.accept(request, job, &jobs);
                self.take_accepted(request, job);
            }
            HubMessage::JobEvent { job: id, seq, event } => {
                self.with_jobs(|job| job.id == Some(id), |job| job.take(seq, event.clone()));
                self.note_event(id, &event);
            }
            HubMessage::Error { request: Some(request), error, .. } => {
                let problem = Problem::from(error);
                self.with_jobs(|job| job.request == request, |job| job.refuse(problem.clone()));
                self.take_refusal(request, problem);
            }
            HubMessage::Jobs { request, jobs, more } => self.take_list(request, jobs, more),
            HubMessage::Job { request, record } => self.take_record(request, *record),
            HubMessage::Done { request } => self.take_done(request),
            HubMessage::Invitation { token, .. } => self.token.set(Some(token)),
            HubMessage::Error { job: Some(id), error, .. } => self.lose_job(id, error.into()),
            // An error about nothing in particular comes before a close, which tells it. Uploads go over the
            // worker's own connection.
            HubMessage::Error { .. }
            | HubMessage::UploadState { .. }
            | HubMessage::UploadAck { .. }
            | HubMessage::UploadDone { .. } => {}
            // What only runners are told.
            HubMessage::Joined { .. }
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
        for job in self.live_jobs() {
            match job.id {
                Some(id) => self.say(&ClientMessage::JobWatch { job: id, after: job.last_seq }),
                None => self.say(&ClientMessage::JobSubmit {
                    request: job.request,
                    spec: job.spec,
                    terms: job.terms,
                }),
            }
            if let (Phase::Cancelling, Some(job)) = (job.phase, job.id) {
                self.say(&ClientMessage::JobCancel { job });
            }
        }
    }

    fn lose_job(&self, id: JobId, problem: Problem) {
        self.with_jobs(|job| job.id == Some(id), |job| job.refuse(problem.clone()));
    }
}
