//! Compiled modules: dropped, or made by the hub and looked into.

use super::App;
use crate::messages::{Problem, ToWorker};
use crate::state::model::{ModelState, PlanState};
use crate::state::module::ModuleState;
use crate::wire;
use js_sys::Uint8Array;
use leptos::prelude::*;
use std::sync::Arc;
use studio_protocol::{Artifact, module_file_name};
use web_sys::File;

impl App {
    /// Shows a compiled module instead of a model.
    pub(crate) fn open_module_file(&self, file: File) {
        self.plan.set(PlanState::Unknown);
        self.model.set(ModelState::Empty);
        let module_id = self.next_number();
        self.dropped_module.set(ModuleState::Asked { module_id, name: file.name() });
        self.tell_worker(&ToWorker::Module { module_id, url: None }, &[file]);
    }

    /// Puts the dropped module away.
    pub(crate) fn close_module_file(&self) {
        self.dropped_module.set(ModuleState::None);
    }

    /// Looks into the module that the hub has compiled, unless that is shown already.
    pub(crate) fn look_into_module(&self, artifact: &Artifact) {
        let name = artifact.blake3.to_string();
        if self.made_module.with_untracked(|module| module.name() == Some(name.as_str())) {
            return;
        }
        let module_id = self.next_number();
        let url = Some(format!("/artifacts/{name}?name={}", module_file_name(&untrack(|| self.target()))));
        self.made_module.set(ModuleState::Asked { module_id, name });
        self.tell_worker(&ToWorker::Module { module_id, url }, &[]);
    }

    pub(super) fn take_module(&self, answer: u64, result: Result<(), Problem>, bytes: Option<Uint8Array>) {
        let module = result.and_then(|()| {
            let bytes = bytes.ok_or_else(|| Problem::new("The module did not come with its answer"))?;
            wire::decode(&bytes.to_vec()).map(Arc::new)
        });
        for state in [self.dropped_module, self.made_module] {
            if let Some(next) = state.with_untracked(|state| state.answered(answer, module.clone())) {
                state.set(next);
            }
        }
    }
}
