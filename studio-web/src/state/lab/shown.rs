//! One job of the history, looked at: what the hub knows of it.

use crate::messages::Problem;
use studio_protocol::{JobId, JobRecord};

/// A job that is looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Which.
    pub id: JobId,
    /// What the hub knows of it, once it said so.
    pub record: Option<JobRecord>,
    /// Why there is nothing to see.
    pub problem: Option<Problem>,
}

impl Shown {
    /// A job of which nothing is known yet.
    #[must_use]
    pub fn new(id: JobId) -> Self {
        Self { id, record: None, problem: None }
    }
}
