//! A sweep as the page asks for it: the GGUF goes to the hub, and the hub does the rest, whatever becomes of the page.

use super::App;
use crate::state::job::Job;
use crate::state::lab::measure::{FieldError, SourceState, Wanted};
use leptos::prelude::*;
use studio_core::options::ExportOptions;
use studio_protocol::{Artifact, ClientMessage, Hash, JobSpec, SweepSpec};

impl App {
    /// Begins a sweep over these, once the hub has the GGUF; gives what is wrong with the form.
    pub(crate) fn start_sweep(&self, options: Vec<ExportOptions>) -> Result<(), Vec<FieldError>> {
        if untrack(|| self.is_sweeping()) {
            return Ok(());
        }
        self.measure_both(&Wanted::Sweep(options))
    }

    /// Whether a sweep is under way, or the GGUF for one.
    pub(crate) fn is_sweeping(&self) -> bool {
        self.sweep.with(|job| job.as_ref().is_some_and(Job::is_live))
            || self.source.with(|source| matches!(source, SourceState::Sending(Wanted::Sweep(_), _)))
    }

    /// Ends it; what was measured stays.
    pub(crate) fn cancel_sweep(&self) {
        if self.source.with_untracked(|source| matches!(source, SourceState::Sending(Wanted::Sweep(_), _))) {
            self.cancel_source();
        }
        self.cancel_job(self.sweep);
    }

    pub(super) fn submit_sweep(
        &self,
        options: &[ExportOptions],
        model: &Artifact,
    ) -> Result<(), Vec<FieldError>> {
        // What is measured is what a bench measures; its bundles come later.
        let bench = self.measure.with_untracked(|form| form.bench(Hash::from_bytes([0; 32]), None))?;
        let name = self.model.with_untracked(|model| {
            let (_, card) = model.open()?;
            card.files.first().map(|file| file.name.clone())
        });
        let spec = JobSpec::Sweep(SweepSpec {
            model: model.blake3,
            name: name.unwrap_or_else(|| "model.gguf".to_owned()),
            combinations: options.iter().filter_map(|options| serde_json::to_value(options).ok()).collect(),
            threads: bench.threads,
            prompt_tokens: bench.prompt_tokens,
            gen_tokens: bench.gen_tokens,
            repeat: bench.repeat,
        });
        let request = self.next_number();
        let terms =
            self.urgency.get_untracked().on(self.measure_place.with_untracked(|place| place.terms(None)));
        self.sweep.set(Some(Job::new(request, spec.clone(), terms.clone())));
        self.say(&ClientMessage::JobSubmit { request, spec, terms });
        Ok(())
    }
}
