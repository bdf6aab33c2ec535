//! The graph explorer: what is open, what is chosen, where one looks; no browser here.

pub mod camera;
pub mod details;
pub mod explorer;
pub mod link;
#[cfg(test)]
mod tests;

use crate::messages::Problem;
use std::sync::Arc;
use studio_graph::Module;

/// The graph as the page follows it.
#[derive(Debug, Clone, Default)]
pub enum GraphState {
    /// Nobody asked for one.
    #[default]
    None,
    /// The worker makes it.
    Asked {
        /// The question.
        graph_id: u64,
        /// The text's file, where it isn't the model's.
        file: Option<String>,
    },
    /// There is none.
    Failed {
        /// Why.
        problem: Problem,
        /// The text's file, where it isn't the model's.
        file: Option<String>,
    },
    /// It is there.
    Open {
        /// What it shows.
        module: Arc<Module>,
        /// The text's file, where it isn't the model's.
        file: Option<String>,
    },
}

impl GraphState {
    /// The file of a text that was dropped, whatever became of it.
    pub fn file(&self) -> Option<&str> {
        match self {
            GraphState::None => None,
            GraphState::Asked { file, .. }
            | GraphState::Failed { file, .. }
            | GraphState::Open { file, .. } => file.as_deref(),
        }
    }
}
