//! Runners come, report what became of their jobs, and leave.

use super::{Live, ReportError, State};
use crate::{
    history::{HistoryError, Remembered},
    jobs::{
        LOCAL, now_ms,
        runners::{Joined, Known, Newcomer},
    },
};
use std::mem;
use studio_core::manifest::{FileEntry, ModuleEntry};
use studio_protocol::{
    ErrorCode, JobEvent, JobId, JobSpec, JobState, On, Outcome, WireError, Working, is_runner_name,
};

/// The most labels that a runner may be given.
const MAX_LABELS: usize = 32;

fn unknown(name: &str) -> WireError {
    let shown: String = name.chars().take(80).collect();
    WireError::new(ErrorCode::NotFound, format!("the hub knows no runner {shown}"))
}

/// Refuses what can't name a runner or label one.
fn check_name(word: &str) -> Result<(), WireError> {
    if is_runner_name(word) {
        return Ok(());
    }
    let shown: String = word.chars().take(80).collect();
    let what = format!("{shown:?} is no runner's name or label: 1 to 64 letters, digits, '.', '_' and '-'");
    Err(WireError::new(ErrorCode::BadMessage, what))
}

impl State {
    pub(in crate::jobs) fn join(&mut self, newcomer: Newcomer) -> Result<Joined, WireError> {
        let Newcomer { info, id, labels, working } = newcomer;
        let name = info.name.clone();
        self.check_names(&name, &id, &labels)?;
        let chosen = self.runners.get(&name).and_then(|known| known.is.chosen.clone());
        let is = Remembered { info, id, labels, chosen, seen_ms: now_ms() };
        if name != LOCAL {
            self.history.remember(&is)?;
        }
        let connection = self.next_connection;
        self.next_connection += 1;
        let runner = self.runners.entry(name.clone()).or_insert_with(|| Known::gone(is.clone()));
        runner.is = is;
        let had = runner.job;
        let orders = runner.connect(connection);
        let mut goes_on = Vec::new();
        if let Some(id) = had.or_else(|| self.of_runner(&name)) {
            let attempt = self.live.get(&id).map(|job| job.job.record.attempt);
            match working.iter().find(|work| work.job == id && Some(work.attempt) == attempt) {
                Some(work) => goes_on.push(*work),
                None => {
                    self.lost(id, &format!("the runner {name} was started anew"))?;
                    if let Some(runner) = self.runners.get_mut(&name) {
                        runner.job = None;
                    }
                }
            }
        }
        self.runners_changed();
        self.dispatch();
        Ok(Joined { connection, working: goes_on, orders })
    }

    fn check_names(&self, name: &str, id: &str, labels: &[String]) -> Result<(), WireError> {
        [name].into_iter().chain(labels.iter().map(String::as_str)).try_for_each(check_name)?;
        let Some(known) = self.runners.get(name) else { return Ok(()) };
        if known.is.id == id {
            return Ok(());
        }
        let what = match known.is_connected(None) {
            true => format!("another machine works for this hub as {name}"),
            false => format!("another machine was called {name}"),
        };
        Err(WireError::new(ErrorCode::Busy, what).hint(format!(
            "Choose another name with --name; or, if it was this machine, forget the old one: studio runners remove {name}"
        )))
    }

    /// The job that a runner works on by the history.
    fn of_runner(&self, name: &str) -> Option<JobId> {
        self.live.iter().find(|(_, job)| job.runner() == Some(name)).map(|(id, _)| *id)
    }

    pub(in crate::jobs) fn leave(&mut self, name: &str, connection: u64) {
        let Some(runner) = self.runners.get_mut(name) else { return };
        if runner.is_connected(Some(connection)) {
            runner.disconnect();
            runner.is.seen_ms = now_ms();
            if let Err(error) = self.history.remember(&runner.is) {
                tracing::warn!("{error}");
            }
            self.runners_changed();
        }
    }

    pub(in crate::jobs) fn report(
        &mut self,
        name: &str,
        is: Working,
        first: u64,
        events: Vec<JobEvent>,
    ) -> Result<u64, ReportError> {
        let id = is.job;
        let Some(live) = self.live.get(&id) else { return self.report_of_the_past(name, is, first, &events) };
        if live.runner() != Some(name) || live.job.record.attempt != is.attempt {
            return Err(ReportError::Void);
        }
        let reported = live.job.reported;
        let last = first.saturating_add(events.len() as u64).saturating_sub(1);
        if first == 0 || first > reported + 1 {
            let what = format!("events are told from {first} on where {} comes next", reported + 1);
            return Err(ReportError::Later(WireError::new(ErrorCode::BadMessage, what)));
        }
        let skipped = usize::try_from(reported + 1 - first).unwrap_or(usize::MAX);
        let mut new: Vec<JobEvent> = events.into_iter().skip(skipped).collect();
        // Those are the hub's to tell.
        new.retain(|event| !matches!(event, JobEvent::Started { .. } | JobEvent::Requeued { .. }));
        if let Some(end) = new.iter().position(|event| matches!(event, JobEvent::Finished { .. })) {
            new.truncate(end + 1);
        }
        let spec = live.job.record.spec.clone();
        if let Some(JobEvent::Finished { outcome }) = new.last_mut() {
            let given = mem::replace(outcome, Outcome::Cancelled);
            *outcome = self.settled(name, &spec, given);
        }
        let is_over = matches!(new.last(), Some(JobEvent::Finished { .. }));
        let told = last.max(reported);
        self.change(id, new, |job| job.reported = told).map_err(|error| ReportError::Later(error.into()))?;
        if is_over {
            if let Some(runner) = self.runners.get_mut(name) {
                runner.job = None;
            }
            self.runners_changed();
            self.dispatch();
        }
        Ok(told)
    }

    /// A job that is over: a runner that lost the connection before it heard so may say its last events again.
    fn report_of_the_past(
        &self,
        name: &str,
        is: Working,
        first: u64,
        events: &[JobEvent],
    ) -> Result<u64, ReportError> {
        let stored = self.history.job(is.job).map_err(|error| ReportError::Later(error.into()))?;
        let stored = stored.ok_or(ReportError::Void)?;
        let was = stored.record.runner.as_ref().map(|runner| runner.name.as_str());
        if was != Some(name) || stored.record.attempt != is.attempt {
            return Err(ReportError::Void);
        }
        let last = first.saturating_add(events.len() as u64).saturating_sub(1);
        if last <= stored.reported { Ok(stored.reported) } else { Err(ReportError::Void) }
    }

    /// What a runner says came of a job, believed as far as it is so: a module must be here.
    fn settled(&self, name: &str, spec: &JobSpec, outcome: Outcome) -> Outcome {
        let (JobSpec::Compile(spec), Outcome::Compiled { module, compiler, flags, cpu_features, .. }) =
            (spec, &outcome)
        else {
            return outcome;
        };
        let failed = |code, what: String| Outcome::Failed { error: WireError::new(code, what) };
        match self.store.artifact(&module.blake3) {
            Ok(Some(there)) if there == *module => {}
            Ok(_) => {
                return failed(
                    ErrorCode::Corrupt,
                    format!("the runner {name} did not send the module that it made"),
                );
            }
            Err(error) => return failed(ErrorCode::Io, error.to_string()),
        }
        let entry = ModuleEntry {
            target: spec.target.clone(),
            file: FileEntry {
                name: runner_agent::targets::file_name(&spec.target),
                size_bytes: module.size_bytes,
                blake3: module.blake3.to_string(),
            },
            compiler: compiler.clone(),
            flags: flags.clone(),
            cpu_features: cpu_features.clone(),
        };
        match self.store.add_module(&spec.bundle, entry, name) {
            Ok(()) => outcome,
            Err(error) => failed(ErrorCode::Io, format!("the module could not be noted: {error}")),
        }
    }

    pub(in crate::jobs) fn put_back(&mut self, name: &str) -> Result<(), HistoryError> {
        let Some(id) = self.runners.get_mut(name).and_then(|runner| runner.job.take()) else { return Ok(()) };
        let requeued = JobEvent::Requeued { reason: "the hub was ended".to_owned() };
        self.change(id, vec![requeued], |job| job.record.state = JobState::Waiting)
    }

    pub(in crate::jobs) fn label_runner(
        &mut self,
        name: &str,
        labels: Option<Vec<String>>,
    ) -> Result<(), WireError> {
        let named = labels.iter().flatten();
        if named.clone().count() > MAX_LABELS {
            let what = format!("a runner has at most {MAX_LABELS} labels");
            return Err(WireError::new(ErrorCode::BadMessage, what).at(name));
        }
        named.map(String::as_str).try_for_each(check_name)?;
        let runner = self.runners.get_mut(name).ok_or_else(|| unknown(name))?;
        let mut is = runner.is.clone();
        is.chosen = labels;
        self.history.remember(&is)?;
        runner.is = is;
        self.runners_changed();
        // A job may have waited for just this label.
        self.dispatch();
        Ok(())
    }

    pub(in crate::jobs) fn remove_runner(&mut self, name: &str) -> Result<(), WireError> {
        let runner = self.runners.get(name).ok_or_else(|| unknown(name))?;
        if runner.is_connected(None) {
            let what = format!("the runner {name} is here");
            return Err(WireError::new(ErrorCode::Busy, what).hint("End its `runner-agent join` first"));
        }
        if let Some(id) = runner.job {
            self.lost(id, &format!("the runner {name} was removed"))?;
        }
        let is_waiting = |(_, job): &(&JobId, &Live)| {
            job.job.record.terms.on.as_ref() == Some(&On::Runner(name.to_owned()))
        };
        let orphans: Vec<JobId> = self.live.iter().filter(is_waiting).map(|(id, _)| *id).collect();
        for id in orphans {
            let error = WireError::new(ErrorCode::NotFound, format!("the runner {name} was removed"));
            self.finish(id, Outcome::Failed { error })?;
        }
        self.history.forget(name)?;
        self.runners.remove(name);
        self.runners_changed();
        Ok(())
    }
}
