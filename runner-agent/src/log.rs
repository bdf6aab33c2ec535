//! A child's lines on their way to whoever watches the job: bounded, and read for the error in them.

use crate::proc::{Reader, Stream};
use studio_protocol::JobEvent;
use tokio::sync::mpsc;

/// The most lines of a job's log that are passed on.
const MAX_LINES: usize = 2000;

/// The most bytes of a line that are passed on.
const MAX_LINE_BYTES: usize = 4096;

/// Passes lines on and remembers what a failure will quote.
#[derive(Debug)]
pub(crate) struct Log<'a> {
    events: &'a mpsc::Sender<JobEvent>,
    passed: usize,
    first_error: Option<String>,
    first: Option<String>,
    out_of_memory: bool,
    no_space: bool,
}

impl<'a> Log<'a> {
    pub(crate) fn new(events: &'a mpsc::Sender<JobEvent>) -> Self {
        Self { events, passed: 0, first_error: None, first: None, out_of_memory: false, no_space: false }
    }

    /// Takes a line. Waits while the watcher is behind.
    pub(crate) async fn take(&mut self, line: String) {
        let line = shortened(line);
        let lower = line.to_lowercase();
        self.out_of_memory |=
            ["out of memory", "bad_alloc", "cannot allocate memory", "resource temporarily unavailable"]
                .iter()
                .any(|words| lower.contains(words));
        self.no_space |= lower.contains("no space left on device");
        if self.first_error.is_none() && lower.contains("error:") {
            self.first_error = Some(line.clone());
        }
        if self.first.is_none() && !line.trim().is_empty() {
            self.first = Some(line.clone());
        }
        self.passed += 1;
        match self.passed {
            n if n <= MAX_LINES => send(self.events, JobEvent::Log { line }).await,
            n if n == MAX_LINES + 1 => {
                let line = format!("(more than {MAX_LINES} lines: the rest is not kept)");
                send(self.events, JobEvent::Log { line }).await;
            }
            _ => {}
        }
    }

    /// The line that says best what went wrong: the first with `error:` in it, else the first.
    pub(crate) fn verdict(&self) -> Option<&str> {
        self.first_error.as_deref().or(self.first.as_deref())
    }

    /// Whether a line told of memory that could not be had.
    pub(crate) fn out_of_memory(&self) -> bool {
        self.out_of_memory
    }

    /// Whether a line told of a full disk.
    pub(crate) fn no_space(&self) -> bool {
        self.no_space
    }
}

impl Reader for Log<'_> {
    async fn line(&mut self, _: Stream, line: String) {
        self.take(line).await;
    }
}

/// Emits an event. A watcher that went away is no reason to stop a job: cancelling does that.
pub(crate) async fn send(events: &mpsc::Sender<JobEvent>, event: JobEvent) {
    if events.send(event).await.is_err() {
        tracing::debug!("nobody watches this job any more");
    }
}

fn shortened(mut line: String) -> String {
    if line.len() > MAX_LINE_BYTES {
        line.truncate(line.floor_char_boundary(MAX_LINE_BYTES));
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_error_is_quoted_and_the_flood_is_cut() {
        let (events, mut seen) = mpsc::channel(MAX_LINES + 10);
        let mut log = Log::new(&events);
        log.take("note: begin".to_owned()).await;
        log.take("a.mlir:2:3: error: custom op 'x' is unknown".to_owned()).await;
        log.take("b.mlir:9:9: error: later".to_owned()).await;
        log.take("é".repeat(MAX_LINE_BYTES)).await;
        for _ in 0..MAX_LINES {
            log.take("flood".to_owned()).await;
        }
        assert_eq!(log.verdict(), Some("a.mlir:2:3: error: custom op 'x' is unknown"));
        drop(events);
        let mut lines = Vec::new();
        while let Some(JobEvent::Log { line }) = seen.recv().await {
            lines.push(line);
        }
        assert_eq!(lines.len(), MAX_LINES + 1);
        assert_eq!(lines[3].len(), MAX_LINE_BYTES + '…'.len_utf8());
        assert_eq!(lines[MAX_LINES], "(more than 2000 lines: the rest is not kept)");
    }
}
