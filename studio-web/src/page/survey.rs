//! What a person does with a tensor: look at its numbers, put it away.

use super::App;
use crate::messages::ToWorker;
use crate::state::survey::SurveyState;
use leptos::prelude::*;

impl App {
    /// Asks for the statistics of a tensor, or puts it away if it is the one that is looked at.
    pub(crate) fn look_at(&self, name: &str) {
        if self.survey.with_untracked(|survey| survey.name() == Some(name)) {
            return self.close_survey();
        }
        let drop_id = self.model.with_untracked(|model| model.open().map(|(drop_id, _)| drop_id));
        let Some(drop_id) = drop_id else { return };
        let (survey_id, name) = (self.next_number(), name.to_owned());
        self.survey.set(SurveyState::Running { survey_id, name: name.clone(), share: 0.0 });
        self.tell_worker(&ToWorker::Survey { drop_id, survey_id, name }, &[]);
    }

    /// Puts the tensor away.
    pub(crate) fn close_survey(&self) {
        if self.survey.with_untracked(|survey| matches!(survey, SurveyState::Running { .. })) {
            self.tell_worker(&ToWorker::CancelSurvey, &[]);
        }
        self.survey.set(SurveyState::None);
    }
}
