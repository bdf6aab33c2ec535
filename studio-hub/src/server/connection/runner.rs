//! A connection that a runner has opened to get work.

use super::{About, Connection, End, blocking, frame};
use crate::jobs::{Joined, LOCAL, Newcomer, Order, ReportError};
use std::sync::Arc;
use studio_protocol::{ErrorCode, HubMessage, JobEvent, WireError, Working};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

/// What a connection is as a runner's.
pub(super) struct Work {
    name: String,
    connection: u64,
    /// Another connection has taken this one's place.
    dismissed: CancellationToken,
}

impl Work {
    /// Ends when another connection has taken this one's place, if this is a runner's at all.
    pub(super) async fn dismissed(work: Option<&Self>) {
        match work {
            Some(work) => work.dismissed.cancelled().await,
            None => std::future::pending().await,
        }
    }
}

impl Connection {
    pub(super) async fn join(&mut self, newcomer: Newcomer) -> Result<(), End> {
        if self.work.is_some() {
            return self.refuse(WireError::new(ErrorCode::BadMessage, "join was said before")).await;
        }
        let name = newcomer.info.name.clone();
        if name == LOCAL {
            let error = WireError::new(ErrorCode::BadMessage, format!("{LOCAL} is the hub's own runner"));
            return self.refuse(error.hint("Choose another name with --name")).await;
        }
        let jobs = Arc::clone(&self.hub.jobs);
        let joined = match blocking(move || jobs.join(newcomer)).await {
            Ok(joined) => joined,
            Err(error) => return self.refuse(error).await,
        };
        tracing::info!(runner = name, "a runner has joined");
        let Joined { connection, working, mut orders } = joined;
        let dismissed = CancellationToken::new();
        self.work = Some(Work { name, connection, dismissed: dismissed.clone() });
        self.say(&HubMessage::Joined { working }).await?;
        let out = self.out.clone();
        self.tasks.spawn(async move {
            while let Some(order) = orders.recv().await {
                let message = match order {
                    Order::Begin(assignment) => HubMessage::JobAssign(assignment),
                    Order::Stop(job) => HubMessage::JobStop { job },
                };
                if out.send(frame(&message)).await.is_err() {
                    return;
                }
            }
            dismissed.cancel();
        });
        Ok(())
    }

    pub(super) async fn job_report(
        &mut self,
        is: Working,
        first: u64,
        events: Vec<JobEvent>,
    ) -> Result<(), End> {
        let job = is.job;
        let Some(work) = &self.work else {
            let error = WireError::new(ErrorCode::BadMessage, "only a runner reports: say join first");
            return self.error(About::Job(job), error).await;
        };
        let (jobs, name) = (Arc::clone(&self.hub.jobs), work.name.clone());
        match spawn_blocking(move || jobs.report(&name, is, first, events)).await {
            Ok(Ok(events)) => self.say(&HubMessage::JobAck { job, events }).await,
            Ok(Err(ReportError::Void)) => self.say(&HubMessage::JobForget { job }).await,
            Ok(Err(ReportError::Later(error))) => self.error(About::Job(job), error).await,
            Err(error) => {
                let error = WireError::new(ErrorCode::Internal, format!("the hub failed: {error}"));
                self.error(About::Job(job), error).await
            }
        }
    }

    /// The connection ends: if it was a runner's, that runner is gone.
    pub(super) async fn leave(&mut self) {
        let Some(Work { name, connection, .. }) = self.work.take() else { return };
        tracing::info!(runner = name, "a runner's connection has ended");
        let jobs = Arc::clone(&self.hub.jobs);
        drop(spawn_blocking(move || jobs.leave(&name, connection)).await);
    }
}
