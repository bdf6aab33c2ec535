//! What a person does with a second model: choose it, compare the numbers, put it away.

use super::App;
use crate::messages::ToWorker;
use crate::state::compare::{CompareState, Values, ValuesState};
use leptos::prelude::*;
use web_sys::File;

impl App {
    /// Opens files as the model to compare with.
    pub(crate) fn compare_with(&self, files: &[File]) {
        let drop_id = self.model.with_untracked(|model| model.open().map(|(drop_id, _)| drop_id));
        let Some(drop_id) = drop_id.filter(|_| !files.is_empty()) else { return };
        let compare_id = self.next_number();
        self.close_comparison();
        let names = files.iter().map(File::name).collect();
        self.comparison.set(CompareState::Reading { compare_id, names });
        self.tell_worker(&ToWorker::Compare { drop_id, compare_id }, files);
    }

    /// Asks by how much the numbers differ.
    pub(crate) fn compare_values(&self) {
        let open = self.comparison.with_untracked(|comparison| match comparison {
            CompareState::Open { compare_id, .. } => Some(*compare_id),
            CompareState::None | CompareState::Reading { .. } | CompareState::Failed(_) => None,
        });
        let Some(compare_id) = open else { return };
        let run_id = self.next_number();
        let state = ValuesState::Running { run_id, share: 0.0 };
        self.values.set(Values { state, ..Values::default() });
        self.tell_worker(&ToWorker::CompareValues { compare_id, run_id }, &[]);
    }

    /// Ends the comparison of numbers; what was found is kept.
    pub(crate) fn cancel_values(&self) {
        let running = |values: &Values| matches!(values.state, ValuesState::Running { .. });
        if self.values.with_untracked(running) {
            self.tell_worker(&ToWorker::CancelCompareValues, &[]);
        }
    }

    /// Puts the second model away.
    pub(crate) fn close_comparison(&self) {
        self.cancel_values();
        self.values.set(Values::default());
        self.comparison.set(CompareState::None);
    }
}
