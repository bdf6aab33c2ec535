//! Sweeps: jobs that the hub itself does, by asking for others.

use super::State;
use crate::history::HistoryError;
use crate::jobs::{now_ms, sweep::group};
use std::cmp::Reverse;
use studio_protocol::{JobEvent, JobId, JobRecord, JobState, Outcome, WireError};
use tokio::sync::watch;

/// Who does a sweep, in its events.
const HUB: &str = "hub";

impl State {
    /// The sweep whose turn it is, and what changes with its events and goes with its end.
    pub(in crate::jobs) fn next_sweep(&self) -> Option<(JobRecord, watch::Receiver<u64>)> {
        let sweeps = self.live.values().filter(|job| job.is_sweep());
        // One that was begun goes on.
        let turn = |record: &JobRecord| {
            (record.state != JobState::Working, Reverse(record.terms.priority), record.job)
        };
        let next = sweeps.min_by_key(|job| turn(&job.job.record))?;
        Some((next.job.record.clone(), next.last.subscribe()))
    }

    /// Begins a sweep, unless an earlier hub did.
    pub(in crate::jobs) fn begin_sweep(&mut self, id: JobId) -> Result<(), HistoryError> {
        if self.live.get(&id).is_none_or(|job| job.job.record.state == JobState::Working) {
            return Ok(());
        }
        self.change(id, vec![JobEvent::Started { runner: HUB.to_owned() }], |job| {
            job.record.state = JobState::Working;
            job.record.attempt += 1;
            job.record.started_ms = Some(now_ms());
        })
    }

    /// Adds events to a sweep; nothing if it is over.
    pub(in crate::jobs) fn tell_of_sweep(
        &mut self,
        id: JobId,
        events: Vec<JobEvent>,
    ) -> Result<(), HistoryError> {
        self.change(id, events, |_| {})
    }

    /// Ends a sweep and the jobs that it asked for.
    pub(super) fn cancel_sweep(&mut self, id: JobId) -> Result<(), WireError> {
        self.finish(id, Outcome::Cancelled)?;
        let of = group(id);
        let jobs = self.live.iter().filter(|(_, job)| job.job.record.terms.group.as_ref() == Some(&of));
        for job in jobs.map(|(job, _)| *job).collect::<Vec<_>>() {
            self.cancel(job)?;
        }
        Ok(())
    }
}
