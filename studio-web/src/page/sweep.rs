//! A sweep as the page goes through it: export, measure, the next. The worker exports while nothing is measured, so that
//! it takes nothing from what is.

use super::App;
use crate::messages::{ExportEnd, ExportedBundle, Problem, ToWorker};
use crate::state::export::ExportState;
use crate::state::job::Job;
use crate::state::lab::measure::SourceState;
use crate::state::lab::sweep::{Stage, Sweep};
use leptos::prelude::*;
use studio_core::options::ExportOptions;
use studio_protocol::{ClientMessage, JobSpec};

impl App {
    /// Begins a sweep over these.
    pub(crate) fn start_sweep(&self, options: Vec<ExportOptions>, group: String) {
        let is_busy = self.export.with_untracked(|export| matches!(export, ExportState::Running(_)))
            || self.source.with_untracked(|source| matches!(source, SourceState::Sending(..)));
        if is_busy || untrack(|| self.is_sweeping()) {
            return;
        }
        self.sweep_jobs.set(Vec::new());
        self.sweep.set(Some(Sweep::new(options, group)));
        self.advance_sweep();
    }

    /// Whether a sweep is under way.
    pub(crate) fn is_sweeping(&self) -> bool {
        self.sweep.with(|sweep| {
            self.sweep_jobs.with(|jobs| sweep.as_ref().is_some_and(|sweep| sweep.is_live(jobs)))
        })
    }

    /// Ends it; what was measured stays.
    pub(crate) fn cancel_sweep(&self) {
        self.sweep.update(|sweep| sweep.iter_mut().for_each(|sweep| sweep.is_cancelled = true));
        if self.sweep.with_untracked(|sweep| sweep.as_ref().is_some_and(Sweep::is_exporting)) {
            self.tell_worker(&ToWorker::CancelExport, &[]);
        }
        let live = self.sweep_jobs.with_untracked(|jobs| {
            jobs.iter().filter(|job| job.is_live()).filter_map(|job| job.id).collect::<Vec<_>>()
        });
        for job in live {
            self.cancel(job);
        }
    }

    /// Exports the next combination, if the one before it is done.
    pub(super) fn advance_sweep(&self) {
        let next = self.sweep.with_untracked(|sweep| {
            let sweep = sweep.as_ref()?;
            let at = self.sweep_jobs.with_untracked(|jobs| sweep.next(jobs))?;
            Some((at, sweep.entries.get(at)?.0.clone()))
        });
        let Some((at, options)) = next else { return };
        let open = self.model.with_untracked(|model| model.exportable().map(|(drop_id, _)| drop_id));
        let stage = match open {
            Some(_) => Stage::Exporting,
            None => {
                Stage::Failed(Problem::new("The model is no longer open").hint("Drop it again, then sweep"))
            }
        };
        self.set_stage(at, stage);
        match open {
            Some(drop_id) => self.tell_worker(&ToWorker::Export { drop_id, options }, &[]),
            None => self.advance_sweep(),
        }
    }

    fn set_stage(&self, at: usize, stage: Stage) {
        self.sweep.update(|sweep| {
            if let Some((_, of)) = sweep.as_mut().and_then(|sweep| sweep.entries.get_mut(at)) {
                *of = stage;
            }
        });
    }

    /// Takes an export's end, if it was for a sweep; gives it back otherwise.
    pub(super) fn sweep_exported(
        &self,
        result: Result<Box<ExportedBundle>, ExportEnd>,
    ) -> Option<Result<Box<ExportedBundle>, ExportEnd>> {
        let at = self.sweep.with_untracked(|sweep| {
            sweep.as_ref()?.entries.iter().position(|(_, stage)| *stage == Stage::Exporting)
        });
        let Some(at) = at else { return Some(result) };
        match result {
            Ok(bundle) => {
                let bench = self.measure.with_untracked(|form| form.bench(bundle.hash, None));
                match bench {
                    Ok(spec) => {
                        self.set_stage(at, Stage::Measured(bundle.hash));
                        self.submit_swept(JobSpec::Bench(spec));
                    }
                    Err(errors) => {
                        let words = errors.into_iter().map(|(_, words)| words).next().unwrap_or_default();
                        self.set_stage(at, Stage::Failed(Problem::new(words)));
                    }
                }
            }
            Err(ExportEnd::Cancelled) => self.set_stage(at, Stage::Failed(Problem::new("Cancelled"))),
            Err(ExportEnd::Failed { problem }) => self.set_stage(at, Stage::Failed(problem)),
        }
        self.advance_sweep();
        None
    }

    fn submit_swept(&self, spec: JobSpec) {
        let request = self.next_number();
        let group = self.sweep.with_untracked(|sweep| sweep.as_ref().map(|sweep| sweep.group.clone()));
        let terms = self.measure_place.with_untracked(|place| place.terms(group));
        self.sweep_jobs.update(|jobs| jobs.push(Job::new(request, spec.clone(), terms.clone())));
        self.say(&ClientMessage::JobSubmit { request, spec, terms });
    }
}
