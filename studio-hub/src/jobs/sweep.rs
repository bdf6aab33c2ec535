//! Sweeps. The hub exports a model in one way after another and has each measured by bench jobs before it exports the next, so
//! that exporting takes nothing from what is measured. All that it needs to go on lies in the history: which combinations
//! were tried is told by the sweep's events, and which jobs it asked for by their group and what they are to do. So a sweep
//! goes on where it was when the hub is started again, and needs nobody to watch it.

use super::{Jobs, check, now_ms};
use crate::{
    model::{ModelFiles, Progress, export},
    store::Store,
};
use gguf_file::{FileSource, Gguf};
use std::{collections::BTreeMap, os::unix::fs::symlink, sync::Arc, time::Duration};
use studio_core::{
    export::Export,
    family,
    options::{ExportOptions, Form},
};
use studio_protocol::{
    BenchSpec, Combination, ErrorCode, Hash, JobEvent, JobFilter, JobId, JobRecord, JobSpec, JobState,
    MAX_COMBINATIONS, Measured, Outcome, SweepReport, SweepSpec, Terms, WireError,
};
use tokio::{sync::watch, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

/// How long to wait before events are told again that could not be kept.
const RETRY: Duration = Duration::from_secs(1);

/// Jobs of a group, and events, that are read at once.
const BATCH: u32 = 200;

/// The longest name of a file.
const MAX_NAME_BYTES: usize = 255;

/// The group of the jobs that a sweep asks for.
pub(super) fn group(sweep: JobId) -> String {
    format!("sweep-{sweep}")
}

/// Refuses a sweep that can't be begun; gives its model's name.
pub(super) fn check(store: &Store, spec: &JobSpec) -> Result<String, WireError> {
    let JobSpec::Sweep(spec) = spec else {
        return Err(WireError::new(ErrorCode::Internal, "a job without a bundle"));
    };
    let count = spec.combinations.len();
    if !(1..=MAX_COMBINATIONS).contains(&count) {
        return Err(check::out_of_range(format!(
            "a sweep has 1 to {MAX_COMBINATIONS} combinations, not {count}"
        )));
    }
    for (index, options) in spec.combinations.iter().enumerate() {
        if let Err(error) = serde_json::from_value::<ExportOptions>(options.clone()) {
            return Err(check::out_of_range(format!("combination {index}: {error}")));
        }
    }
    check::measured(&spec.threads, spec.prompt_tokens, spec.gen_tokens, spec.repeat)?;
    let is_name = (1..=MAX_NAME_BYTES).contains(&spec.name.len())
        && ![".", ".."].contains(&spec.name.as_str())
        && !spec.name.contains(['/', '\0']);
    if !is_name {
        return Err(check::out_of_range(format!("{:?} is no file's name", spec.name)));
    }
    let unreadable = |error: std::io::Error| WireError::new(ErrorCode::Io, error.to_string());
    if store.artifact(&spec.model).map_err(unreadable)?.is_none() {
        let what = format!("the hub has no artifact {}", spec.model);
        return Err(WireError::new(ErrorCode::NotFound, what).hint("Upload the GGUF first"));
    }
    let source = FileSource::open(store.artifact_path(&spec.model)).map_err(unreadable)?;
    let no_model = |error: gguf_file::Error| {
        WireError::new(ErrorCode::Corrupt, error.to_string())
            .at(spec.name.clone())
            .hint("A sweep takes a whole GGUF in one file")
    };
    let gguf = Gguf::open(&source).map_err(no_model)?;
    Ok(family::facts(&gguf).name.filter(|name| !name.is_empty()).unwrap_or_else(|| spec.name.clone()))
}

/// Carries out sweeps, one at a time, until `shutdown`.
pub(crate) async fn conduct(jobs: Arc<Jobs>, shutdown: CancellationToken) {
    loop {
        let asked = jobs.sweeps.notified();
        let next = blocking(&jobs, |jobs| jobs.state().next_sweep()).await.flatten();
        let work = async {
            match next {
                Some((record, own)) => Conductor { jobs: Arc::clone(&jobs), record, own }.run().await,
                None => asked.await,
            }
        };
        if shutdown.run_until_cancelled(work).await.is_none() {
            return;
        }
    }
}

async fn blocking<T: Send + 'static>(
    jobs: &Arc<Jobs>,
    work: impl FnOnce(&Arc<Jobs>) -> T + Send + 'static,
) -> Option<T> {
    let jobs = Arc::clone(jobs);
    spawn_blocking(move || work(&jobs)).await.ok()
}

/// A sweep under way.
struct Conductor {
    jobs: Arc<Jobs>,
    record: JobRecord,
    /// Closed when the sweep is over: somebody cancelled it.
    own: watch::Receiver<u64>,
}

/// Tells nobody.
struct Silent;

impl Progress for Silent {
    fn planned(&mut self, _: &Export) {}
    fn made(&mut self, _: &str, _: u64, _: u64) {}
}

impl Conductor {
    async fn run(mut self) {
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
        self.tell(JobEvent::Finished { outcome: Outcome::Swept { report: Box::new(report) } }).await;
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
        let (model, name) = (spec.model, spec.name.clone());
        let exported = blocking(&self.jobs, move |jobs| make(&jobs.store, &model, &name, &options)).await?;
        let bundle = match exported {
            Ok(bundle) => bundle,
            Err(error) => {
                combination.error = Some(WireError::new(ErrorCode::BadMessage, format!("{error:#}")));
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

    /// The jobs that measure a bundle: those that were asked for before this hub was started, else new ones.
    async fn asked(&self, spec: BenchSpec) -> Option<Result<Vec<JobId>, WireError>> {
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
            tokio::select! {
                () = until_over(&mut last) => {}
                () = until_over(&mut self.own) => return None,
            }
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

async fn until_over(last: &mut watch::Receiver<u64>) {
    while last.changed().await.is_ok() {}
}

fn bench(spec: &SweepSpec, bundle: Hash) -> BenchSpec {
    BenchSpec {
        bundle,
        module: None,
        eager: None,
        threads: spec.threads.clone(),
        prompt_tokens: spec.prompt_tokens,
        gen_tokens: spec.gen_tokens,
        repeat: spec.repeat,
        position: None,
    }
}

/// Exports the model and keeps the bundle.
fn make(store: &Store, model: &Hash, name: &str, options: &ExportOptions) -> anyhow::Result<Hash> {
    let folder = tempfile::Builder::new()
        .prefix(&format!("sweep-{}-", now_ms()))
        .tempdir_in(store.temporary_folder())?;
    // Under its own name, which the manifest has.
    let path = folder.path().join(name);
    symlink(std::path::absolute(store.artifact_path(model))?, &path)?;
    let files = ModelFiles::open(&path)?;
    let out = folder.path().join("bundle");
    export(&files, &|_| Ok(options.clone()), &out, &mut Silent)?;
    Ok(store.adopt_bundle(&out)?)
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
