//! Where a worker's files come from and where what it makes goes.

use crate::Failure;
use std::{
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use studio_protocol::{Artifact, Hash, JobEvent};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Artifacts as a worker sees them: files by the hash of their bytes.
pub trait Supply: Send + Sync {
    /// Where an artifact lies on this machine; it is brought here first if it must be. `what` says what it is.
    fn artifact(
        &self,
        hash: &Hash,
        what: &str,
        fetching: Fetching<'_>,
    ) -> impl Future<Output = Result<PathBuf, Failure>> + Send;

    /// Makes a file the artifact that it is, where the hub has it. The file is this one's to move.
    fn deliver(
        &self,
        path: &Path,
        artifact: &Artifact,
        fetching: Fetching<'_>,
    ) -> impl Future<Output = Result<(), Failure>> + Send;

    /// A folder for what a job makes, on the disk that artifacts lie on. It goes with the job.
    fn scratch(&self) -> io::Result<TempDir>;

    /// Where compiled modules are kept by what they were made from.
    fn module_cache(&self) -> PathBuf;
}

/// What bringing a file tells, and what ends it.
#[derive(Debug, Clone, Copy)]
pub struct Fetching<'a> {
    /// The job's events.
    pub events: &'a mpsc::Sender<JobEvent>,
    /// Ends it.
    pub cancel: &'a CancellationToken,
}

/// How often progress is told at most.
const EVERY: Duration = Duration::from_millis(500);

impl Fetching<'_> {
    /// Says that a file is on its way, either way.
    pub(crate) async fn begins(&self, step: &str) {
        crate::log::send(self.events, JobEvent::Step { name: step.to_owned() }).await;
    }

    /// Says how far it is, unless it was said just now.
    pub(crate) fn progress(&self, told: &mut Instant, done: u64, of: u64) {
        if told.elapsed() >= EVERY {
            *told = Instant::now();
            // Whoever is behind with what was told before hears the next one.
            drop(self.events.try_send(JobEvent::Progress { done, of }));
        }
    }
}
