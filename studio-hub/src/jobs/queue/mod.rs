//! Who works on what: the jobs that are not over, the runners, and each change of either.

mod runners;
mod sweeps;

use super::{
    LOCAL, now_ms,
    runners::{Known, Order},
    tell,
};
use crate::{
    history::{History, HistoryError, Stored},
    store::Store,
};
use runner_agent::targets;
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};
use studio_core::manifest::ModuleEntry;
use studio_protocol::{
    Assignment, ErrorCode, JobEvent, JobId, JobRecord, JobSpec, JobState, ModuleInfo, On, Outcome, Runner,
    RunnerInfo, Terms, WireError,
};
use tokio::sync::watch;

/// Jobs that may wait.
const MAX_WAITING: usize = 1000;

/// How often a job is begun again because its runner was lost. One that is lost every time may be what kills runners.
const MAX_LOSSES: u32 = 1;

/// How long a compilation may take where nobody says.
const COMPILE_TIME_LIMIT_S: u32 = 30 * 60;

/// How long any other job may.
const TIME_LIMIT_S: u32 = 60 * 60;

/// This hub and its version.
const HUB: &str = concat!("studio/", env!("CARGO_PKG_VERSION"));

/// All that changes.
#[derive(Debug)]
pub(super) struct State {
    history: History,
    store: Arc<Store>,
    grace: Duration,
    /// Jobs that are not over.
    live: BTreeMap<JobId, Live>,
    runners: BTreeMap<String, Known>,
    next_job: JobId,
    next_connection: u64,
    changes: watch::Sender<u64>,
}

/// A job that is not over.
#[derive(Debug)]
struct Live {
    job: Stored,
    /// The number of its last event.
    last: watch::Sender<u64>,
}

/// Why a runner's report was not taken.
#[derive(Debug)]
pub(crate) enum ReportError {
    /// The job is not that runner's, or not any more.
    Void,
    /// It can't be kept now; the runner is to say it again.
    Later(WireError),
}

impl Live {
    fn new(job: Stored) -> Self {
        let last = watch::channel(job.record.events).0;
        Self { job, last }
    }

    /// Whether the hub itself does it.
    fn is_sweep(&self) -> bool {
        matches!(self.job.record.spec, JobSpec::Sweep(_))
    }

    fn runner(&self) -> Option<&str> {
        let is_working = self.job.record.state == JobState::Working;
        self.job.record.runner.as_ref().filter(|_| is_working).map(|runner| runner.name.as_str())
    }
}

impl State {
    /// What an earlier hub left.
    pub(super) fn open(
        history: History,
        store: Arc<Store>,
        grace: Duration,
    ) -> Result<(Self, watch::Receiver<u64>), HistoryError> {
        let (changes, changed) = watch::channel(0);
        // Numbers go on from the clock: a client that remembers a job of another data folder finds none by it.
        let next_job = now_ms().max(history.last_job()? + 1);
        let mut runners: BTreeMap<String, Known> = BTreeMap::new();
        for is in history.runners()? {
            runners.insert(is.info.name.clone(), Known::gone(is));
        }
        let live: BTreeMap<_, _> =
            history.unfinished()?.into_iter().map(|job| (job.record.job, Live::new(job))).collect();
        for (id, job) in &live {
            if let Some(runner) = job.runner().and_then(|name| runners.get_mut(name)) {
                runner.job = Some(*id);
            }
        }
        let state = Self { history, store, grace, live, runners, next_job, next_connection: 1, changes };
        Ok((state, changed))
    }

    fn runners_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    pub(super) fn runners(&self) -> Vec<Runner> {
        let (mut ours, mut others) = (Vec::new(), Vec::new());
        for (name, runner) in &self.runners {
            if name == LOCAL { &mut ours } else { &mut others }.push(runner.shown());
        }
        ours.append(&mut others);
        ours
    }

    pub(super) fn last_event(&self, id: JobId) -> Option<watch::Receiver<u64>> {
        self.live.get(&id).map(|job| job.last.subscribe())
    }

    pub(super) fn submit(
        &mut self,
        spec: &JobSpec,
        terms: &Terms,
        model: &str,
    ) -> Result<Vec<JobId>, WireError> {
        let mut places = self.places(terms.on.as_ref())?;
        if matches!(spec, JobSpec::Sweep(_)) {
            // It is one job, whose measurements are each runner's.
            places = vec![terms.on.clone()];
        }
        let waiting = self.live.values().filter(|job| job.job.record.state == JobState::Waiting).count();
        if waiting + places.len() > MAX_WAITING {
            let what = format!("{waiting} jobs wait already, and at most {MAX_WAITING} may");
            return Err(
                WireError::new(ErrorCode::Busy, what).hint("Wait for some of them to end, or cancel some")
            );
        }
        let record = |(job, on): (JobId, Option<On>)| JobRecord {
            job,
            spec: spec.clone(),
            terms: Terms { on, ..terms.clone() },
            state: JobState::Waiting,
            model: model.to_owned(),
            hub: HUB.to_owned(),
            runner: None,
            attempt: 0,
            events: 0,
            created_ms: now_ms(),
            started_ms: None,
            finished_ms: None,
            outcome: None,
        };
        let jobs: Vec<Stored> = (self.next_job..)
            .zip(places)
            .map(record)
            .map(|record| Stored { record, losses: 0, reported: 0, log_bytes: 0 })
            .collect();
        self.history.add(&jobs)?;
        let ids: Vec<JobId> = jobs.iter().map(|job| job.record.job).collect();
        self.next_job += ids.len() as u64;
        for job in jobs {
            self.live.insert(job.record.job, Live::new(job));
        }
        self.dispatch();
        Ok(ids)
    }

    /// Where the jobs go that were asked for.
    fn places(&self, on: Option<&On>) -> Result<Vec<Option<On>>, WireError> {
        let known: Vec<&str> = self.runners.keys().map(String::as_str).collect();
        let nobody = |what: String| {
            Err(WireError::new(ErrorCode::NotFound, what)
                .hint(format!("The runners are {}", known.join(", "))))
        };
        match on {
            Some(On::Runner(name)) if !self.runners.contains_key(name) => {
                nobody(format!("the hub knows no runner {name}"))
            }
            Some(On::Label(label)) if self.runners.values().all(|runner| !runner.is_meant(on)) => {
                nobody(format!("no runner has the label {label}"))
            }
            Some(On::Each(words)) => {
                if let Some(word) =
                    words.iter().find(|word| self.runners.values().all(|runner| !runner.is_called(word)))
                {
                    return nobody(format!("no runner has the name or label {word}"));
                }
                let there = |runner: &&Known| runner.is_connected(None) && runner.is_meant(on);
                let names = self.runners.values().filter(there).map(|runner| runner.is.info.name.clone());
                let places: Vec<_> = names.map(|name| Some(On::Runner(name))).collect();
                if places.is_empty() {
                    nobody("none of the runners is there now".to_owned())
                } else {
                    Ok(places)
                }
            }
            other => Ok(vec![other.cloned()]),
        }
    }

    /// Gives waiting jobs to idle runners.
    pub(super) fn dispatch(&mut self) {
        let mut waiting: Vec<(Reverse<i32>, JobId)> = self
            .live
            .iter()
            .filter(|(_, job)| job.job.record.state == JobState::Waiting && !job.is_sweep())
            .map(|(id, job)| (Reverse(job.job.record.terms.priority), *id))
            .collect();
        waiting.sort_unstable();
        for (_, id) in waiting {
            let Some(job) = self.live.get(&id) else { continue };
            let record = &job.job.record;
            let can = |runner: &&Known| {
                runner.is_idle()
                    && runner.is_meant(record.terms.on.as_ref())
                    && suits(&runner.is.info, record)
            };
            let Some(name) = self.runners.values().find(can).map(|runner| runner.is.info.name.clone()) else {
                continue;
            };
            if let Err(error) = self.assign(id, &name) {
                tracing::warn!(job = id, "{error}");
                return;
            }
        }
    }

    fn assign(&mut self, id: JobId, name: &str) -> Result<(), HistoryError> {
        let Some(runner) = self.runners.get(name) else { return Ok(()) };
        let info = runner.is.info.clone();
        let started = JobEvent::Started { runner: name.to_owned() };
        self.change(id, vec![started], |job| {
            job.record.state = JobState::Working;
            job.record.attempt += 1;
            job.record.started_ms = Some(now_ms());
            job.record.runner = Some(info.clone());
            job.reported = 0;
        })?;
        let Some(job) = self.live.get(&id) else { return Ok(()) };
        let record = &job.job.record;
        let usual =
            if matches!(record.spec, JobSpec::Compile(_)) { COMPILE_TIME_LIMIT_S } else { TIME_LIMIT_S };
        let assignment = Assignment {
            job: id,
            attempt: record.attempt,
            spec: record.spec.clone(),
            modules: self.modules(&record.spec, &info),
            time_limit_s: record.terms.time_limit_s.unwrap_or(usual),
        };
        if let Some(runner) = self.runners.get_mut(name) {
            runner.job = Some(id);
            // Where it can't be told it has gone, and comes back, or is given up like any that went.
            runner.tell(Order::Begin(Box::new(assignment)));
        }
        self.runners_changed();
        Ok(())
    }

    /// The module that a job names; where it names none and the runner can't compile, one for its architecture.
    fn modules(&self, spec: &JobSpec, runner: &RunnerInfo) -> Vec<ModuleInfo> {
        if matches!(spec, JobSpec::Compile(_)) {
            return Vec::new();
        }
        let Some(bundle) = spec.bundle() else { return Vec::new() };
        let known = self.store.known_modules(bundle).unwrap_or_default();
        let info = |entry: &ModuleEntry| {
            let blake3 = entry.file.blake3.parse().ok()?;
            Some(ModuleInfo {
                artifact: self.store.artifact(&blake3).ok()??,
                target: entry.target.clone(),
                compiler: entry.compiler.clone(),
                flags: entry.flags.clone(),
                cpu_features: entry.cpu_features.clone(),
            })
        };
        let fits = |entry: &&ModuleEntry| {
            targets::architecture(&entry.target) == Some(runner.arch.as_str())
                && entry.cpu_features.iter().all(|feature| runner.features.contains(feature))
        };
        // Newest first. A runner with a compiler makes its own.
        let all = || known.iter().rev().map(|known| &known.entry);
        let for_processor =
            || all().filter(|_| runner.compiler.is_none()).filter(fits).filter_map(info).collect::<Vec<_>>();
        let Some(named) = spec.module() else {
            // What a graphics processor computes is held against the processor's module.
            let wanted = spec.target().filter(|target| targets::is_vulkan(target));
            let compiled = all().filter(|entry| wanted == Some(&entry.target)).find_map(info);
            return compiled.into_iter().chain(for_processor()).collect();
        };
        let text = named.to_string();
        if let Some(known) = known.iter().find(|known| known.entry.file.blake3 == text) {
            let more = if targets::is_vulkan(&known.entry.target) { for_processor() } else { Vec::new() };
            return info(&known.entry).into_iter().chain(more).collect();
        }
        // One that was uploaded: nobody knows what it needs.
        let artifact = self.store.artifact(named).ok().flatten();
        let unknown = |artifact| ModuleInfo {
            artifact,
            target: "host".to_owned(),
            compiler: String::new(),
            flags: Vec::new(),
            cpu_features: Vec::new(),
        };
        artifact.map(unknown).into_iter().collect()
    }

    /// Changes a job and adds events, in the history first.
    fn change(
        &mut self,
        id: JobId,
        events: Vec<JobEvent>,
        change: impl FnOnce(&mut Stored),
    ) -> Result<(), HistoryError> {
        let Some(live) = self.live.get_mut(&id) else { return Ok(()) };
        let mut job = live.job.clone();
        change(&mut job);
        let kept: Vec<JobEvent> =
            events.into_iter().filter_map(|event| tell::kept(&mut job, event)).collect();
        job.record.events += kept.len() as u64;
        let end = kept.last().and_then(|event| match event {
            JobEvent::Finished { outcome } => Some(outcome.clone()),
            _ => None,
        });
        let is_over = end.is_some();
        if is_over {
            job.record.state = JobState::Over;
            job.record.finished_ms = Some(now_ms());
            job.record.outcome = end;
        }
        self.history.update(&job, &kept)?;
        let last = job.record.events;
        live.job = job;
        live.last.send_replace(last);
        if is_over {
            self.live.remove(&id);
        }
        Ok(())
    }

    fn finish(&mut self, id: JobId, outcome: Outcome) -> Result<(), HistoryError> {
        self.change(id, vec![JobEvent::Finished { outcome }], |_| {})
    }

    /// Ends a job, if it is not over; `false` if it is, or was never there.
    pub(super) fn cancel(&mut self, id: JobId) -> Result<bool, WireError> {
        let Some(job) = self.live.get(&id) else { return Ok(false) };
        if job.is_sweep() {
            self.cancel_sweep(id)?;
            return Ok(true);
        }
        let name = job.runner().map(str::to_owned);
        if let Some(runner) = name.and_then(|name| self.runners.get_mut(&name)) {
            if runner.tell(Order::Stop(id)) {
                return Ok(true);
            }
            // It learns it when it comes back.
            runner.job = None;
        }
        self.finish(id, Outcome::Cancelled)?;
        self.runners_changed();
        Ok(true)
    }

    /// A runner that worked on a job is lost: the job waits again, or has failed if that happened before.
    fn lost(&mut self, id: JobId, reason: &str) -> Result<(), HistoryError> {
        let Some(job) = self.live.get(&id) else { return Ok(()) };
        if job.job.losses >= MAX_LOSSES {
            let what = format!("{reason}, and a job is begun again once only");
            let error = WireError::new(ErrorCode::RunnerLost, what)
                .hint("If the job itself ends the runner, as for want of memory, it would again. Else ask for it anew");
            return self.finish(id, Outcome::Failed { error });
        }
        let has_begun = job.job.reported > 0;
        let requeued = JobEvent::Requeued { reason: reason.to_owned() };
        self.change(id, vec![requeued], |job| {
            job.record.state = JobState::Waiting;
            job.losses += u32::from(has_begun);
        })
    }

    /// Takes jobs from runners that are away for too long.
    pub(super) fn give_up_on_the_lost(&mut self) -> Result<(), HistoryError> {
        let now = Instant::now();
        let is_lost = |runner: &&mut Known| {
            !runner.is_connected(None)
                && runner.job.is_some()
                && now.duration_since(runner.gone_since) > self.grace
        };
        let lost: Vec<(String, JobId)> = self
            .runners
            .values_mut()
            .filter(is_lost)
            .filter_map(|runner| Some((runner.is.info.name.clone(), runner.job?)))
            .collect();
        for (name, id) in &lost {
            let reason = format!("the runner {name} was away for more than {} s", self.grace.as_secs());
            self.lost(*id, &reason)?;
            if let Some(runner) = self.runners.get_mut(name) {
                runner.job = None;
            }
        }
        if !lost.is_empty() {
            self.runners_changed();
        }
        Ok(())
    }

    pub(super) fn prune(&self, kept: u32) -> Result<(), HistoryError> {
        self.history.prune(kept).map(drop)
    }
}

/// Whether a runner has what a job takes. One that is named gets its job all the same, and says itself what it lacks.
fn suits(runner: &RunnerInfo, record: &JobRecord) -> bool {
    if !matches!(record.terms.on, Some(On::Label(_))) {
        return true;
    }
    let compiles = matches!(record.spec, JobSpec::Compile(_));
    let on_gpu = !compiles && record.spec.target().is_some_and(targets::is_vulkan);
    (!compiles || runner.compiler.is_some())
        && (record.spec.model().is_none() || runner.eager.is_some())
        && (!on_gpu || !runner.gpus.is_empty())
}
