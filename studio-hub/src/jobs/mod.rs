//! Jobs: accepted, queued, carried out one of a kind at a time, watched and cancelled.

mod event_log;
mod local;

pub(crate) use event_log::EventLog;
pub(crate) use local::{COMPILE_MEMORY_LIMIT_BYTES, COMPILE_TIME_LIMIT, LocalRunner};

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};
use studio_protocol::{ErrorCode, JobEvent, JobId, JobSpec, Outcome, WireError};
use tokio::{
    sync::mpsc::{self, error::TrySendError},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

/// Jobs of one kind that may wait.
const QUEUE: usize = 16;

/// Jobs whose events are kept; the oldest finished ones are forgotten first.
const KEPT: usize = 256;

/// A job.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: JobId,
    pub(crate) spec: JobSpec,
    pub(crate) log: EventLog,
    cancel: CancellationToken,
}

/// All jobs of a hub.
#[derive(Debug)]
pub(crate) struct Jobs {
    known: Mutex<Known>,
    compiles: mpsc::Sender<Arc<Job>>,
    runs: mpsc::Sender<Arc<Job>>,
    shutdown: CancellationToken,
}

#[derive(Debug)]
struct Known {
    jobs: BTreeMap<JobId, Arc<Job>>,
    next: JobId,
}

impl Jobs {
    /// The jobs of a hub whose work `runner` does, until `shutdown`. `workers` ends when no job runs any more.
    pub(crate) fn start(
        runner: Arc<LocalRunner>,
        shutdown: CancellationToken,
        workers: &mut JoinSet<()>,
    ) -> Self {
        let mut queue = || {
            let (sender, receiver) = mpsc::channel(QUEUE);
            workers.spawn(work(Arc::clone(&runner), receiver, shutdown.clone()));
            sender
        };
        let (compiles, runs) = (queue(), queue());
        // Numbers go on from the clock: a client that remembers a job of an earlier start finds none by it.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let next = u64::try_from(now).unwrap_or_default();
        Self { known: Mutex::new(Known { jobs: BTreeMap::new(), next }), compiles, runs, shutdown }
    }

    /// Accepts a job or says why not.
    pub(crate) fn submit(&self, spec: JobSpec) -> Result<Arc<Job>, WireError> {
        let queue = match &spec {
            JobSpec::Compile(_) => &self.compiles,
            JobSpec::Run(_) => &self.runs,
        };
        let place = queue.try_reserve().map_err(|error| match error {
            TrySendError::Full(()) => WireError::new(ErrorCode::Busy, format!("{QUEUE} jobs wait already"))
                .hint("Wait for one of them to end, or cancel one"),
            TrySendError::Closed(()) => WireError::new(ErrorCode::Busy, "the hub is shutting down"),
        })?;
        let mut known = self.known();
        let id = known.next;
        known.next += 1;
        let job = Job { id, spec, log: EventLog::new(), cancel: self.shutdown.child_token() };
        let job = Arc::new(job);
        known.jobs.insert(id, Arc::clone(&job));
        if known.jobs.len() > KEPT {
            let oldest = known.jobs.values().find(|job| job.log.is_finished()).map(|job| job.id);
            oldest.map(|id| known.jobs.remove(&id));
        }
        drop(known);
        place.send(Arc::clone(&job));
        Ok(job)
    }

    /// The job of this number.
    pub(crate) fn get(&self, id: JobId) -> Result<Arc<Job>, WireError> {
        self.known().jobs.get(&id).cloned().ok_or_else(|| {
            WireError::new(ErrorCode::NotFound, format!("the hub knows no job {id}"))
                .hint("It forgets jobs when it is started anew")
        })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job {
    /// Asks the job to end. One that waits ends at once.
    pub(crate) fn cancel(&self) {
        self.cancel.cancel();
        self.log.finish_if_empty(Outcome::Cancelled);
    }

    async fn carry_out(&self, runner: &LocalRunner) {
        self.log.push(JobEvent::Started { runner: local::NAME.to_owned() });
        if self.log.is_finished() {
            return;
        }
        let (sender, mut receiver) = mpsc::channel(256);
        let work = async {
            let outcome = runner.carry_out(&self.spec, &sender, &self.cancel).await;
            drop(sender);
            outcome
        };
        let keep = async {
            while let Some(event) = receiver.recv().await {
                self.log.push(event);
            }
        };
        let (outcome, ()) = tokio::join!(work, keep);
        self.log.finish(outcome);
    }
}

/// Carries out the jobs of one queue, in order, one at a time.
async fn work(runner: Arc<LocalRunner>, mut queue: mpsc::Receiver<Arc<Job>>, shutdown: CancellationToken) {
    loop {
        let job = tokio::select! {
            job = queue.recv() => job,
            () = shutdown.cancelled() => None,
        };
        let Some(job) = job else { break };
        let (id, runner) = (job.id, Arc::clone(&runner));
        tracing::info!(job = id, "begins");
        let done = tokio::spawn({
            let job = Arc::clone(&job);
            async move { job.carry_out(&runner).await }
        });
        if let Err(error) = done.await {
            tracing::error!(job = id, %error, "a job's task failed");
            let error = WireError::new(ErrorCode::Internal, "the hub failed at this job")
                .hint("Please report it, with what the hub printed");
            job.log.finish(Outcome::Failed { error });
        }
        tracing::info!(job = id, "ended");
    }
    queue.close();
    while let Some(job) = queue.recv().await {
        job.log.finish(Outcome::Cancelled);
    }
}
