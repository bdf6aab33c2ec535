//! Sweeps: jobs that the hub itself does, by asking for others.

use super::State;
use crate::history::HistoryError;
use crate::jobs::runners::Known;
use crate::jobs::{now_ms, sweep::group};
use std::{cmp::Reverse, collections::BTreeSet};
use studio_protocol::{JobEvent, JobId, JobRecord, JobState, Outcome, WireError};
use tokio::sync::watch;

/// Who does a sweep, in its events.
const HUB: &str = "hub";

impl State {
    /// The sweep whose turn it is among those that are not under way, and what changes with its events and goes with its
    /// end.
    pub(in crate::jobs) fn next_sweep(
        &self,
        under_way: &BTreeSet<JobId>,
    ) -> Option<(JobRecord, watch::Receiver<u64>)> {
        let sweeps = self.live.iter().filter(|(id, job)| job.is_sweep() && !under_way.contains(id));
        let sweeps = sweeps.map(|(_, job)| job);
        // One that was begun goes on.
        let turn = |record: &JobRecord| {
            (record.state != JobState::Working, Reverse(record.terms.priority), record.job)
        };
        let next = sweeps.min_by_key(|job| turn(&job.job.record))?;
        Some((next.job.record.clone(), next.last.subscribe()))
    }

    /// Whether a job waits and none of the runners that it is for is there.
    pub(in crate::jobs) fn is_for_nobody_there(&self, id: JobId) -> bool {
        let Some(job) = self.live.get(&id) else { return false };
        let record = &job.job.record;
        let can = |runner: &Known| runner.is_connected(None) && runner.is_meant(record.terms.on.as_ref());
        record.state == JobState::Waiting && !self.runners.values().any(can)
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
