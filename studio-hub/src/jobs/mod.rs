//! Jobs: accepted, queued, given to runners, told of, and never lost.
//!
//! All that is known of a job that is not over lies in [`State`], and in the history: each change is written there
//! before anybody hears of it. Runners, the hub's own among them, get orders through a channel and report back.

mod check;
mod local;
mod queue;
mod runners;
mod sweep;
mod tell;
mod watch;

pub(crate) use local::{LOCAL, LocalRunner, start_local};
pub(crate) use queue::ReportError;
pub(crate) use runners::{Joined, Newcomer, Order};
pub(crate) use sweep::conduct;
pub(crate) use watch::Watch;

use crate::{
    history::{History, HistoryError, Page},
    store::Store,
};
use queue::State;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use studio_protocol::{
    ErrorCode, JobEvent, JobFilter, JobId, JobRecord, JobSpec, Runner, Terms, WireError, Working,
};
use tokio::sync::{Notify, watch as channel};
use tokio_util::sync::CancellationToken;

/// How often it is looked whether a runner was away for too long.
const TICK: Duration = Duration::from_secs(1);

/// How long an artifact is kept that nothing refers to, and those of jobs that are over.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

/// Ticks after which old jobs and artifacts are looked for: an hour.
const CLEANING: u64 = 3600;

/// Jobs that the history keeps.
const KEPT_JOBS: u32 = 10_000;

/// All jobs and runners of a hub. Every call may wait for the disk: callers on an async thread go through
/// `spawn_blocking`.
#[derive(Debug)]
pub(crate) struct Jobs {
    state: Mutex<State>,
    /// Another connection to the history, so that whoever reads holds nobody up.
    reader: Mutex<History>,
    store: Arc<Store>,
    /// Counts changes of runners.
    runners: channel::Receiver<u64>,
    /// Rings when a sweep was asked for.
    sweeps: Notify,
}

impl Jobs {
    /// The jobs of a data folder, those of an earlier hub included. A runner that works and is gone for longer than
    /// `grace` loses its job.
    pub(crate) fn open(store: &Arc<Store>, grace: Duration) -> Result<Self, HistoryError> {
        let path = store.history_path();
        let (state, runners) = State::open(History::open(&path)?, Arc::clone(store), grace)?;
        let reader = History::open(&path)?;
        Ok(Self {
            state: Mutex::new(state),
            reader: Mutex::new(reader),
            store: Arc::clone(store),
            runners,
            sweeps: Notify::new(),
        })
    }

    /// Looks after runners that are away, until `shutdown`.
    pub(crate) async fn tend(self: Arc<Self>, shutdown: CancellationToken) {
        let mut tick = tokio::time::interval(TICK);
        let mut turns = 0_u64;
        while shutdown.run_until_cancelled(tick.tick()).await.is_some() {
            let jobs = Arc::clone(&self);
            let clean = turns.is_multiple_of(CLEANING);
            turns += 1;
            let tended = tokio::task::spawn_blocking(move || {
                jobs.look_after()?;
                if clean { jobs.clean() } else { Ok(()) }
            });
            if let Ok(Err(error)) = tended.await {
                tracing::warn!("{error}");
            }
        }
    }

    fn look_after(&self) -> Result<(), HistoryError> {
        let mut state = self.state();
        state.give_up_on_the_lost()?;
        state.dispatch();
        Ok(())
    }

    /// Forgets the oldest jobs, and deletes artifacts that nothing refers to.
    fn clean(&self) -> Result<(), HistoryError> {
        self.state().prune(KEPT_JOBS)?;
        let since = now_ms().saturating_sub(u64::try_from(KEPT_FOR.as_millis()).unwrap_or(u64::MAX));
        let recent = self.reader().specs_since(since)?;
        match self.store.collect(&recent, KEPT_FOR) {
            Ok(0) => {}
            Ok(bytes) => {
                tracing::info!("{} MB of artifacts that nothing refers to were deleted", bytes / 1_000_000)
            }
            Err(error) => tracing::warn!("old artifacts could not be deleted: {error}"),
        }
        Ok(())
    }

    /// Accepts a job, one for each of several runners if that is asked for, or says why not.
    pub(crate) fn submit(&self, spec: &JobSpec, terms: &Terms) -> Result<Vec<JobId>, WireError> {
        let model = check::check(&self.store, spec)?;
        check::terms(terms)?;
        let jobs = self.state().submit(spec, terms, &model)?;
        self.sweeps.notify_one();
        Ok(jobs)
    }

    /// The same job again.
    pub(crate) fn rerun(&self, id: JobId) -> Result<Vec<JobId>, WireError> {
        let record = self.record(id)?;
        self.submit(&record.spec, &record.terms)
    }

    /// Asks a job to end. One that waits ends at once.
    pub(crate) fn cancel(&self, id: JobId) -> Result<(), WireError> {
        if self.state().cancel(id)? {
            return Ok(());
        }
        // Over already, or never there.
        self.record(id).map(drop)
    }

    /// What is known of a job.
    pub(crate) fn record(&self, id: JobId) -> Result<JobRecord, WireError> {
        let stored = self.reader().job(id)?;
        stored.map(|stored| stored.record).ok_or_else(|| unknown(id))
    }

    /// The jobs that a filter chooses.
    pub(crate) fn list(&self, filter: &JobFilter) -> Result<Page, WireError> {
        Ok(self.reader().list(filter)?)
    }

    /// Follows a job's events.
    pub(crate) fn watch(self: &Arc<Self>, id: JobId) -> Result<Watch, WireError> {
        let last = self.state().last_event(id);
        if last.is_none() {
            self.record(id)?;
        }
        Ok(Watch::new(Arc::clone(self), id, last))
    }

    /// A job's events after number `after`, at most so many.
    fn events(&self, id: JobId, after: u64, limit: u32) -> Result<Vec<(u64, JobEvent)>, HistoryError> {
        self.reader().events(id, after, limit)
    }

    /// The runners, the hub's own first.
    pub(crate) fn runners(&self) -> Vec<Runner> {
        self.state().runners()
    }

    /// Counts changes of them.
    pub(crate) fn runner_changes(&self) -> channel::Receiver<u64> {
        self.runners.clone()
    }

    /// A runner comes, or comes back.
    pub(crate) fn join(&self, newcomer: Newcomer) -> Result<Joined, WireError> {
        self.state().join(newcomer)
    }

    /// The connection of this number, a runner's, has ended.
    pub(crate) fn leave(&self, name: &str, connection: u64) {
        self.state().leave(name, connection);
    }

    /// A runner tells what happened, its events from number `first` on. Gives the number of its last event that is
    /// kept.
    pub(crate) fn report(
        &self,
        name: &str,
        is: Working,
        first: u64,
        events: Vec<JobEvent>,
    ) -> Result<u64, ReportError> {
        self.state().report(name, is, first, events)
    }

    /// The hub ends in order: what its own runner works on is to begin anew when a hub is there again.
    fn put_back(&self, name: &str) {
        if let Err(error) = self.state().put_back(name) {
            tracing::warn!("{error}");
        }
    }

    /// Gives a runner these labels, or its own again.
    pub(crate) fn label_runner(&self, name: &str, labels: Option<Vec<String>>) -> Result<(), WireError> {
        self.state().label_runner(name, labels)
    }

    /// Forgets a runner that is gone.
    pub(crate) fn remove_runner(&self, name: &str) -> Result<(), WireError> {
        self.state().remove_runner(name)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reader(&self) -> MutexGuard<'_, History> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown(id: JobId) -> WireError {
    WireError::new(ErrorCode::NotFound, format!("the hub knows no job {id}"))
        .hint(format!("It keeps the last {KEPT_JOBS}"))
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    u64::try_from(now).unwrap_or_default()
}
