//! The graph: asked for when somebody wants to see it, of the model or of a dropped text.

use super::App;
use crate::messages::{Problem, ToWorker};
use crate::state::graph::GraphState;
use crate::state::model::{ModelState, PlanState};
use crate::state::options::{OptionsForm, Subject};
use leptos::prelude::*;
use std::sync::Arc;
use studio_core::options::{ExportOptions, Kernels};
use studio_graph::Module;
use web_sys::File;

impl App {
    /// Asks for the graph of the model, with the options of the form or, where they aren't sensible, the usual ones.
    pub(crate) fn ask_for_graph(&self) {
        let subject = self
            .model
            .with_untracked(|model| model.exportable().map(|(drop_id, card)| (drop_id, Subject::of(card))));
        let Some((drop_id, subject)) = subject else {
            let problem = Problem::new("This model can't be exported, so there is no graph of it");
            self.graph.set(GraphState::Failed { problem, file: None });
            return;
        };
        let chosen = untrack(|| self.chosen()).map(|(_, options)| options);
        let usual = || OptionsForm::for_model(subject, Kernels::Portable).check(subject).unwrap_or_default();
        let options: ExportOptions = chosen.unwrap_or_else(usual);
        let graph_id = self.next_number();
        self.graph.set(GraphState::Asked { graph_id, file: None });
        self.tell_worker(&ToWorker::Graph { drop_id, graph_id, options }, &[]);
    }

    /// Shows the graph of a text instead of a model.
    pub(crate) fn open_graph_text(&self, file: File) {
        self.plan.set(PlanState::Unknown);
        self.model.set(ModelState::Empty);
        let graph_id = self.next_number();
        self.graph.set(GraphState::Asked { graph_id, file: Some(file.name()) });
        self.tell_worker(&ToWorker::GraphText { graph_id }, &[file]);
    }

    /// Puts the graph away.
    pub(crate) fn close_graph(&self) {
        self.graph.set(GraphState::None);
    }

    pub(super) fn take_graph(&self, answer: u64, result: Result<Box<Module>, Problem>) {
        let asked = self.graph.with_untracked(|graph| match graph {
            GraphState::Asked { graph_id, file } if *graph_id == answer => Some(file.clone()),
            _ => None,
        });
        let Some(file) = asked else { return };
        self.graph.set(match result {
            Ok(module) => GraphState::Open { module: Arc::from(module), file },
            Err(problem) => GraphState::Failed { problem, file },
        });
    }
}
