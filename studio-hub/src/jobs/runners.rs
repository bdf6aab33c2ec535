//! The runners that a hub knows.

use crate::history::Remembered;
use std::time::Instant;
use studio_protocol::{Assignment, JobId, On, Runner, RunnerInfo, RunnerState, Working};
use tokio::sync::mpsc;

/// Orders that may wait for a runner's connection. There is a job at a time, and little to say about it.
const ORDERS: usize = 32;

/// What a runner is told.
#[derive(Debug)]
pub(crate) enum Order {
    /// To begin a job.
    Begin(Box<Assignment>),
    /// To end the job that it works on and to tell its end.
    Stop(JobId),
}

/// A runner that comes.
#[derive(Debug)]
pub(crate) struct Newcomer {
    /// What it says of itself.
    pub(crate) info: RunnerInfo,
    /// Tells it from another machine of the same name.
    pub(crate) id: String,
    /// What jobs may choose it by.
    pub(crate) labels: Vec<String>,
    /// What it works on.
    pub(crate) working: Vec<Working>,
}

/// A runner that was taken in.
#[derive(Debug)]
pub(crate) struct Joined {
    /// The number of its connection.
    pub(crate) connection: u64,
    /// Which of its jobs goes on.
    pub(crate) working: Vec<Working>,
    /// What it is to do. The channel ends when another connection takes the runner's place.
    pub(crate) orders: mpsc::Receiver<Order>,
}

/// A runner that the hub knows.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) is: Remembered,
    /// Its connection, while there is one.
    link: Option<(u64, mpsc::Sender<Order>)>,
    /// What it works on.
    pub(super) job: Option<JobId>,
    /// Since when there is no connection.
    pub(super) gone_since: Instant,
}

impl Known {
    /// One that is gone.
    pub(super) fn gone(is: Remembered) -> Self {
        Self { is, link: None, job: None, gone_since: Instant::now() }
    }

    /// Gives it a connection; the one before ends.
    pub(super) fn connect(&mut self, connection: u64) -> mpsc::Receiver<Order> {
        let (sender, orders) = mpsc::channel(ORDERS);
        self.link = Some((connection, sender));
        orders
    }

    /// Whether it has a connection, this one if a number is given.
    pub(super) fn is_connected(&self, by: Option<u64>) -> bool {
        self.link.as_ref().is_some_and(|(number, _)| by.is_none_or(|by| by == *number))
    }

    /// Takes its connection away.
    pub(super) fn disconnect(&mut self) {
        self.link = None;
        self.gone_since = Instant::now();
    }

    /// Tells it something; `false` if it can't be reached, and then its connection is taken away.
    pub(super) fn tell(&mut self, order: Order) -> bool {
        let told = self.link.as_ref().is_some_and(|(_, sender)| sender.try_send(order).is_ok());
        if !told && self.link.is_some() {
            self.disconnect();
        }
        told
    }

    /// Whether it may be given a job now.
    pub(super) fn is_idle(&self) -> bool {
        self.link.is_some() && self.job.is_none()
    }

    /// Whether it goes by this name or label.
    pub(super) fn is_called(&self, word: &str) -> bool {
        self.is.info.name == word || self.is.labels().iter().any(|label| label == word)
    }

    /// Whether a job for these is for it.
    pub(super) fn is_meant(&self, on: Option<&On>) -> bool {
        match on {
            None => self.is.info.name == super::LOCAL,
            Some(On::Runner(name)) => self.is.info.name == *name,
            Some(On::Label(label)) => self.is.labels().contains(label),
            Some(On::Each(words)) => words.is_empty() || words.iter().any(|word| self.is_called(word)),
        }
    }

    /// As clients see it.
    pub(super) fn shown(&self) -> Runner {
        let state = match (&self.link, self.job) {
            (None, _) => RunnerState::Gone,
            (Some(_), None) => RunnerState::Idle,
            (Some(_), Some(_)) => RunnerState::Busy,
        };
        Runner {
            info: self.is.info.clone(),
            labels: self.is.labels().to_vec(),
            state,
            job: self.job,
            seen_ms: if self.link.is_some() { super::now_ms() } else { self.is.seen_ms },
        }
    }
}
