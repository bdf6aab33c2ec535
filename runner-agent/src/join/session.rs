//! A connection to the hub from its opening to its end, and the job that outlives it.

use super::{depot::Depot, job::Job};
use crate::{
    Worker,
    hub::{HubAddress, Link, LinkError},
};
use std::{sync::Arc, time::Duration};
use studio_protocol::{ClientMessage, HubMessage, RunnerInfo, Working};
use tokio::time::{Instant, sleep_until};

/// How long to wait before a report is sent again that the hub could not keep.
const RETRY: Duration = Duration::from_secs(2);

/// A runner, with or without a connection.
pub(super) struct Session {
    worker: Arc<Worker<Depot>>,
    info: RunnerInfo,
    id: String,
    labels: Vec<String>,
    job: Option<Job>,
    /// Nothing is reported before.
    report_from: Instant,
}

impl Session {
    pub(super) fn new(worker: Arc<Worker<Depot>>, info: RunnerInfo, id: String, labels: Vec<String>) -> Self {
        Self { worker, info, id, labels, job: None, report_from: Instant::now() }
    }

    /// Works for the hub over one connection and says why it ended. `attempt` is set to 0 when the hub has taken this
    /// runner in.
    pub(super) async fn work(&mut self, hub: &HubAddress, agent: &str, attempt: &mut u32) -> LinkError {
        match self.connection(hub, agent, attempt).await {
            Ok(never) => match never {},
            Err(error) => error,
        }
    }

    async fn connection(
        &mut self,
        hub: &HubAddress,
        agent: &str,
        attempt: &mut u32,
    ) -> Result<std::convert::Infallible, LinkError> {
        let (mut link, welcome) = Link::open(hub, agent).await?;
        let working: Vec<Working> = self.job.iter().map(|job| job.is).collect();
        let (runner, id, labels) = (self.info.clone(), self.id.clone(), self.labels.clone());
        link.say(&ClientMessage::Join { runner, id, labels, working }).await?;
        let goes_on = match link.hear().await? {
            HubMessage::Joined { working } => working,
            HubMessage::Error { error, .. } => return Err(LinkError::Refused(error)),
            other => return Err(LinkError::Lost(format!("the hub answered join with {other:?}"))),
        };
        *attempt = 0;
        tracing::info!("{} works for {hub} ({})", self.info.name, welcome.hub);
        self.job.take_if(|job| !goes_on.contains(&job.is));
        if let Some(job) = &mut self.job {
            job.send_again();
        }
        self.report_from = Instant::now();
        loop {
            let report = async {
                match &self.job {
                    Some(job) => {
                        sleep_until(self.report_from).await;
                        (job.is, job.next().await)
                    }
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                message = link.hear() => self.take(message?),
                (is, (first, events)) = report => {
                    let count = events.len();
                    link.say(&ClientMessage::JobReport { job: is.job, attempt: is.attempt, first, events }).await?;
                    if let Some(job) = &mut self.job {
                        job.sent(count);
                    }
                }
            }
        }
    }

    fn take(&mut self, message: HubMessage) {
        match message {
            HubMessage::JobAssign(assignment) => {
                tracing::info!("job {} begins: {}", assignment.job, assignment.spec.kind());
                self.job = Some(Job::begin(&self.worker, *assignment));
            }
            HubMessage::JobAck { job, events } => {
                let is_over = self.of(job).is_some_and(|job| job.acknowledge(events));
                if is_over {
                    tracing::info!("job {job} ended");
                    self.job = None;
                }
            }
            HubMessage::JobStop { job } => {
                if let Some(job) = self.of(job) {
                    job.stop();
                }
            }
            HubMessage::JobForget { job } => {
                self.job.take_if(|ours| ours.id() == job);
            }
            HubMessage::Error { job: Some(job), error, .. } => {
                tracing::warn!("job {job}: {error}");
                self.report_from = Instant::now() + RETRY;
                if let Some(job) = self.of(job) {
                    job.send_again();
                }
            }
            HubMessage::Error { error, .. } => tracing::warn!("the hub says: {error}"),
            _ => {}
        }
    }

    fn of(&mut self, id: studio_protocol::JobId) -> Option<&mut Job> {
        self.job.as_mut().filter(|job| job.id() == id)
    }
}
