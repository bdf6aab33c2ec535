//! What a person asks of the lab: who is there, what was done, do it again.

use super::App;
use crate::messages::Problem;
use crate::state::job::{Job, JobKey};
use crate::state::lab::history::{AT_ONCE, Search};
use crate::state::lab::route::Route;
use crate::state::lab::shown::Shown;
use leptos::ev;
use leptos::prelude::*;
use std::time::Duration;
use studio_protocol::{ClientMessage, JobEvent, JobFilter, JobId, JobRecord, JobState};

/// How often the list of jobs is asked for anew while it is looked at: another page's jobs that wait for a runner change
/// nothing else that is told.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Measurements that are shown over time.
const MOST_BENCHES: u32 = 200;

/// What a request was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The list of jobs, or its continuation.
    List { search: Search, goes_on: bool },
    /// The measurements of the history.
    Benches,
    /// One of them that isn't among the newest.
    Bench,
    /// A job.
    Show,
    /// To do a job once more.
    Rerun,
    /// Something about a runner.
    Runner(String),
}

impl App {
    /// Keeps the page to its address, and what is looked at to the hub.
    pub(super) fn follow_route(self) {
        let read = move || self.route.set(Route::of(&window().location().hash().unwrap_or_default()));
        read();
        drop(window_event_listener(ev::hashchange, move |_| read()));
        let is_up = Memo::new(move |_| self.link.with(|link| link.is_up()));
        // Runners tell of each job that begins or ends.
        let work = Memo::new(move |_| {
            self.link.with(|link| {
                link.runners().iter().map(|runner| (runner.state as u8, runner.job)).collect::<Vec<_>>()
            })
        });
        Effect::new(move |_| {
            work.track();
            self.search.track();
            let route = self.route.get();
            if is_up.get() {
                untrack(|| self.look(&route));
            }
        });
        let tick = move || {
            if self.route.with_untracked(|route| *route == Route::Jobs) && is_up.get_untracked() {
                self.look(&Route::Jobs);
            }
        };
        drop(set_interval_with_handle(tick, LOOK_EVERY));
    }

    /// Asks for what a part of the page shows.
    fn look(&self, route: &Route) {
        match route {
            Route::Steps => {}
            Route::Compare(ids) => self.look_at_benches(ids),
            Route::Runners => {
                if self.token.with_untracked(Option::is_none) {
                    let request = self.next_number();
                    self.say(&ClientMessage::RunnerInvite { request });
                }
            }
            Route::Jobs => {
                self.list(None);
            }
            Route::Job(id) => {
                if self.shown.with_untracked(|shown| shown.as_ref().is_none_or(|shown| shown.id != *id)) {
                    self.shown.set(Some(Shown::new(*id)));
                    self.looked_at.set(None);
                }
                let job = *id;
                self.ask(Asked::Show, |request| ClientMessage::JobShow { request, job });
            }
        }
    }

    fn ask(&self, asked: Asked, message: impl FnOnce(u64) -> ClientMessage) {
        let request = self.next_number();
        self.asked.update_value(|all| {
            all.insert(request, asked);
        });
        self.say(&message(request));
    }

    /// Goes to another part of the page.
    pub(crate) fn go(&self, route: &Route) {
        // An address of our own can always be set.
        drop(window().location().set_hash(&route.hash()));
    }

    /// Goes there without a step back to here.
    pub(crate) fn turn_to(&self, route: &Route) {
        drop(window().location().replace(&route.hash()));
    }

    /// Asks for the jobs before those that are listed.
    pub(crate) fn list_more(&self) {
        let before = self.history.with_untracked(|history| history.jobs.last().map(|job| job.job));
        self.list(before);
    }

    fn list(&self, before: Option<JobId>) {
        let search = self.search.get_untracked();
        let filter = search.filter(before, AT_ONCE);
        let asked = Asked::List { search, goes_on: before.is_some() };
        self.ask(asked, |request| ClientMessage::JobsList { request, filter });
    }

    /// Asks for the same job once more, and goes there.
    pub(crate) fn rerun(&self, job: JobId) {
        self.ask(Asked::Rerun, |request| ClientMessage::JobRerun { request, job });
    }

    /// Gives a runner other labels.
    pub(crate) fn label_runner(&self, name: String, labels: Vec<String>) {
        self.refusal.set(None);
        self.ask(Asked::Runner(name.clone()), |request| ClientMessage::RunnerLabel {
            request,
            name,
            labels: Some(labels),
        });
    }

    /// Forgets a runner that is gone.
    pub(crate) fn remove_runner(&self, name: String) {
        self.refusal.set(None);
        self.ask(Asked::Runner(name.clone()), |request| ClientMessage::RunnerRemove { request, name });
    }

    fn look_at_benches(&self, ids: &[JobId]) {
        let filter = JobFilter {
            kind: Some("bench".to_owned()),
            state: Some(JobState::Over),
            limit: Some(MOST_BENCHES),
            ..JobFilter::default()
        };
        self.ask(Asked::Benches, |request| ClientMessage::JobsList { request, filter });
        for &job in ids {
            let is_known =
                |benches: &Option<Vec<JobRecord>>| benches.iter().flatten().any(|record| record.job == job);
            if !self.benches.with_untracked(is_known) {
                self.ask(Asked::Bench, |request| ClientMessage::JobShow { request, job });
            }
        }
    }

    /// Takes measurements of the history beside those that are known.
    fn know_benches(&self, records: Vec<JobRecord>) {
        self.benches.update(|benches| {
            let benches = benches.get_or_insert_default();
            let is_new = |record: &JobRecord| benches.iter().all(|known| known.job != record.job);
            let new: Vec<JobRecord> = records.into_iter().filter(is_new).collect();
            benches.extend(new);
            benches.sort_by_key(|record| std::cmp::Reverse(record.job));
        });
    }

    fn answered(&self, request: u64) -> Option<Asked> {
        self.asked.try_update_value(|asked| asked.remove(&request)).flatten()
    }

    pub(super) fn take_accepted(&self, request: u64, job: JobId) {
        if self.answered(request) == Some(Asked::Rerun) {
            self.go(&Route::Job(job));
        } else if self.route.with_untracked(|route| *route == Route::Jobs) {
            self.look(&Route::Jobs);
        }
    }

    pub(super) fn take_list(&self, request: u64, jobs: Vec<JobRecord>, more: bool) {
        match self.answered(request) {
            Some(Asked::List { search, goes_on }) => {
                self.history.update(|history| history.take(search, jobs, more, goes_on));
            }
            Some(Asked::Benches) => self.know_benches(jobs),
            _ => {}
        }
    }

    pub(super) fn take_record(&self, request: u64, record: JobRecord) {
        match self.answered(request) {
            Some(Asked::Show) => {}
            Some(Asked::Bench) => return self.know_benches(vec![record]),
            _ => return,
        }
        let job = record.job;
        if self.shown.with_untracked(|shown| shown.as_ref().is_none_or(|shown| shown.id != job)) {
            return;
        }
        let key = JobKey { id: job, spec: record.spec.clone(), terms: record.terms.clone() };
        self.shown.set(Some(Shown { record: Some(record), ..Shown::new(job) }));
        if self.looked_at.with_untracked(|looked_at| looked_at.as_ref().is_none_or(|at| at.id != Some(job))) {
            self.looked_at.set(Some(Job::resumed(self.next_number(), key)));
            self.say(&ClientMessage::JobWatch { job, after: 0 });
        }
    }

    pub(super) fn take_done(&self, request: u64) {
        // What changed is told by `runners`.
        drop(self.answered(request));
    }

    pub(super) fn take_refusal(&self, request: u64, problem: Problem) {
        match self.answered(request) {
            // A measurement that is forgotten leaves its place empty.
            None | Some(Asked::Benches | Asked::Bench) => {}
            Some(Asked::List { .. }) => self.history.update(|history| history.problem = Some(problem)),
            Some(Asked::Show | Asked::Rerun) => self.shown.update(|shown| {
                if let Some(shown) = shown {
                    shown.problem = Some(problem);
                }
            }),
            Some(Asked::Runner(name)) => self.refusal.set(Some((name, problem))),
        }
    }

    /// What the record of the job that is looked at has of its beginning and end is told by no event.
    pub(super) fn note_event(&self, id: JobId, event: &JobEvent) {
        let is_shown = self.shown.with_untracked(|shown| shown.as_ref().is_some_and(|shown| shown.id == id));
        let changes =
            matches!(event, JobEvent::Started { .. } | JobEvent::Finished { .. } | JobEvent::Requeued { .. });
        if is_shown && changes {
            self.ask(Asked::Show, |request| ClientMessage::JobShow { request, job: id });
        }
    }
}
