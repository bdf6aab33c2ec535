//! [`App`]: the page's signals, one for each thing that can change by itself. Views read them and call the
//! methods beside; nothing else changes them.

use super::graph::Described;
use super::lab::Asked;
use super::store::{self, Theme};
use super::worker_port::WorkerPort;
use crate::hub::link::Link;
use crate::messages::Problem;
use crate::state::compare::{CompareState, Values};
use crate::state::export::ExportState;
use crate::state::graph::GraphState;
use crate::state::job::{Job, JobKey};
use crate::state::lab::history::{History, Search};
use crate::state::lab::measure::{MeasureForm, SourceState};
use crate::state::lab::place::Place;
use crate::state::lab::route::Route;
use crate::state::lab::shown::Shown;
use crate::state::lab::urgency::Urgency;
use crate::state::link::LinkState;
use crate::state::model::{ModelState, PlanState};
use crate::state::module::ModuleState;
use crate::state::options::OptionsForm;
use crate::state::prompt::PromptForm;
use crate::state::session::{Bundle, Session};
use crate::state::survey::SurveyState;
use crate::state::tokens::{BenchForm, TokensState};
use leptos::prelude::*;
use std::collections::HashMap;
use studio_protocol::{JobRecord, JobSpec};

/// The page's state and what can be done. Copies are the same page.
#[derive(Clone, Copy)]
pub(crate) struct App {
    /// The hub.
    pub link: RwSignal<LinkState>,
    /// The dropped model.
    pub model: RwSignal<ModelState>,
    /// The tensor that is looked at.
    pub survey: RwSignal<SurveyState>,
    /// What the tokenizer bench encodes.
    pub bench: RwSignal<BenchForm>,
    /// Its tokens.
    pub tokens: RwSignal<TokensState>,
    /// The second model, beside the first.
    pub comparison: RwSignal<CompareState>,
    /// By how much its numbers differ.
    pub values: RwSignal<Values>,
    /// Whether files that are dropped are to be compared with the model.
    pub compares: RwSignal<bool>,
    /// The graph that the explorer shows.
    pub graph: RwSignal<GraphState>,
    /// A compiled module that was dropped.
    pub dropped_module: RwSignal<ModuleState>,
    /// The module that the hub compiled, looked into.
    pub made_module: RwSignal<ModuleState>,
    /// The export form.
    pub form: RwSignal<OptionsForm>,
    /// What the form's export would give.
    pub plan: RwSignal<PlanState>,
    /// The export.
    pub export: RwSignal<ExportState>,
    /// The bundle on the hub.
    pub bundle: RwSignal<Option<Bundle>>,
    /// Its compile job.
    pub compile: RwSignal<Option<Job>>,
    /// The prompt form.
    pub prompt: RwSignal<PromptForm>,
    /// The run job.
    pub run: RwSignal<Option<Job>>,
    /// The jobs of other runners, where a compile or a run was asked of several.
    pub siblings: RwSignal<Vec<Job>>,
    /// Who is to compile.
    pub compile_place: RwSignal<Place>,
    /// Who is to run.
    pub run_place: RwSignal<Place>,
    /// How soon what is asked for next is done, and how long it may take.
    pub urgency: RwSignal<Urgency>,
    /// Earlier runs that gave tokens, newest first.
    pub past_runs: RwSignal<Vec<Job>>,
    /// What is to be measured.
    pub measure: RwSignal<MeasureForm>,
    /// Who is to measure.
    pub measure_place: RwSignal<Place>,
    /// The GGUF on the hub, for llama.cpp.
    pub source: RwSignal<SourceState>,
    /// What is being measured and compared, and what was last.
    pub measured: RwSignal<Vec<Job>>,
    /// Many exports of a model, each measured.
    pub sweep: RwSignal<Option<Job>>,
    /// The measurements of the history that are known, the newest first; nothing before the hub told.
    pub benches: RwSignal<Option<Vec<JobRecord>>>,
    /// The part of the page that is shown.
    pub route: RwSignal<Route>,
    /// What the history is searched for.
    pub search: RwSignal<Search>,
    /// What was found in it.
    pub history: RwSignal<History>,
    /// The job that is looked at.
    pub shown: RwSignal<Option<Shown>>,
    /// What happens in it.
    pub looked_at: RwSignal<Option<Job>>,
    /// The hub's token, once somebody asked how to join.
    pub token: RwSignal<Option<String>>,
    /// What the hub refused to do with a runner, by its name.
    pub refusal: RwSignal<Option<(String, Problem)>>,
    /// Dark, light or the system's choice.
    pub theme: RwSignal<Theme>,
    /// The graph of the form's export, as the worker sends it unasked.
    pub(super) described: StoredValue<Option<Described>, LocalStorage>,
    pub(super) worker: StoredValue<Option<WorkerPort>, LocalStorage>,
    pub(super) hub: StoredValue<Option<Link>, LocalStorage>,
    pub(super) asked: StoredValue<HashMap<u64, Asked>>,
    counter: StoredValue<u64>,
}

impl App {
    /// The page as it opens: worker and link started, what a reload left taken up again.
    pub(crate) fn start() -> Self {
        let session = store::session();
        let prompt = match session.run.as_ref().map(|key| &key.spec) {
            Some(JobSpec::Run(spec)) => PromptForm::of(spec),
            _ => PromptForm::default(),
        };
        let mut counter = 0;
        let mut resume = |key: JobKey| {
            counter += 1;
            Job::resumed(counter, key)
        };
        let compile = session.compile.map(&mut resume);
        let run = session.run.map(&mut resume);
        let siblings = session.siblings.into_iter().map(&mut resume).collect();
        let sweep = session.sweep.map(&mut resume);
        let measured: Vec<Job> = session.measured.into_iter().map(&mut resume).collect();
        let measure = MeasureForm::of(measured.iter().map(|job| &job.spec));
        let place = |job: Option<&Job>| job.map(|job| Place::of_terms(&job.terms)).unwrap_or_default();
        let places =
            [place(compile.as_ref()), place(run.as_ref()), place(measured.last())].map(RwSignal::new);
        let app = Self {
            link: RwSignal::default(),
            model: RwSignal::default(),
            survey: RwSignal::default(),
            bench: RwSignal::default(),
            tokens: RwSignal::default(),
            comparison: RwSignal::default(),
            values: RwSignal::default(),
            compares: RwSignal::new(false),
            graph: RwSignal::default(),
            dropped_module: RwSignal::default(),
            made_module: RwSignal::default(),
            form: RwSignal::default(),
            plan: RwSignal::default(),
            export: RwSignal::default(),
            bundle: RwSignal::new(session.bundle),
            compile: RwSignal::new(compile),
            prompt: RwSignal::new(prompt),
            run: RwSignal::new(run),
            siblings: RwSignal::new(siblings),
            compile_place: places[0],
            run_place: places[1],
            urgency: RwSignal::default(),
            past_runs: RwSignal::default(),
            measure: RwSignal::new(measure),
            measure_place: places[2],
            source: RwSignal::new(session.source.map_or(SourceState::Idle, SourceState::There)),
            measured: RwSignal::new(measured),
            sweep: RwSignal::new(sweep),
            benches: RwSignal::default(),
            route: RwSignal::default(),
            search: RwSignal::default(),
            history: RwSignal::default(),
            shown: RwSignal::default(),
            looked_at: RwSignal::default(),
            token: RwSignal::default(),
            refusal: RwSignal::default(),
            theme: RwSignal::new(store::theme()),
            described: StoredValue::new_local(None),
            worker: StoredValue::new_local(None),
            hub: StoredValue::new_local(None),
            asked: StoredValue::default(),
            counter: StoredValue::new(counter),
        };
        app.worker.set_value(app.start_worker());
        app.hub.set_value(Some(app.start_link()));
        app.keep();
        app.follow_route();
        app.follow_runner();
        app.ask_for_plans();
        app
    }

    /// The page's own, from anywhere in its views.
    pub(crate) fn get() -> Self {
        expect_context()
    }

    /// A number that was not used before.
    pub(super) fn next_number(&self) -> u64 {
        self.counter.update_value(|counter| *counter += 1);
        self.counter.get_value()
    }

    /// Keeps what a reload should find, whenever it changes.
    fn keep(self) {
        let kept = Memo::new(move |_| Session {
            bundle: self.bundle.get(),
            compile: self.compile.with(|job| job.as_ref().and_then(Job::key)),
            run: self.run.with(|job| job.as_ref().and_then(Job::key)),
            siblings: self.siblings.with(|jobs| jobs.iter().filter_map(Job::key).collect()),
            measured: self.measured.with(|jobs| jobs.iter().filter_map(Job::key).collect()),
            sweep: self.sweep.with(|job| job.as_ref().and_then(Job::key)),
            source: self.source.with(|source| match source {
                SourceState::There(artifact) => Some(artifact.clone()),
                SourceState::Idle | SourceState::Sending(..) | SourceState::Failed(_) => None,
            }),
        });
        Effect::new(move |_| kept.with(store::keep_session));
        Effect::new(move |_| store::keep_theme(self.theme.get()));
    }
}
