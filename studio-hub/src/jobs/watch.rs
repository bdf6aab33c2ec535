//! A job's events as somebody reads them, at their own pace: nothing waits in memory for a slow reader.

use super::Jobs;
use std::{collections::VecDeque, sync::Arc, time::Duration};
use studio_protocol::{JobEvent, JobId};
use tokio::{sync::watch as channel, task::spawn_blocking};

/// Events that are read at once.
const BATCH: u32 = 128;

/// How long to wait before the history is read again that could not be.
const RETRY: Duration = Duration::from_secs(1);

/// Follows a job.
#[derive(Debug)]
pub(crate) struct Watch {
    jobs: Arc<Jobs>,
    id: JobId,
    /// The number of the last event, as long as more may come.
    last: Option<channel::Receiver<u64>>,
    ready: VecDeque<(u64, JobEvent)>,
}

impl Watch {
    pub(super) fn new(jobs: Arc<Jobs>, id: JobId, last: Option<channel::Receiver<u64>>) -> Self {
        Self { jobs, id, last, ready: VecDeque::new() }
    }

    /// The event after number `after`, as soon as there is one; `None` after the last of all.
    pub(crate) async fn next(&mut self, after: u64) -> Option<(u64, JobEvent)> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            // Seen before reading: what comes later than the reading is waited for.
            let is_live = self.last.as_mut().map(|last| last.borrow_and_update().to_owned()).is_some();
            let (jobs, id) = (Arc::clone(&self.jobs), self.id);
            let read = spawn_blocking(move || jobs.events(id, after, BATCH)).await;
            match read {
                Ok(Ok(events)) => self.ready = events.into(),
                Ok(Err(error)) => {
                    tracing::warn!("{error}");
                    tokio::time::sleep(RETRY).await;
                    continue;
                }
                Err(_) => return None,
            }
            if !self.ready.is_empty() {
                continue;
            }
            if !is_live {
                return None;
            }
            // The other end goes when the job is over: then what there is is read once more.
            if let Some(last) = &mut self.last
                && last.changed().await.is_err()
            {
                self.last = None;
            }
        }
    }
}
