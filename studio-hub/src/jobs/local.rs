//! The hub's own runner: this machine, with the hub's store at hand.

use super::{Jobs, Newcomer, Order, ReportError};
use crate::store::Store;
use runner_agent::{EngineCommand, Failure, Fetching, Supply, Tools, Worker, describe, gpu};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use studio_protocol::{
    Artifact, Assignment, ErrorCode, Hash, JobEvent, JobId, Outcome, RunnerInfo, WireError, Working,
};
use tempfile::TempDir;
use tokio::{
    sync::mpsc,
    task::{JoinHandle, JoinSet, spawn_blocking},
};
use tokio_util::sync::CancellationToken;

/// The runner's name.
pub(crate) const LOCAL: &str = "local";

/// Events that are kept at once.
const BATCH: usize = 256;

/// How long to wait before events are told again that could not be kept.
const RETRY: Duration = Duration::from_secs(1);

/// What the embedded runner needs.
#[derive(Debug)]
pub(crate) struct LocalRunner {
    /// What is installed.
    pub(crate) tools: Tools,
    /// Where compiled modules are kept by what they were made from.
    pub(crate) module_cache: PathBuf,
    /// How a run's process is started.
    pub(crate) engine: EngineCommand,
}

/// Artifacts where the hub keeps them: nothing is fetched, nothing is sent.
#[derive(Debug)]
struct Here {
    store: Arc<Store>,
    module_cache: PathBuf,
}

impl Supply for Here {
    async fn artifact(&self, hash: &Hash, what: &str, _: Fetching<'_>) -> Result<PathBuf, Failure> {
        match self.store.artifact(hash) {
            Ok(Some(_)) => Ok(self.store.artifact_path(hash)),
            Ok(None) => {
                let what = format!("the hub does not have {what} (artifact {hash}) any more");
                Err(WireError::new(ErrorCode::NotFound, what).hint("Export or upload it again").into())
            }
            Err(error) => Err(WireError::new(ErrorCode::Io, error.to_string()).into()),
        }
    }

    async fn deliver(&self, path: &Path, artifact: &Artifact, _: Fetching<'_>) -> Result<(), Failure> {
        let adopted = self.store.adopt(path, &artifact.blake3);
        Ok(adopted.map_err(|error| WireError::new(ErrorCode::Io, error.to_string()))?)
    }

    fn scratch(&self) -> io::Result<TempDir> {
        tempfile::Builder::new().prefix("job-").tempdir_in(self.store.temporary_folder())
    }

    fn module_cache(&self) -> PathBuf {
        self.module_cache.clone()
    }
}

/// Starts the embedded runner. `workers` ends when it has ended, which it does at `shutdown`.
pub(crate) async fn start_local(
    jobs: &Arc<Jobs>,
    store: Arc<Store>,
    runner: LocalRunner,
    shutdown: CancellationToken,
    workers: &mut JoinSet<()>,
) -> Result<(), WireError> {
    let LocalRunner { tools, module_cache, engine } = runner;
    let agent = concat!("studio/", env!("CARGO_PKG_VERSION"));
    let failed = |error: tokio::task::JoinError| WireError::new(ErrorCode::Internal, error.to_string());
    let gpus = gpu::gpus(&engine).await;
    let (info, tools): (RunnerInfo, Tools) =
        spawn_blocking(move || (describe(LOCAL, &tools, gpus, agent), tools)).await.map_err(failed)?;
    let supply = Here { store, module_cache };
    let worker = Arc::new(Worker { supply, tools, engine });
    let newcomer = Newcomer { info, id: LOCAL.to_owned(), labels: Vec::new(), working: Vec::new() };
    let joining = Arc::clone(jobs);
    let joined = spawn_blocking(move || joining.join(newcomer)).await.map_err(failed)??;
    workers.spawn(work(Arc::clone(jobs), worker, joined.orders, shutdown));
    Ok(())
}

/// Does what it is told until `shutdown`.
async fn work(
    jobs: Arc<Jobs>,
    worker: Arc<Worker<Here>>,
    mut orders: mpsc::Receiver<Order>,
    shutdown: CancellationToken,
) {
    let mut at_work: Option<(JobId, CancellationToken, JoinHandle<()>)> = None;
    loop {
        let order = tokio::select! {
            order = orders.recv() => order,
            () = shutdown.cancelled() => None,
        };
        match order {
            None => break,
            Some(Order::Begin(assignment)) => {
                // The one before has told its end: only its task may not have returned yet.
                let (id, cancel) = (assignment.job, shutdown.child_token());
                let task = carry_out(
                    Arc::clone(&jobs),
                    Arc::clone(&worker),
                    *assignment,
                    cancel.clone(),
                    shutdown.clone(),
                );
                at_work = Some((id, cancel, tokio::spawn(task)));
            }
            Some(Order::Stop(id)) => {
                if let Some((_, cancel, _)) = at_work.as_ref().filter(|(job, ..)| *job == id) {
                    cancel.cancel();
                }
            }
        }
    }
    if let Some((_, cancel, task)) = at_work {
        cancel.cancel();
        drop(task.await);
        drop(spawn_blocking(move || jobs.put_back(LOCAL)).await);
    }
}

async fn carry_out(
    jobs: Arc<Jobs>,
    worker: Arc<Worker<Here>>,
    assignment: Assignment,
    cancel: CancellationToken,
    shutdown: CancellationToken,
) {
    let is = Working { job: assignment.job, attempt: assignment.attempt };
    tracing::info!(job = is.job, "begins");
    let (sender, mut events) = mpsc::channel(BATCH);
    let working = tokio::spawn({
        let cancel = cancel.clone();
        async move { worker.carry_out(&assignment, &sender, &cancel).await }
    });
    let mut told = 0;
    loop {
        let mut batch = Vec::new();
        if events.recv_many(&mut batch, BATCH).await == 0 {
            break;
        }
        if !tell(&jobs, is, &mut told, batch, &shutdown).await {
            cancel.cancel();
        }
    }
    let outcome = working.await.unwrap_or_else(|error| {
        tracing::error!(job = is.job, %error, "a job's task failed");
        let error = WireError::new(ErrorCode::Internal, "the hub failed at this job")
            .hint("Please report it, with what the hub printed");
        Outcome::Failed { error }
    });
    if !shutdown.is_cancelled() {
        tell(&jobs, is, &mut told, vec![JobEvent::Finished { outcome }], &shutdown).await;
    }
    tracing::info!(job = is.job, "ended");
}

/// Tells events, again and again while there is no room to keep them. `false` if nobody wants to hear of the job any
/// more.
async fn tell(
    jobs: &Arc<Jobs>,
    is: Working,
    told: &mut u64,
    events: Vec<JobEvent>,
    shutdown: &CancellationToken,
) -> bool {
    let (first, count) = (*told + 1, events.len() as u64);
    loop {
        let (jobs, events) = (Arc::clone(jobs), events.clone());
        match spawn_blocking(move || jobs.report(LOCAL, is, first, events)).await {
            Ok(Ok(_)) => {
                *told += count;
                return true;
            }
            Ok(Err(ReportError::Later(error))) => tracing::warn!(job = is.job, "{error}"),
            Ok(Err(ReportError::Void)) | Err(_) => return false,
        }
        if shutdown.run_until_cancelled(tokio::time::sleep(RETRY)).await.is_none() {
            return false;
        }
    }
}
