//! The worker: reads dropped files and streams exports to the hub, away from the page's thread.

mod compare;
mod export;
mod graph;
mod hashing;
mod kernels;
mod meter;
mod module;
mod read_at;
mod relay;
mod source;
mod survey;
mod tokens;
mod upload;

use crate::messages::{FromWorker, Problem, SourceFile, ToWorker};
use crate::report;
use crate::wire;
use gguf_file::{Gguf, ReadAt};
use hashing::Hashing;
use js_sys::{Array, Uint8Array};
use read_at::BlobSource;
use std::{
    cell::{Cell, OnceCell, RefCell},
    rc::Rc,
};
use studio_core::export::{Export, ExportError};
use studio_core::family;
use studio_core::graph::Graph;
use studio_core::options::ExportOptions;
use studio_core::tokenizer::Tokenizer;
use studio_graph::Module;
use upload::Control;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent};

/// A model whose header was read.
pub(crate) struct Model {
    drop_id: u64,
    files: Vec<SourceFile>,
    sources: Vec<BlobSource>,
    gguf: Gguf,
    hashing: Hashing,
    /// The graph that was built last, with its options.
    graph: RefCell<Option<(ExportOptions, Rc<Graph>)>>,
    /// The export that was planned last, with its options.
    planned: RefCell<Option<(ExportOptions, Rc<Export>)>>,
    /// Its tokenizer, or why it can't be used, once somebody asked.
    tokenizer: OnceCell<Result<Rc<Tokenizer>, Problem>>,
}

impl Model {
    /// The sources as the readers of a model take them.
    pub(crate) fn sources(&self) -> Vec<&dyn ReadAt> {
        self.sources.iter().map(|source| source as &dyn ReadAt).collect()
    }

    /// The graph of an export with these options. Of the weights, at most the rope factors are read.
    pub(crate) fn graph(&self, options: &ExportOptions) -> Result<Rc<Graph>, Problem> {
        if let Some((_, graph)) = self.graph.borrow().as_ref().filter(|(of, _)| of == options) {
            return Ok(Rc::clone(graph));
        }
        let graph = family::build(&self.gguf, &self.sources(), options)
            .map_err(|error| report::export_problem(&ExportError::from(error)))?;
        let graph = Rc::new(graph);
        *self.graph.borrow_mut() = Some((options.clone(), Rc::clone(&graph)));
        Ok(graph)
    }
}

/// The worker's whole state.
#[derive(Default)]
struct Desk {
    model: RefCell<Option<Rc<Model>>>,
    kernels: kernels::Shelf,
    export: RefCell<Option<Control>>,
    /// The survey that is wanted.
    survey: Cell<Option<u64>>,
    /// The model that is compared with; its `drop_id` is the comparison's number.
    other: RefCell<Option<Rc<Model>>>,
    /// The comparison of numbers that is wanted.
    comparing: Cell<Option<u64>>,
}

/// Starts the worker: it listens and says so.
pub(crate) fn start(scope: DedicatedWorkerGlobalScope) {
    crate::panic::tell_page();
    let desk = Rc::new(Desk::default());
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let parts = Array::from(&event.data());
        let text = parts.get(0).as_string().unwrap_or_default();
        // Page and worker are one build: a message that can't be read is a fault of the program.
        match serde_json::from_str(&text) {
            Ok(message) => desk.take(message, parts.iter().skip(1)),
            Err(error) => panic!("the page's message cannot be read: {error}"),
        }
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    tell(&FromWorker::Ready);
}

/// Tells the page something.
pub(crate) fn tell(message: &FromWorker) {
    tell_with(message, None);
}

/// Tells the page something, and hands it bytes.
fn tell_with(message: &FromWorker, bytes: Option<&[u8]>) {
    let scope = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>();
    let (Ok(scope), Ok(text)) = (scope, serde_json::to_string(message)) else { return };
    let parts = Array::of1(&JsValue::from_str(&text));
    let handed = Array::new();
    if let Some(bytes) = bytes {
        let copy = Uint8Array::from(bytes);
        handed.push(&copy.buffer());
        parts.push(&copy);
    }
    drop(scope.post_message_with_transfer(&parts, &handed));
}

/// Tells the page a graph, or why there is none.
fn tell_graph(graph_id: u64, graph: Result<Module, Problem>) {
    match graph.and_then(|module| wire::encode(&module)) {
        Ok(bytes) => tell_with(&FromWorker::Graph { graph_id, result: Ok(()) }, Some(&bytes)),
        Err(problem) => tell(&FromWorker::Graph { graph_id, result: Err(problem) }),
    }
}

impl Desk {
    fn take(self: &Rc<Self>, message: ToWorker, files: impl Iterator<Item = JsValue>) {
        match message {
            ToWorker::Inspect { drop_id } => {
                self.cancel();
                self.comparing.set(None);
                self.other.take();
                let result = inspect(drop_id, files.filter_map(|file| file.dyn_into().ok()).collect());
                let result = result.map(|model| {
                    let report = report::report(&model.gguf, &model.files);
                    *self.model.borrow_mut() = Some(Rc::new(model));
                    Box::new(report)
                });
                tell(&FromWorker::Inspected { drop_id, result });
                // The card is on its way; now there is time until somebody asks for an export.
                if let Ok(model) = self.model(drop_id) {
                    hashing::begin(&model);
                }
            }
            ToWorker::Plan { drop_id, plan_id, options } => {
                let described = self.model(drop_id).and_then(|model| {
                    describe(&model, plan_id, &options)?;
                    Ok(model)
                });
                let desk = self.clone();
                wasm_bindgen_futures::spawn_local(async move {
                    let result = match described {
                        Ok(model) => export::plan(&model, &options, &desk.kernels).await,
                        Err(problem) => Err(problem),
                    };
                    tell(&FromWorker::Planned { plan_id, result });
                });
            }
            ToWorker::Export { drop_id, options } => {
                self.cancel();
                let control = Control::default();
                *self.export.borrow_mut() = Some(control.clone());
                let (model, desk) = (self.model(drop_id), self.clone());
                wasm_bindgen_futures::spawn_local(async move {
                    let result = match model {
                        Ok(model) => export::run(model, options, &desk.kernels, control).await,
                        Err(problem) => Err(problem.into()),
                    };
                    tell(&FromWorker::Exported { result: result.map(Box::new) });
                });
            }
            ToWorker::SendSource { drop_id } => {
                self.cancel();
                let control = Control::default();
                *self.export.borrow_mut() = Some(control.clone());
                let model = self.model(drop_id);
                wasm_bindgen_futures::spawn_local(async move {
                    let result = match model {
                        Ok(model) => source::send(model, control).await,
                        Err(problem) => Err(problem.into()),
                    };
                    tell(&FromWorker::SourceSent { result });
                });
            }
            ToWorker::CancelExport => self.cancel(),
            ToWorker::Survey { drop_id, survey_id, name } => {
                self.survey.set(Some(survey_id));
                let desk = self.clone();
                wasm_bindgen_futures::spawn_local(async move {
                    let wanted = || desk.survey.get() == Some(survey_id);
                    let result = match desk.model(drop_id) {
                        Ok(model) => survey::run(&model, survey_id, &name, wanted).await,
                        Err(problem) => Err(problem),
                    };
                    if let Some(result) = result.transpose() {
                        tell(&FromWorker::Surveyed { survey_id, result });
                    }
                });
            }
            ToWorker::CancelSurvey => self.survey.set(None),
            ToWorker::Tokenize { drop_id, tokens_id, question, first } => {
                let result = self.model(drop_id).and_then(|model| tokens::answer(&model, &question, first));
                tell(&FromWorker::Tokenized { tokens_id, result: result.map(Box::new) });
            }
            ToWorker::Compare { drop_id, compare_id } => {
                self.comparing.set(None);
                let files = files.filter_map(|file| file.dyn_into().ok()).collect();
                let result = self.model(drop_id).and_then(|model| {
                    let other = inspect(compare_id, files)?;
                    let compared = compare::headers(&model, &other);
                    *self.other.borrow_mut() = Some(Rc::new(other));
                    Ok(Box::new(compared))
                });
                tell(&FromWorker::Compared { compare_id, result });
            }
            ToWorker::CompareValues { compare_id, run_id } => {
                self.comparing.set(Some(run_id));
                let desk = self.clone();
                wasm_bindgen_futures::spawn_local(async move {
                    let wanted = || desk.comparing.get() == Some(run_id);
                    let models = (desk.model.borrow().clone(), desk.other.borrow().clone());
                    let result = match models {
                        (Some(first), Some(second)) if second.drop_id == compare_id => {
                            compare::run(&first, &second, run_id, wanted).await
                        }
                        _ => Err(Problem::new("The models are no longer open").hint("Choose them again")),
                    };
                    tell(&FromWorker::ComparedValues { run_id, result });
                });
            }
            ToWorker::CancelCompareValues => self.comparing.set(None),
            ToWorker::Graph { drop_id, graph_id, options } => {
                tell_graph(graph_id, self.model(drop_id).and_then(|model| graph::of_model(&model, &options)));
            }
            ToWorker::GraphText { graph_id } => {
                let mut files = files.filter_map(|file| file.dyn_into().ok());
                tell_graph(graph_id, graph::of_text(files.next()));
            }
            ToWorker::Module { module_id, url } => {
                let file = files.into_iter().find_map(|file| file.dyn_into().ok());
                wasm_bindgen_futures::spawn_local(async move {
                    let module = module::read(file, url).await;
                    match module.and_then(|module| wire::encode(&module)) {
                        Ok(bytes) => {
                            tell_with(&FromWorker::Module { module_id, result: Ok(()) }, Some(&bytes))
                        }
                        Err(problem) => tell(&FromWorker::Module { module_id, result: Err(problem) }),
                    }
                });
            }
        }
    }

    fn cancel(&self) {
        if let Some(control) = self.export.borrow_mut().take() {
            control.cancel();
        }
    }

    fn model(&self, drop_id: u64) -> Result<Rc<Model>, Problem> {
        let model = self.model.borrow().clone().filter(|model| model.drop_id == drop_id);
        model.ok_or_else(|| Problem::new("The model is no longer open").hint("Drop the file again"))
    }
}

/// Tells the page the graph of a plan as soon as it is built: printing the plan's files takes longer than that.
fn describe(model: &Model, plan_id: u64, options: &ExportOptions) -> Result<(), Problem> {
    let bytes = wire::encode(&graph::of_model(model, options)?)?;
    tell_with(&FromWorker::Described { plan_id }, Some(&bytes));
    Ok(())
}

fn inspect(drop_id: u64, mut files: Vec<File>) -> Result<Model, Problem> {
    files.sort_by_key(File::name);
    let sources: Vec<BlobSource> = files.iter().map(BlobSource::new).collect::<Result<_, _>>()?;
    let named = files.iter().zip(&sources);
    let files: Vec<_> =
        named.map(|(file, source)| SourceFile { name: file.name(), size_bytes: source.len() }).collect();
    let gguf = report::open(&sources.iter().map(|source| source as &dyn ReadAt).collect::<Vec<_>>(), &files)?;
    let (hashing, graph, planned) = (Hashing::default(), RefCell::default(), RefCell::default());
    let tokenizer = OnceCell::new();
    Ok(Model { drop_id, files, sources, gguf, hashing, graph, planned, tokenizer })
}
