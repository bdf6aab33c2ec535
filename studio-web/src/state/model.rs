//! The dropped model as the page follows it.

use crate::messages::{ExportPlan, ModelCard, ModelReport, Problem};
use std::sync::Arc;

/// The dropped model.
#[derive(Debug, Clone, Default)]
pub enum ModelState {
    /// None was dropped.
    #[default]
    Empty,
    /// Its header is being read.
    Reading {
        /// The drop.
        drop_id: u64,
        /// The files' names.
        names: Vec<String>,
    },
    /// It cannot be read.
    Failed {
        /// Why.
        problem: Problem,
    },
    /// It is open in the worker.
    Open {
        /// The drop.
        drop_id: u64,
        /// What it is.
        report: Arc<ModelReport>,
    },
}

impl ModelState {
    /// The drop and the card of an open model.
    pub fn open(&self) -> Option<(u64, &ModelCard)> {
        match self {
            ModelState::Open { drop_id, report } => Some((*drop_id, &report.card)),
            ModelState::Empty | ModelState::Reading { .. } | ModelState::Failed { .. } => None,
        }
    }

    /// The drop and the card of an open model that can be exported.
    pub fn exportable(&self) -> Option<(u64, &ModelCard)> {
        self.open().filter(|(_, card)| card.obstacles.is_empty())
    }
}

/// The files that an export would have.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum PlanState {
    /// Nobody asked yet, or the options are not sensible.
    #[default]
    Unknown,
    /// The worker was asked.
    Asked {
        /// The question.
        plan_id: u64,
    },
    /// It answered.
    Planned(ExportPlan),
    /// It cannot be done with these options.
    Failed(Problem),
}
