//! A sweep from its beginning, or from where it was when a hub ended, to its end.

use super::{
    blocking, group,
    make::{NotMade, make},
    turn::Turn,
};
use crate::jobs::Jobs;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use studio_core::options::{ExportOptions, Form};
use studio_protocol::{
    BenchSpec, Combination, ErrorCode, Hash, JobEvent, JobFilter, JobId, JobRecord, JobSpec, JobState,
    Measured, Outcome, SweepReport, SweepSpec, Terms, WireError,
};
use tokio::sync::watch;

/// How long to wait before events are told again that could not be kept.
const RETRY: Duration = Duration::from_secs(1);

/// How long to wait for room, on the disk or in the queue, before it is looked again.
const ROOM: Duration = Duration::from_secs(5);

/// How often it is looked whether somebody is there for a job.
const LOOK: Duration = Duration::from_secs(1);

/// Jobs of a group, and events, that are read at once.
const BATCH: u32 = 200;

/// A sweep under way.
pub(super) struct Conductor {
    jobs: Arc<Jobs>,
    record: JobRecord,
    /// Closed when the sweep is over: somebody cancelled it.
    own: watch::Receiver<u64>,
    turn: Turn,
}

impl Conductor {
    pub(super) fn new(jobs: Arc<Jobs>, record: JobRecord, own: watch::Receiver<u64>, turn: Turn) -> Self {
        Self { jobs, record, own, turn }
    }

    /// Carries it out to its end.
    pub(super) async fn run(mut self) {
        let JobSpec::Sweep(spec) = self.record.spec.clone() else { return };
        let id = self.record.job;
        tracing::info!(job = id, "sweeps");
        self.keep(move |jobs| jobs.state().begin_sweep(id)).await;
        let mut tried = self.tried().await;
        for (index, options) in (0_u32..).zip(&spec.combinations) {
            if tried.contains_key(&index) {
                continue;
            }
            let Some(combination) = self.try_one(&spec, index, options).await else { return };
            self.tell(JobEvent::Tried { combination: Box::new(combination.clone()) }).await;
            tried.insert(index, combination);
        }
        let report = SweepReport { combinations: tried.into_values().collect() };
        let outcome = match nothing_measured(&report) {
            Some(error) => Outcome::Failed { error },
            None => Outcome::Swept { report: Box::new(report) },
        };
        self.tell(JobEvent::Finished { outcome }).await;
        tracing::info!(job = id, "swept");
    }

    /// Does something to the history, again and again while it can't be kept there.
    async fn keep(
        &self,
        change: impl Fn(&Arc<Jobs>) -> Result<(), crate::history::HistoryError> + Clone + Send + 'static,
    ) {
        loop {
            let change = change.clone();
            match blocking(&self.jobs, move |jobs| change(jobs)).await {
                Some(Err(error)) => tracing::warn!(job = self.record.job, "{error}"),
                Some(Ok(())) | None => return,
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    async fn tell(&self, event: JobEvent) {
        let id = self.record.job;
        self.keep(move |jobs| jobs.state().tell_of_sweep(id, vec![event.clone()])).await;
    }

    /// What was tried before this hub was started.
    async fn tried(&self) -> BTreeMap<u32, Combination> {
        let id = self.record.job;
        let (mut tried, mut after) = (BTreeMap::new(), 0);
        loop {
            let events = blocking(&self.jobs, move |jobs| jobs.events(id, after, BATCH)).await;
            let Some(Ok(events)) = events else { return tried };
            let Some((last, _)) = events.last() else { return tried };
            after = *last;
            for (_, event) in events {
                if let JobEvent::Tried { combination } = event {
                    tried.insert(combination.index, *combination);
                }
            }
        }
    }

    /// Exports and measures a combination; `None` when the sweep is over.
    async fn try_one(
        &mut self,
        spec: &SweepSpec,
        index: u32,
        options: &serde_json::Value,
    ) -> Option<Combination> {
        let mut combination = Combination { index, bundle: None, error: None, measured: Vec::new() };
        let of = format!("{} of {}", index + 1, spec.combinations.len());
        let options = match serde_json::from_value::<ExportOptions>(options.clone()) {
            Ok(options) => options,
            Err(error) => {
                combination.error = Some(WireError::new(ErrorCode::BadMessage, error.to_string()));
                return Some(combination);
            }
        };
        let words = words(&options);
        self.tell(JobEvent::Step { name: format!("exporting {of}: {words}") }).await;
        let bundle = match self.exported(spec, &options).await? {
            Ok(bundle) => bundle,
            Err(error) => {
                combination.error = Some(error);
                return Some(combination);
            }
        };
        combination.bundle = Some(bundle);
        if self.own.has_changed().is_err() {
            return None;
        }
        self.tell(JobEvent::Step { name: format!("measuring {of}: {words}") }).await;
        match self.asked(bench(spec, bundle)).await? {
            Ok(asked) => {
                for job in asked {
                    combination.measured.push(self.measured(job).await?);
                }
            }
            Err(error) => combination.error = Some(error),
        }
        Some(combination)
    }

    /// Its bundle; while the disk has no room for it, it waits. `None` when the sweep is over.
    async fn exported(
        &mut self,
        spec: &SweepSpec,
        options: &ExportOptions,
    ) -> Option<Result<Hash, WireError>> {
        loop {
            let (model, name, options) = (spec.model, spec.name.clone(), options.clone());
            let made = blocking(&self.jobs, move |jobs| make(&jobs.store, &model, &name, &options)).await?;
            match made {
                Ok(bundle) => return Some(Ok(bundle)),
                Err(NotMade::Refused(error)) => return Some(Err(error)),
                Err(NotMade::NoRoom(words)) => {
                    self.pause(format!("waiting for room on the hub's disk: {words}"), ROOM).await?;
                }
            }
        }
    }

    /// Says what it waits for and lets other sweeps go on for a while; `None` when the sweep is over.
    async fn pause(&mut self, why: String, time: Duration) -> Option<()> {
        self.tell(JobEvent::Step { name: why }).await;
        self.turn.leave();
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            () = until_over(&mut self.own) => return None,
        }
        self.take_turn().await
    }

    /// `None` when the sweep is over first.
    async fn take_turn(&mut self) -> Option<()> {
        tokio::select! {
            () = self.turn.take_again() => Some(()),
            () = until_over(&mut self.own) => None,
        }
    }

    /// The jobs that measure a bundle: those that were asked for before this hub was started, else new ones, for which it
    /// waits while too many jobs wait. `None` when the sweep is over.
    async fn asked(&mut self, spec: BenchSpec) -> Option<Result<Vec<JobId>, WireError>> {
        loop {
            match self.ask(spec.clone()).await? {
                Err(error) if error.code == ErrorCode::Busy => {
                    self.pause(format!("waiting: {}", error.message), ROOM).await?;
                }
                asked => return Some(asked),
            }
        }
    }

    async fn ask(&self, spec: BenchSpec) -> Option<Result<Vec<JobId>, WireError>> {
        let of = group(self.record.job);
        let spec = JobSpec::Bench(spec);
        let terms = Terms { group: Some(of.clone()), ..self.record.terms.clone() };
        blocking(&self.jobs, move |jobs| {
            let mut known = Vec::new();
            let mut filter = JobFilter { group: Some(of), limit: Some(BATCH), ..JobFilter::default() };
            loop {
                let page = jobs.list(&filter)?;
                filter.before = page.jobs.last().map(|record| record.job);
                known.extend(page.jobs.iter().filter(|record| record.spec == spec).map(|record| record.job));
                if !page.more {
                    break;
                }
            }
            known.sort_unstable();
            if known.is_empty() { jobs.submit(&spec, &terms) } else { Ok(known) }
        })
        .await
    }

    /// What came of a job, once it is over; `None` when the sweep is.
    async fn measured(&mut self, job: JobId) -> Option<Measured> {
        let last = blocking(&self.jobs, move |jobs| jobs.state().last_event(job)).await?;
        if let Some(mut last) = last {
            let mut look = tokio::time::interval(LOOK);
            loop {
                tokio::select! {
                    () = until_over(&mut last) => break,
                    () = until_over(&mut self.own) => return None,
                    _ = look.tick() => {}
                }
                let absent = blocking(&self.jobs, move |jobs| jobs.state().is_for_nobody_there(job)).await?;
                if absent && self.turn.is_held() {
                    self.tell(JobEvent::Step { name: format!("waiting for a runner for job {job}") }).await;
                    self.turn.leave();
                } else if !absent {
                    self.take_turn().await?;
                }
            }
            self.take_turn().await?;
        }
        let record = blocking(&self.jobs, move |jobs| jobs.record(job)).await?;
        let lost =
            |error: WireError| Measured { job, runner: String::new(), report: None, error: Some(error) };
        Some(record.map_or_else(lost, |record| {
            debug_assert_eq!(record.state, JobState::Over);
            let (report, error) = match record.outcome {
                Some(Outcome::Benched { report }) => (Some(report), None),
                Some(Outcome::Failed { error }) => (None, Some(error)),
                _ => (None, Some(WireError::new(ErrorCode::RunnerLost, "the job was cancelled"))),
            };
            Measured {
                job,
                runner: record.runner.map(|runner| runner.name).unwrap_or_default(),
                report,
                error,
            }
        }))
    }
}

/// Why nothing was found, if nothing was.
fn nothing_measured(report: &SweepReport) -> Option<WireError> {
    let all = &report.combinations;
    let measured = || all.iter().flat_map(|combination| &combination.measured);
    if measured().any(|one| one.report.is_some()) {
        return None;
    }
    let exported = all.iter().filter_map(|combination| combination.error.as_ref());
    let first = exported.chain(measured().filter_map(|one| one.error.as_ref())).next()?;
    let message = match all.len() {
        1 => format!("the combination was not measured: {}", first.message),
        count => format!("none of the {count} combinations was measured; the first: {}", first.message),
    };
    Some(WireError { message, ..first.clone() })
}

async fn until_over(last: &mut watch::Receiver<u64>) {
    while last.changed().await.is_ok() {}
}

fn bench(spec: &SweepSpec, bundle: Hash) -> BenchSpec {
    BenchSpec {
        bundle,
        module: None,
        target: None,
        eager: None,
        threads: spec.threads.clone(),
        prompt_tokens: spec.prompt_tokens,
        gen_tokens: spec.gen_tokens,
        repeat: spec.repeat,
        position: None,
    }
}

/// A combination in words.
fn words(options: &ExportOptions) -> String {
    let form = match options.form {
        Form::Cpu(_) => "cpu",
        Form::Stablehlo => "stablehlo",
    };
    let weights = serde_json::to_value(options.weights).ok();
    let weights = weights.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
    format!("{form}, {weights}, chunk {}, context {}", options.chunk, options.context)
}
