//! The job that a joined runner works on: a task that goes on whether or not the hub is there, and its events.

use crate::{Worker, worker::Supply};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use studio_protocol::{Assignment, JobEvent, JobId, Working};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Events in a report.
const MAX_EVENTS: usize = 256;

/// Bytes of log lines in a report, which keeps it well below a message's limit.
const MAX_LOG_BYTES: usize = 1 << 20;

/// A job at work. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) is: Working,
    told: Arc<Told>,
    /// Events that the hub was sent, over this connection or an earlier one.
    sent: usize,
    /// Events that the hub has.
    acknowledged: usize,
    cancel: CancellationToken,
    _end: DropGuard,
}

/// What a job told so far.
#[derive(Debug, Default)]
struct Told {
    events: Mutex<Vec<JobEvent>>,
    more: Notify,
}

impl Told {
    fn events(&self) -> MutexGuard<'_, Vec<JobEvent>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, event: JobEvent) {
        self.events().push(event);
        self.more.notify_one();
    }
}

impl Job {
    /// Begins a job.
    pub(super) fn begin<S: Supply + 'static>(worker: &Arc<Worker<S>>, assignment: Assignment) -> Self {
        let (told, cancel) = (Arc::new(Told::default()), CancellationToken::new());
        let is = Working { job: assignment.job, attempt: assignment.attempt };
        tokio::spawn({
            let (worker, told, cancel) = (Arc::clone(worker), Arc::clone(&told), cancel.clone());
            async move {
                let (sender, mut events) = mpsc::channel(MAX_EVENTS);
                let work = async {
                    let outcome = worker.carry_out(&assignment, &sender, &cancel).await;
                    drop(sender);
                    outcome
                };
                let keep = async {
                    while let Some(event) = events.recv().await {
                        told.push(event);
                    }
                };
                let (outcome, ()) = tokio::join!(work, keep);
                told.push(JobEvent::Finished { outcome });
            }
        });
        let end = cancel.clone().drop_guard();
        Self { is, told, sent: 0, acknowledged: 0, cancel, _end: end }
    }

    /// Ends it; its last event says so.
    pub(super) fn stop(&self) {
        self.cancel.cancel();
    }

    /// The next events to send and the number of the first, counted from 1; waits until there are some.
    pub(super) async fn next(&self) -> (u64, Vec<JobEvent>) {
        loop {
            {
                let events = self.told.events();
                let mut bytes = 0;
                let fits = |event: &&JobEvent| {
                    if let JobEvent::Log { line } = event {
                        bytes += line.len();
                    }
                    bytes <= MAX_LOG_BYTES
                };
                let new: Vec<JobEvent> =
                    events.iter().skip(self.sent).take(MAX_EVENTS).take_while(fits).cloned().collect();
                if !new.is_empty() {
                    return (self.sent as u64 + 1, new);
                }
            }
            self.told.more.notified().await;
        }
    }

    /// So many more were sent.
    pub(super) fn sent(&mut self, count: usize) {
        self.sent += count;
    }

    /// The hub has so many; whether that is all there will ever be.
    pub(super) fn acknowledge(&mut self, count: u64) -> bool {
        self.acknowledged = self.acknowledged.max(usize::try_from(count).unwrap_or_default());
        let events = self.told.events();
        self.acknowledged >= events.len() && matches!(events.last(), Some(JobEvent::Finished { .. }))
    }

    /// What was sent and not acknowledged is sent again.
    pub(super) fn send_again(&mut self) {
        self.sent = self.acknowledged;
    }

    /// Its number.
    pub(super) fn id(&self) -> JobId {
        self.is.job
    }
}
