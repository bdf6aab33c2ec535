//! What a person does with a model: drop it, plan an export, export it. The worker does the work.

use super::App;
use super::worker_port::WorkerPort;
use crate::browser;
use crate::messages::{ExportEnd, FromWorker, Problem, ToWorker};
use crate::state::export::{ExportState, Running};
use crate::state::graph::GraphState;
use crate::state::lab::measure::SourceState;
use crate::state::model::{ModelState, PlanState};
use crate::state::module::ModuleState;
use crate::state::options::{OptionsForm, Subject};
use crate::state::session::Bundle;
use crate::state::survey::SurveyState;
use crate::state::tokens::TokensState;
use js_sys::Uint8Array;
use leptos::prelude::*;
use std::sync::Arc;
use studio_core::options::{ExportOptions, Kernels};
use web_sys::File;

impl App {
    pub(super) fn start_worker(self) -> Option<WorkerPort> {
        WorkerPort::start(move |message, bytes| self.take_from_worker(message, bytes))
            .map_err(|words| self.lose_model(&words))
            .ok()
    }

    pub(super) fn tell_worker(&self, message: &ToWorker, files: &[File]) {
        self.worker.with_value(|worker| {
            if let Some(worker) = worker {
                worker.tell(message, files);
            }
        });
    }

    /// Opens dropped or chosen files as one model.
    pub(crate) fn open_files(&self, files: &[File]) {
        if files.is_empty() {
            return;
        }
        self.close_graph();
        self.close_module_file();
        let ending =
            |ending: &str| files.iter().find(|file| file.name().to_ascii_lowercase().ends_with(ending));
        if let Some(file) = ending(".mlir").or_else(|| ending(".vmfb")) {
            self.cancel_export();
            self.export.set(ExportState::Idle);
            match ending(".mlir") {
                Some(text) => self.open_graph_text(text.clone()),
                None => self.open_module_file(file.clone()),
            }
            return;
        }
        let drop_id = self.next_number();
        let names = files.iter().map(File::name).collect();
        if self.sweep.with_untracked(|job| job.as_ref().is_some_and(|job| !job.is_live())) {
            self.sweep.set(None);
        }
        self.source.set(SourceState::Idle);
        self.plan.set(PlanState::Unknown);
        self.export.set(ExportState::Idle);
        self.survey.set(SurveyState::None);
        self.tokens.set(TokensState::default());
        self.close_comparison();
        self.model.set(ModelState::Reading { drop_id, names });
        self.tell_worker(&ToWorker::Inspect { drop_id }, files);
    }

    /// Puts the model away.
    pub(crate) fn close_model(&self) {
        self.cancel_export();
        self.close_graph();
        self.plan.set(PlanState::Unknown);
        self.export.set(ExportState::Idle);
        self.close_survey();
        self.tokens.set(TokensState::default());
        self.close_comparison();
        self.model.set(ModelState::Empty);
    }

    /// The options of the form, if they are sensible and there is a model for them.
    pub(super) fn chosen(&self) -> Option<(u64, ExportOptions)> {
        let drop_id = self.model.with(|model| model.exportable().map(|(drop_id, _)| drop_id))?;
        let options = self.form.with(|form| form.check().ok())?;
        Some((drop_id, options))
    }

    /// The kernels that the runner runs best.
    fn runner_kernels(self) -> Memo<Kernels> {
        Memo::new(move |_| {
            self.link.with(|link| match link.runner() {
                Some(runner) => Kernels::best(|feature| runner.features.iter().any(|has| has == feature)),
                None => Kernels::Portable,
            })
        })
    }

    /// Keeps the form to the runner, which may be known after the model.
    pub(super) fn follow_runner(self) {
        let kernels = self.runner_kernels();
        Effect::new(move |_| {
            let kernels = kernels.get();
            self.form.update(|form| form.runner_kernels = kernels);
        });
    }

    /// Asks the worker for the files of an export whenever model or options change.
    pub(super) fn ask_for_plans(self) {
        let chosen = Memo::new(move |_| self.chosen());
        Effect::new(move |_| match chosen.get() {
            Some((drop_id, options)) => {
                let plan_id = self.next_number();
                self.plan.set(PlanState::Asked { plan_id });
                self.await_graph(plan_id, drop_id, options.clone());
                self.tell_worker(&ToWorker::Plan { drop_id, plan_id, options }, &[]);
            }
            None => self.plan.set(PlanState::Unknown),
        });
    }

    /// Exports the model with the form's options to the hub.
    pub(crate) fn start_export(&self) {
        let Some((drop_id, options)) = untrack(|| self.chosen()) else { return };
        // The worker sends one thing at a time.
        if self.source.with_untracked(|source| matches!(source, SourceState::Sending(..))) {
            self.source.set(SourceState::Idle);
        }
        self.export.set(ExportState::Running(Running::new(options.clone())));
        self.tell_worker(&ToWorker::Export { drop_id, options }, &[]);
    }

    /// Ends the export.
    pub(crate) fn cancel_export(&self) {
        let running = self.export.try_update(|export| match export {
            ExportState::Running(running) => {
                running.cancelling = true;
                true
            }
            ExportState::Idle | ExportState::Cancelled | ExportState::Failed(_) | ExportState::Done => false,
        });
        if running == Some(true) {
            self.tell_worker(&ToWorker::CancelExport, &[]);
        }
    }

    fn take_from_worker(&self, message: FromWorker, bytes: Option<Uint8Array>) {
        match message {
            FromWorker::Ready => self.worker.with_value(|worker| {
                if let Some(worker) = worker {
                    worker.on_ready();
                }
            }),
            FromWorker::Inspected { drop_id, result } => {
                let awaited = self.model.with_untracked(
                    |model| matches!(model, ModelState::Reading { drop_id: awaited, .. } if *awaited == drop_id),
                );
                if awaited {
                    self.model.set(match result {
                        Ok(report) => {
                            let kernels = self.runner_kernels().get_untracked();
                            self.form.set(OptionsForm::for_model(Subject::of(&report.card), kernels));
                            ModelState::Open { drop_id, report: Arc::new(*report) }
                        }
                        Err(problem) => ModelState::Failed { problem },
                    });
                }
            }
            FromWorker::Planned { plan_id, result } => {
                if self.plan.with_untracked(|plan| *plan == PlanState::Asked { plan_id }) {
                    self.plan.set(match result {
                        Ok(plan) => PlanState::Planned(plan),
                        Err(problem) => PlanState::Failed(problem),
                    });
                }
            }
            FromWorker::Described { plan_id } => self.take_described(plan_id, bytes),
            FromWorker::Graph { graph_id, result } => self.take_graph(graph_id, result, bytes),
            FromWorker::Module { module_id, result } => self.take_module(module_id, result, bytes),
            FromWorker::Progress(progress) => {
                if !self.source_progress(&progress) {
                    self.export.update(|export| {
                        if let ExportState::Running(running) = export {
                            running.take(browser::now_ms(), progress);
                        }
                    });
                }
            }
            FromWorker::SourceSent { result } => self.source_sent(result),
            FromWorker::Exported { result } => self.end_export(result),
            FromWorker::Surveying { survey_id, share } => {
                self.survey.update(|survey| survey.advance(survey_id, share));
            }
            FromWorker::Surveyed { survey_id, result } => {
                self.survey.update(|survey| survey.end(survey_id, result));
            }
            FromWorker::Tokenized { tokens_id, result } => self.take_tokens(tokens_id, result),
            FromWorker::Compared { compare_id, result } => {
                self.comparison.update(|comparison| comparison.take(compare_id, result));
            }
            FromWorker::Differences { run_id, found, share } => {
                self.values.update(|values| values.take(run_id, found, share));
            }
            FromWorker::ComparedValues { run_id, result } => {
                self.values.update(|values| values.end(run_id, result));
            }
            FromWorker::Panicked { message } => self.lose_worker(&message),
        }
    }

    fn end_export(&self, result: Result<Box<crate::messages::ExportedBundle>, ExportEnd>) {
        let options = self.export.with_untracked(|export| match export {
            ExportState::Running(running) => Some(running.options.clone()),
            ExportState::Idle | ExportState::Cancelled | ExportState::Failed(_) | ExportState::Done => None,
        });
        let Some(options) = options else { return };
        match result {
            Ok(exported) => {
                let bundle = self.model.with_untracked(|model| {
                    model.open().map(|(_, card)| Bundle::new(*exported, card, options))
                });
                // The same bundle again keeps what was compiled of it.
                let same = self.bundle.with_untracked(|old| {
                    old.as_ref().map(|bundle| bundle.hash) == bundle.as_ref().map(|bundle| bundle.hash)
                });
                if !same {
                    self.compile.set(None);
                    self.run.set(None);
                    self.siblings.set(Vec::new());
                    self.measured.set(Vec::new());
                    self.past_runs.set(Vec::new());
                }
                self.bundle.set(bundle);
                self.export.set(ExportState::Done);
            }
            Err(ExportEnd::Cancelled) => self.export.set(ExportState::Cancelled),
            Err(ExportEnd::Failed { problem }) => self.export.set(ExportState::Failed(problem)),
        }
    }

    /// The worker is gone: say so where it was at work, and start another.
    fn lose_worker(&self, message: &str) {
        self.lose_model(message);
        self.worker.set_value(None);
        let app = *self;
        // Not at once: a worker that cannot load would be started without end.
        set_timeout(move || app.worker.set_value(app.start_worker()), std::time::Duration::from_secs(1));
    }

    fn lose_model(&self, message: &str) {
        let problem = Problem::new(format!("The part of the page that reads files stopped: {message}"))
            .hint("Drop the file again. If that does not help, reload the page and report the message");
        let exporting = self.export.with_untracked(|export| matches!(export, ExportState::Running(_)));
        if exporting {
            self.export.set(ExportState::Failed(problem.clone()));
        }
        if self.source.with_untracked(|source| matches!(source, SourceState::Sending(..))) {
            self.source.set(SourceState::Failed(problem.clone()));
        }
        self.survey.set(SurveyState::None);
        self.tokens.set(TokensState::default());
        self.close_comparison();
        if self.graph.with_untracked(|graph| graph.file().is_some()) {
            let file = self.graph.with_untracked(|graph| graph.file().map(str::to_owned));
            self.graph.set(GraphState::Failed { problem, file });
            return;
        }
        if let Some(name) = self.dropped_module.with_untracked(|module| module.name().map(str::to_owned)) {
            self.dropped_module.set(ModuleState::Failed { problem, name });
            return;
        }
        self.model.set(ModelState::Failed { problem });
    }
}
