//! The hub's own runner: this machine.

use crate::store::{BundleError, Store};
use runner_agent::{CompileJob, EngineCommand, Failure, MAX_THREADS, RunJob, Source, Tools};
use std::{io, path::PathBuf, sync::Arc, time::Duration};
use studio_core::manifest::{FileEntry, ModuleEntry, file_name};
use studio_protocol::{
    Artifact, CompileSpec, ErrorCode, JobEvent, JobSpec, Outcome, RunSpec, RunnerInfo, WireError,
};
use tokio::{sync::mpsc, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

/// The runner's name.
pub(crate) const NAME: &str = "local";

/// How long a compilation may take.
pub(crate) const COMPILE_TIME_LIMIT: Duration = Duration::from_secs(30 * 60);

/// How much memory a compilation may take.
pub(crate) const COMPILE_MEMORY_LIMIT_BYTES: u64 = 24 << 30;

/// The most tokens that a run may generate.
const MAX_TOKENS: u32 = 1 << 16;

/// The embedded runner.
#[derive(Debug)]
pub(crate) struct LocalRunner {
    /// Where bundles and modules are.
    pub(crate) store: Arc<Store>,
    /// What is installed.
    pub(crate) tools: Tools,
    /// Where compiled modules are kept by what they were made from.
    pub(crate) module_cache: PathBuf,
    /// How a run's process is started.
    pub(crate) engine: EngineCommand,
}

impl LocalRunner {
    /// What it is, for clients.
    pub(crate) fn describe(&self) -> RunnerInfo {
        runner_agent::describe(NAME, &self.tools)
    }

    /// Whether a job can be begun at all: its bundle is here and its numbers are in their ranges. Blocks.
    pub(crate) fn check(&self, spec: &JobSpec) -> Result<(), WireError> {
        let out_of_range = |what: String| Err(WireError::new(ErrorCode::BadMessage, what));
        match spec {
            JobSpec::Compile(spec) => {
                self.store.bundle(&spec.bundle)?;
            }
            JobSpec::Run(spec) => {
                self.store.bundle(&spec.bundle)?;
                if !(1..=MAX_TOKENS).contains(&spec.max_tokens) {
                    return out_of_range(format!("max_tokens is 1 to {MAX_TOKENS}"));
                }
                if spec.threads.is_some_and(|threads| !(1..=MAX_THREADS).contains(&threads)) {
                    return out_of_range(format!("threads is 1 to {MAX_THREADS}"));
                }
                if self.store.artifact(&spec.module).map_err(BundleError::from)?.is_none() {
                    return Err(BundleError::NoModule(spec.module).into());
                }
            }
        }
        Ok(())
    }

    pub(super) async fn carry_out(
        &self,
        spec: &JobSpec,
        events: &mpsc::Sender<JobEvent>,
        cancel: &CancellationToken,
    ) -> Outcome {
        let result = match spec {
            JobSpec::Compile(spec) => self.compile(spec, events, cancel).await,
            JobSpec::Run(spec) => self.run(spec, events, cancel).await,
        };
        match result {
            Ok(outcome) => outcome,
            Err(Failure::Cancelled) => Outcome::Cancelled,
            Err(Failure::Error(error)) => Outcome::Failed { error },
        }
    }

    async fn compile(
        &self,
        spec: &CompileSpec,
        events: &mpsc::Sender<JobEvent>,
        cancel: &CancellationToken,
    ) -> Result<Outcome, Failure> {
        let store = Arc::clone(&self.store);
        let id = spec.bundle;
        let bundle = blocking(move || Ok(store.bundle(&id)?)).await?;
        let mlir = bundle.paths.get(file_name::MLIR).cloned();
        let mlir =
            mlir.ok_or_else(|| WireError::from(runner_agent::BundleError::Missing(file_name::MLIR.into())))?;
        let job = CompileJob {
            mlir,
            form: bundle.manifest.options.form,
            target: spec.target.clone(),
            flags: spec.flags.clone(),
            output: self.store.temporary_path().map_err(failed)?,
            cache: Some(self.module_cache.clone()),
            time_limit: COMPILE_TIME_LIMIT,
            memory_limit_bytes: COMPILE_MEMORY_LIMIT_BYTES,
        };
        let compiled = runner_agent::compile(&job, &self.tools, events, cancel).await?;
        let module = Artifact { blake3: compiled.blake3, size_bytes: compiled.size_bytes };
        let entry = ModuleEntry {
            target: spec.target.clone(),
            file: FileEntry {
                name: format!("{}.vmfb", spec.target),
                size_bytes: module.size_bytes,
                blake3: module.blake3.to_string(),
            },
            compiler: compiled.compiler.clone(),
            flags: compiled.flags.clone(),
            cpu_features: compiled.cpu_features.clone(),
        };
        let store = Arc::clone(&self.store);
        let (path, hash) = (compiled.path, compiled.blake3);
        blocking(move || {
            store.adopt(&path, &hash).map_err(failed)?;
            store.add_module(&id, entry).map_err(failed)
        })
        .await?;
        Ok(Outcome::Compiled {
            module,
            cached: compiled.cached,
            compile_ms: compiled.compile_ms,
            compiler: compiled.compiler,
            flags: compiled.flags,
        })
    }

    async fn run(
        &self,
        spec: &RunSpec,
        events: &mpsc::Sender<JobEvent>,
        cancel: &CancellationToken,
    ) -> Result<Outcome, Failure> {
        let store = Arc::clone(&self.store);
        let id = spec.bundle;
        let job = RunJob {
            source: Source::Compiled {
                bundle: blocking(move || Ok(store.bundle(&id)?.files()?)).await?,
                module: self.store.artifact_path(&spec.module),
            },
            prompt: spec.prompt.clone(),
            max_tokens: spec.max_tokens,
            threads: spec.threads,
            sampling: spec.sampling.clone(),
        };
        let report = runner_agent::run(&job, &self.engine, events, cancel).await?;
        Ok(Outcome::Ran { report })
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WireError> + Send + 'static,
) -> Result<T, WireError> {
    match spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(WireError::new(ErrorCode::Internal, error.to_string())),
    }
}

fn failed(error: io::Error) -> WireError {
    BundleError::Io(error).into()
}
