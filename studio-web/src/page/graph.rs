//! The graph: asked for when somebody wants to see it, of the model or of a dropped text. That of the form's export is
//! mostly there already, as bytes: the worker sends it with each plan.

use super::App;
use crate::messages::{Problem, ToWorker};
use crate::state::graph::GraphState;
use crate::state::model::{ModelState, PlanState};
use crate::state::options::{OptionsForm, Subject};
use crate::wire;
use js_sys::Uint8Array;
use leptos::prelude::*;
use std::sync::Arc;
use studio_core::options::{ExportOptions, Kernels};
use web_sys::File;

/// A graph that the worker sends unasked.
pub(super) struct Described {
    plan_id: u64,
    drop_id: u64,
    options: ExportOptions,
    /// The graph, once it is there.
    bytes: Option<Uint8Array>,
}

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
        let usual = || OptionsForm::for_model(subject, Kernels::Portable).check().unwrap_or_default();
        let options: ExportOptions = chosen.unwrap_or_else(usual);
        let bytes = self.described.with_value(|described| {
            let described = described.as_ref()?;
            let fits = described.drop_id == drop_id && described.options == options;
            described.bytes.clone().filter(|_| fits)
        });
        if let Some(bytes) = bytes {
            self.open_graph(&bytes, None);
            return;
        }
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

    /// A plan was asked for: its graph will come.
    pub(super) fn await_graph(&self, plan_id: u64, drop_id: u64, options: ExportOptions) {
        self.described.set_value(Some(Described { plan_id, drop_id, options, bytes: None }));
    }

    /// A plan's graph is there: kept, and shown where somebody waits for the model's.
    pub(super) fn take_described(&self, answer: u64, bytes: Option<Uint8Array>) {
        let awaited = self.described.try_update_value(|described| {
            let described = described.as_mut().filter(|described| described.plan_id == answer)?;
            described.bytes.clone_from(&bytes);
            described.bytes.clone()
        });
        let waiting =
            self.graph.with_untracked(|graph| matches!(graph, GraphState::Asked { file: None, .. }));
        if let Some(bytes) = awaited.flatten().filter(|_| waiting) {
            self.open_graph(&bytes, None);
        }
    }

    pub(super) fn take_graph(&self, answer: u64, result: Result<(), Problem>, bytes: Option<Uint8Array>) {
        let asked = self.graph.with_untracked(|graph| match graph {
            GraphState::Asked { graph_id, file } if *graph_id == answer => Some(file.clone()),
            _ => None,
        });
        let Some(file) = asked else { return };
        match (result, bytes) {
            (Ok(()), Some(bytes)) => self.open_graph(&bytes, file),
            (Ok(()), None) => {}
            (Err(problem), _) => self.graph.set(GraphState::Failed { problem, file }),
        }
    }

    fn open_graph(&self, bytes: &Uint8Array, file: Option<String>) {
        self.graph.set(match wire::decode(&bytes.to_vec()) {
            Ok(module) => GraphState::Open { module: Arc::new(module), file },
            Err(problem) => GraphState::Failed { problem, file },
        });
    }
}
