//! What of a job's events is kept: bounded, however much a compiler prints.

use crate::history::Stored;
use studio_protocol::JobEvent;

/// The most bytes of a log line that are kept.
const MAX_LINE_BYTES: usize = 4 << 10;

/// The most bytes of log lines that a job keeps.
const MAX_LOG_BYTES: u64 = 4 << 20;

/// The event as it is kept, if it is: past the log's bound, log lines aren't.
pub(super) fn kept(job: &mut Stored, mut event: JobEvent) -> Option<JobEvent> {
    if let JobEvent::Log { line } = &mut event {
        if job.log_bytes > MAX_LOG_BYTES {
            return None;
        }
        clip(line);
        job.log_bytes += line.len() as u64 + 1;
        if job.log_bytes > MAX_LOG_BYTES {
            "… (the rest of the log is not kept)".clone_into(line);
        }
    }
    Some(event)
}

fn clip(line: &mut String) {
    if line.len() > MAX_LINE_BYTES {
        line.truncate(line.floor_char_boundary(MAX_LINE_BYTES));
        line.push('…');
    }
}
