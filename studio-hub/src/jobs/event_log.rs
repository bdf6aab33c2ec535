//! A job's events: numbered from 1, kept in memory within bounds, read by whoever watches, at their own pace.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use studio_protocol::{JobEvent, Outcome};
use tokio::sync::watch;

/// The most bytes of a log line that are kept.
const MAX_LINE_BYTES: usize = 4 << 10;

/// The most bytes of log lines that a job keeps.
const MAX_LOG_BYTES: usize = 4 << 20;

/// The events of one job.
#[derive(Debug)]
pub(crate) struct EventLog {
    kept: Mutex<Kept>,
    /// The number of the last event.
    last: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Kept {
    events: Vec<Arc<JobEvent>>,
    log_bytes: usize,
    finished: bool,
}

impl EventLog {
    pub(super) fn new() -> Self {
        Self { kept: Mutex::default(), last: watch::channel(0).0 }
    }

    /// Adds an event. After `finished` nothing is added; past the log's bound, log lines aren't.
    pub(super) fn push(&self, mut event: JobEvent) {
        let last = {
            let mut kept = self.kept();
            if kept.finished {
                return;
            }
            if let JobEvent::Log { line } = &mut event {
                if kept.log_bytes > MAX_LOG_BYTES {
                    return;
                }
                clip(line);
                kept.log_bytes += line.len() + 1;
                if kept.log_bytes > MAX_LOG_BYTES {
                    "… (the rest of the log is not kept)".clone_into(line);
                }
            }
            kept.finished = matches!(event, JobEvent::Finished { .. });
            kept.events.push(Arc::new(event));
            kept.events.len() as u64
        };
        self.last.send_replace(last);
    }

    /// Ends the job, if nothing has ended it before.
    pub(super) fn finish(&self, outcome: Outcome) {
        self.push(JobEvent::Finished { outcome });
    }

    /// Ends the job, if nothing has happened in it yet.
    pub(super) fn finish_if_empty(&self, outcome: Outcome) {
        let mut kept = self.kept();
        if kept.events.is_empty() {
            kept.events.push(Arc::new(JobEvent::Finished { outcome }));
            kept.finished = true;
            drop(kept);
            self.last.send_replace(1);
        }
    }

    /// Whether the job is over.
    pub(crate) fn is_finished(&self) -> bool {
        self.kept().finished
    }

    /// The event after number `after`, as soon as there is one; `None` after the last of all.
    pub(crate) async fn next(&self, after: u64) -> Option<(u64, Arc<JobEvent>)> {
        let mut last = self.last.subscribe();
        loop {
            {
                let kept = self.kept();
                let event = usize::try_from(after).ok().and_then(|index| kept.events.get(index));
                match event {
                    Some(event) => return Some((after + 1, Arc::clone(event))),
                    None if kept.finished => return None,
                    None => {}
                }
            }
            // The sender is a part of this log, so it outlives the wait.
            last.changed().await.ok()?;
        }
    }

    /// A panic under this lock leaves nothing half done: an event is there or it isn't.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn clip(line: &mut String) {
    if line.len() > MAX_LINE_BYTES {
        line.truncate(line.floor_char_boundary(MAX_LINE_BYTES));
        line.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> JobEvent {
        JobEvent::Log { line: text.to_owned() }
    }

    #[tokio::test]
    async fn events_are_numbered_from_one_and_end_with_finished() {
        let log = Arc::new(EventLog::new());
        let reader = tokio::spawn({
            let log = Arc::clone(&log);
            async move {
                let mut seen = Vec::new();
                let mut after = 0;
                while let Some((seq, event)) = log.next(after).await {
                    seen.push((seq, (*event).clone()));
                    after = seq;
                }
                seen
            }
        });
        tokio::task::yield_now().await;
        log.push(line("a"));
        log.push(line("b"));
        log.finish(Outcome::Cancelled);
        log.push(line("too late"));
        let finished = JobEvent::Finished { outcome: Outcome::Cancelled };
        assert_eq!(reader.await.unwrap(), [(1, line("a")), (2, line("b")), (3, finished)]);
        assert_eq!(log.next(1).await.unwrap().0, 2);
        assert!(log.next(99).await.is_none());
    }

    #[test]
    fn a_talkative_compiler_fills_no_memory() {
        let log = EventLog::new();
        for _ in 0..10_000 {
            log.push(line(&"ä".repeat(10_000)));
        }
        log.finish(Outcome::Cancelled);
        let kept = log.kept();
        assert!(kept.log_bytes < MAX_LOG_BYTES + 2 * MAX_LINE_BYTES);
        let last_line = &kept.events[kept.events.len() - 2];
        assert_eq!(**last_line, line("… (the rest of the log is not kept)"));
    }
}
