//! A job as a hub words it, carried out: its files brought here, the work done within its time, the outcome told.

mod files;
mod supply;

pub use supply::{Fetching, Supply};

use crate::{
    CompileJob, EngineCommand, Failure, RunJob, Source, Tools,
    bench::{BenchJob, bench},
    compile, machine, run,
    verify::{VerifyJob, verify},
};
use files::Files;
use std::{path::Path, time::Duration};
use studio_core::manifest::file_name;
use studio_protocol::{
    Artifact, Assignment, BenchSpec, CompileSpec, ErrorCode, JobEvent, JobSpec, Outcome, RunSpec, VerifySpec,
    WireError,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How much memory a compilation may take.
pub const COMPILE_MEMORY_LIMIT_BYTES: u64 = 24 << 30;

/// What the GGUF for llama.cpp is called in a job's folder.
const MODEL: &str = "model.gguf";

/// What carries jobs out, one at a time.
#[derive(Debug)]
pub struct Worker<S> {
    /// Where files come from and go to.
    pub supply: S,
    /// What is installed.
    pub tools: Tools,
    /// How a child that runs a model is started.
    pub engine: EngineCommand,
}

/// A job at work.
struct Task<'a, S> {
    worker: &'a Worker<S>,
    assignment: &'a Assignment,
    events: &'a mpsc::Sender<JobEvent>,
    cancel: &'a CancellationToken,
    scratch: &'a Path,
}

impl<S: Supply> Worker<S> {
    /// Carries a job out to its end, within its time limit. Emits its events but for the first and the last, which are
    /// whoever keeps them to add. Cancelling ends whatever it started.
    pub async fn carry_out(
        &self,
        assignment: &Assignment,
        events: &mpsc::Sender<JobEvent>,
        cancel: &CancellationToken,
    ) -> Outcome {
        let inner = cancel.child_token();
        let scratch = match self.supply.scratch() {
            Ok(scratch) => scratch,
            Err(error) => return Outcome::Failed { error: WireError::new(ErrorCode::Io, error.to_string()) },
        };
        let scratch = scratch.path();
        let task = Task { worker: self, assignment, events, cancel: &inner, scratch };
        let mut work = std::pin::pin!(task.carry_out());
        let limit = Duration::from_secs(u64::from(assignment.time_limit_s));
        let result = tokio::select! {
            result = &mut work => result,
            () = tokio::time::sleep(limit) => {
                inner.cancel();
                match work.await {
                    Err(Failure::Cancelled) if !cancel.is_cancelled() => Err(timed_out(assignment).into()),
                    result => result,
                }
            }
        };
        match result {
            Ok(outcome) => outcome,
            Err(Failure::Cancelled) => Outcome::Cancelled,
            Err(Failure::Error(error)) => Outcome::Failed { error: without(error, scratch) },
        }
    }
}

/// What went wrong, without the folder that was there for this job alone.
fn without(error: WireError, scratch: &Path) -> WireError {
    let folder = format!("{}/", scratch.display());
    let short = |words: String| words.replace(&folder, "");
    WireError {
        message: short(error.message),
        place: error.place.map(short),
        hint: error.hint.map(short),
        ..error
    }
}

impl<S: Supply> Task<'_, S> {
    async fn carry_out(&self) -> Result<Outcome, Failure> {
        match &self.assignment.spec {
            JobSpec::Compile(spec) => self.compile(spec).await,
            JobSpec::Run(spec) => self.run(spec).await,
            JobSpec::Bench(spec) => self.bench(spec).await,
            JobSpec::Verify(spec) => self.verify(spec).await,
            JobSpec::Sweep(_) => {
                Err(WireError::new(ErrorCode::BadMessage, "a sweep is the hub's to do, no runner's").into())
            }
        }
    }

    fn files(&self) -> Files<'_, S> {
        Files {
            worker: self.worker,
            modules: &self.assignment.modules,
            fetching: Fetching { events: self.events, cancel: self.cancel },
            time_limit: Duration::from_secs(u64::from(self.assignment.time_limit_s)),
            scratch: self.scratch,
        }
    }

    async fn compile(&self, spec: &CompileSpec) -> Result<Outcome, Failure> {
        let files = self.files();
        let bundle = files.bundle(&spec.bundle, &[file_name::MLIR]).await?;
        let supply = &self.worker.supply;
        let job = CompileJob {
            mlir: bundle.path(file_name::MLIR).map_err(WireError::from)?.to_owned(),
            form: bundle.manifest().options.form,
            target: spec.target.clone(),
            flags: spec.flags.clone(),
            output: self.scratch.join("module.vmfb"),
            cache: Some(supply.module_cache()),
            time_limit: files.time_limit,
            memory_limit_bytes: COMPILE_MEMORY_LIMIT_BYTES,
        };
        let compiled = compile(&job, &self.worker.tools, self.events, self.cancel).await?;
        let module = Artifact { blake3: compiled.blake3, size_bytes: compiled.size_bytes };
        supply.deliver(&compiled.path, &module, files.fetching).await?;
        Ok(Outcome::Compiled {
            module,
            cached: compiled.cached,
            compile_ms: compiled.compile_ms,
            compiler: compiled.compiler,
            flags: compiled.flags,
            cpu_features: compiled.cpu_features,
            origins: compiled.origins,
        })
    }

    async fn run(&self, spec: &RunSpec) -> Result<Outcome, Failure> {
        let (bundle, module) = self.files().compiled(&spec.bundle, spec.target.as_deref()).await?;
        let job = RunJob {
            source: Source::Compiled { bundle, module },
            prompt: spec.prompt.clone(),
            max_tokens: spec.max_tokens,
            threads: spec.threads,
            sampling: spec.sampling.clone(),
            profile: spec.profile,
        };
        let report = run(&job, &self.worker.engine, self.events, self.cancel).await?;
        Ok(Outcome::Ran { report })
    }

    async fn bench(&self, spec: &BenchSpec) -> Result<Outcome, Failure> {
        let files = self.files();
        let (bundle, module) = files.compiled(&spec.bundle, spec.target.as_deref()).await?;
        let eager = match &spec.eager {
            Some(model) => Some(files.fetch(MODEL, model).await?),
            None => None,
        };
        let threads = if spec.threads.is_empty() { vec![machine::cores()] } else { spec.threads.clone() };
        let job = BenchJob {
            bundle,
            module,
            eager,
            threads,
            prompt_tokens: spec.prompt_tokens,
            gen_tokens: spec.gen_tokens,
            repeat: spec.repeat,
            position: spec.position,
        };
        let report = bench(&job, &self.worker.engine, self.events, self.cancel).await?;
        Ok(Outcome::Benched { report: Box::new(report) })
    }

    async fn verify(&self, spec: &VerifySpec) -> Result<Outcome, Failure> {
        let files = self.files();
        let (bundle, module) = files.compiled(&spec.bundle, spec.target.as_deref()).await?;
        let job = VerifyJob {
            bundle,
            module,
            against: files.fetch(MODEL, &spec.against).await?,
            positions: spec.positions,
            text: None,
            threads: spec.threads,
        };
        let report = verify(&job, &self.worker.engine, self.events, self.cancel).await?;
        Ok(Outcome::Verified { report: Box::new(report) })
    }
}

fn timed_out(assignment: &Assignment) -> WireError {
    let message = format!("the job was ended after its time limit of {} s", assignment.time_limit_s);
    WireError::new(ErrorCode::TimedOut, message).hint("Give it a longer one, or less to do")
}
