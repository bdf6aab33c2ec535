//! What a person asks about speed and rightness: measure, compare with llama.cpp.

use super::App;
use crate::messages::{ExportEnd, ExportProgress, Problem, ToWorker};
use crate::state::export::ExportState;
use crate::state::job::Job;
use crate::state::lab::measure::{FieldError, SourceState, Wanted};
use leptos::prelude::*;
use studio_protocol::{Artifact, ClientMessage, Hash, JobSpec};

impl App {
    /// Measures the bundle alone; gives what is wrong with the form.
    pub(crate) fn measure_compiled(&self) -> Result<(), Vec<FieldError>> {
        let Some(bundle) = self.bundle.with_untracked(|bundle| bundle.as_ref().map(|bundle| bundle.hash))
        else {
            return Ok(());
        };
        let spec = self.measure.with_untracked(|form| form.bench(bundle, None))?;
        self.submit_measured(JobSpec::Bench(spec));
        Ok(())
    }

    /// Does what needs llama.cpp, once the hub has the GGUF; gives what is wrong with the form.
    pub(crate) fn measure_both(&self, wanted: &Wanted) -> Result<(), Vec<FieldError>> {
        if let SourceState::There(source) = self.source.get_untracked() {
            return self.submit_both(wanted, &source);
        }
        // A form that is wrong is told before anything is sent.
        let any = Hash::from_bytes([0; 32]);
        self.measure.with_untracked(|form| match wanted {
            Wanted::Compare | Wanted::Sweep(_) => form.bench(any, None).map(drop),
            Wanted::Verify => form.verify(any, any).map(drop),
        })?;
        let open = self.model.with_untracked(|model| model.open().map(|(drop_id, _)| drop_id));
        let busy = self.export.with_untracked(|export| matches!(export, ExportState::Running(_)));
        match open {
            Some(_) if busy => self.source.set(SourceState::Failed(
                Problem::new("An export is under way").hint("Wait for its end, then measure"),
            )),
            Some(drop_id) => {
                self.source.set(SourceState::Sending(wanted.clone(), None));
                self.tell_worker(&ToWorker::SendSource { drop_id }, &[]);
            }
            None => self.source.set(SourceState::Failed(
                Problem::new("That needs the GGUF itself, and this page has no model open")
                    .hint("Drop the model again"),
            )),
        }
        Ok(())
    }

    fn submit_both(&self, wanted: &Wanted, source: &Artifact) -> Result<(), Vec<FieldError>> {
        if let Wanted::Sweep(options) = wanted {
            return self.submit_sweep(options, source);
        }
        let Some(bundle) = self.bundle.with_untracked(|bundle| bundle.as_ref().map(|bundle| bundle.hash))
        else {
            return Ok(());
        };
        let spec = self.measure.with_untracked(|form| match wanted {
            Wanted::Compare | Wanted::Sweep(_) => form.bench(bundle, Some(source.blake3)).map(JobSpec::Bench),
            Wanted::Verify => form.verify(bundle, source.blake3).map(JobSpec::Verify),
        })?;
        self.submit_measured(spec);
        Ok(())
    }

    fn submit_measured(&self, spec: JobSpec) {
        let request = self.next_number();
        let terms =
            self.urgency.get_untracked().on(self.measure_place.with_untracked(|place| place.terms(None)));
        self.measured.update(|jobs| {
            jobs.retain(|job| job.spec.kind() != spec.kind());
            jobs.push(Job::new(request, spec.clone(), terms.clone()));
        });
        self.say(&ClientMessage::JobSubmit { request, spec, terms });
    }

    /// How far the GGUF is; whether that was what the worker spoke of.
    pub(super) fn source_progress(&self, progress: &ExportProgress) -> bool {
        let is_it = self.source.with_untracked(|source| matches!(source, SourceState::Sending(..)));
        if is_it {
            self.source.update(|source| {
                if let SourceState::Sending(_, at) = source {
                    *at = Some(progress.clone());
                }
            });
        }
        is_it
    }

    pub(super) fn source_sent(&self, result: Result<Artifact, ExportEnd>) {
        let SourceState::Sending(wanted, _) = self.source.get_untracked() else { return };
        match result {
            Ok(source) => {
                self.source.set(SourceState::There(source.clone()));
                // The form was right when the sending began; what was broken meanwhile is told at the next press.
                drop(self.submit_both(&wanted, &source));
            }
            Err(ExportEnd::Cancelled) => self.source.set(SourceState::Idle),
            Err(ExportEnd::Failed { problem }) => self.source.set(SourceState::Failed(problem)),
        }
    }

    /// Ends the sending of the GGUF; what the hub has is kept there.
    pub(crate) fn cancel_source(&self) {
        self.tell_worker(&ToWorker::CancelExport, &[]);
    }
}
