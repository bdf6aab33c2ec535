//! Jobs and runners as a client asks for them.

use super::{About, Connection, End, blocking, frame};
use std::sync::Arc;
use studio_protocol::{ErrorCode, HubMessage, JobFilter, JobId, JobSpec, Terms, WireError};
use tokio::task::spawn_blocking;

/// Jobs that a connection may watch.
const MAX_WATCHES: usize = 64;

impl Connection {
    pub(super) async fn job_submit(&mut self, request: u64, spec: JobSpec, terms: Terms) -> Result<(), End> {
        let jobs = Arc::clone(&self.hub.jobs);
        self.accepted(request, blocking(move || jobs.submit(&spec, &terms)).await).await
    }

    pub(super) async fn job_rerun(&mut self, request: u64, job: JobId) -> Result<(), End> {
        let jobs = Arc::clone(&self.hub.jobs);
        self.accepted(request, blocking(move || jobs.rerun(job)).await).await
    }

    async fn accepted(&mut self, request: u64, jobs: Result<Vec<JobId>, WireError>) -> Result<(), End> {
        let jobs = match jobs {
            Ok(jobs) => jobs,
            Err(error) => return self.error(About::Request(request), error).await,
        };
        let Some(&job) = jobs.first() else { return Ok(()) };
        let several = if jobs.len() > 1 { jobs.clone() } else { Vec::new() };
        self.say(&HubMessage::JobAccepted { request, job, jobs: several }).await?;
        for job in jobs {
            self.job_watch(job, 0).await?;
        }
        Ok(())
    }

    pub(super) async fn jobs_list(&mut self, request: u64, filter: JobFilter) -> Result<(), End> {
        let jobs = Arc::clone(&self.hub.jobs);
        match blocking(move || jobs.list(&filter)).await {
            Ok(page) => self.say(&HubMessage::Jobs { request, jobs: page.jobs, more: page.more }).await,
            Err(error) => self.error(About::Request(request), error).await,
        }
    }

    pub(super) async fn job_show(&mut self, request: u64, job: JobId) -> Result<(), End> {
        let jobs = Arc::clone(&self.hub.jobs);
        match blocking(move || jobs.record(job)).await {
            Ok(record) => self.say(&HubMessage::Job { request, record: Box::new(record) }).await,
            Err(error) => self.error(About::Request(request), error).await,
        }
    }

    pub(super) async fn job_cancel(&mut self, job: JobId) -> Result<(), End> {
        let jobs = Arc::clone(&self.hub.jobs);
        match blocking(move || jobs.cancel(job)).await {
            Ok(()) => Ok(()),
            Err(error) => self.error(About::Job(job), error).await,
        }
    }

    pub(super) async fn job_watch(&mut self, id: JobId, after: u64) -> Result<(), End> {
        while self.tasks.try_join_next().is_some() {}
        self.watches.retain(|_, watcher| !watcher.is_finished());
        let jobs = Arc::clone(&self.hub.jobs);
        let mut watch = match blocking(move || jobs.watch(id)).await {
            Ok(watch) => watch,
            Err(error) => return self.error(About::Job(id), error).await,
        };
        if let Some(watcher) = self.watches.remove(&id) {
            watcher.abort();
        }
        if self.watches.len() >= MAX_WATCHES {
            let error = WireError::new(ErrorCode::Busy, format!("{MAX_WATCHES} jobs are watched already"));
            return self.error(About::Job(id), error).await;
        }
        let out = self.out.clone();
        let watcher = self.tasks.spawn(async move {
            let mut after = after;
            while let Some((seq, event)) = watch.next(after).await {
                let message = HubMessage::JobEvent { job: id, seq, event };
                if out.send(frame(&message)).await.is_err() {
                    return;
                }
                after = seq;
            }
        });
        self.watches.insert(id, watcher);
        Ok(())
    }

    /// Tells of all runners now and at each change. Who reads slowly hears of several changes at once.
    pub(super) async fn runners_watch(&mut self) -> Result<(), End> {
        if let Some(watcher) = self.runners.take() {
            watcher.abort();
        }
        let (out, jobs) = (self.out.clone(), Arc::clone(&self.hub.jobs));
        let mut changes = jobs.runner_changes();
        let watcher = self.tasks.spawn(async move {
            loop {
                changes.borrow_and_update();
                let jobs = Arc::clone(&jobs);
                let Ok(runners) = spawn_blocking(move || jobs.runners()).await else { return };
                if out.send(frame(&HubMessage::Runners { runners })).await.is_err() {
                    return;
                }
                if changes.changed().await.is_err() {
                    return;
                }
            }
        });
        self.runners = Some(watcher);
        Ok(())
    }

    pub(super) async fn runner_remove(&mut self, request: u64, name: String) -> Result<(), End> {
        let jobs = Arc::clone(&self.hub.jobs);
        match blocking(move || jobs.remove_runner(&name)).await {
            Ok(()) => self.say(&HubMessage::Done { request }).await,
            Err(error) => self.error(About::Request(request), error).await,
        }
    }

    pub(super) async fn runner_label(
        &mut self,
        request: u64,
        name: String,
        labels: Option<Vec<String>>,
    ) -> Result<(), End> {
        let jobs = Arc::clone(&self.hub.jobs);
        match blocking(move || jobs.label_runner(&name, labels)).await {
            Ok(()) => self.say(&HubMessage::Done { request }).await,
            Err(error) => self.error(About::Request(request), error).await,
        }
    }
}
