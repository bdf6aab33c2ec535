//! Everything that page and worker say to each other, as JSON text in `postMessage`.
//!
//! Dropped files travel beside an [`ToWorker::Inspect`] as `File` objects: their bytes are read in the worker. A graph
//! travels beside [`FromWorker::Described`] or [`FromWorker::Graph`] as bytes ([`crate::wire`]), as a compiled module does
//! beside [`FromWorker::Module`]: as JSON a graph took ten times as long.

mod compare;
mod tokens;

pub use compare::{ComparedModel, TensorOutcome};
pub use tokens::{TOKENS_AT_ONCE, TokenAnswer, TokenQuestion};

use serde::{Deserialize, Serialize};
use studio_core::family::FormSupport;
use studio_core::manifest::MemoryEntry;
use studio_core::options::ExportOptions;
use studio_core::statistics::TensorStatistics;
use studio_protocol::{Artifact, Hash, WireError};

/// What the page asks of the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToWorker {
    /// Read the header of the files that come with this message and keep the model for what follows.
    Inspect {
        /// Comes back in the answer, so that an answer about an earlier drop is not taken for this one's.
        drop_id: u64,
    },
    /// Say which files an export with these options would have.
    Plan {
        /// The drop that is meant.
        drop_id: u64,
        /// Counts the questions, so that only the last answer is shown.
        plan_id: u64,
        /// What was chosen.
        options: ExportOptions,
    },
    /// Export the inspected model to the hub.
    Export {
        /// The drop that is meant.
        drop_id: u64,
        /// What was chosen.
        options: ExportOptions,
    },
    /// Send the model's own file to the hub, for llama.cpp there.
    SendSource {
        /// The drop that is meant.
        drop_id: u64,
    },
    /// End the export, or the sending of the source; what the hub has is kept there.
    CancelExport,
    /// Go through the numbers of a tensor. A survey that is under way ends, untold.
    Survey {
        /// The drop that is meant.
        drop_id: u64,
        /// Counts the questions.
        survey_id: u64,
        /// The tensor.
        name: String,
    },
    /// Nobody wants to know any more.
    CancelSurvey,
    /// Encode a text or a conversation.
    Tokenize {
        /// The drop that is meant.
        drop_id: u64,
        /// Counts the questions.
        tokens_id: u64,
        /// What is to be encoded.
        question: TokenQuestion,
        /// The place of the first token that is wanted.
        first: u64,
    },
    /// Read the header of the files that come with this message, and say how they differ from the model.
    Compare {
        /// The drop that is meant.
        drop_id: u64,
        /// Counts the questions.
        compare_id: u64,
    },
    /// Go through the numbers of both models.
    CompareValues {
        /// The comparison that is meant.
        compare_id: u64,
        /// Counts the questions.
        run_id: u64,
    },
    /// Nobody wants to know any more by how much the numbers differ.
    CancelCompareValues,
    /// Say what the graph of an export with these options is.
    Graph {
        /// The drop that is meant.
        drop_id: u64,
        /// Counts the questions, so that only the last answer is shown.
        graph_id: u64,
        /// What was chosen.
        options: ExportOptions,
    },
    /// Read the graph in the MLIR text that comes with this message as a `File`.
    GraphText {
        /// As in [`ToWorker::Graph`].
        graph_id: u64,
    },
    /// Read the compiled module in the `File` that comes with this message, or, without one, on the hub.
    Module {
        /// Counts the questions, so that only the last answer is shown.
        module_id: u64,
        /// Where the hub has it.
        url: Option<String>,
    },
}

/// What the worker tells the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromWorker {
    /// It runs and listens.
    Ready,
    /// The answer to [`ToWorker::Inspect`].
    Inspected {
        /// The drop.
        drop_id: u64,
        /// What the files say, or why they can't be read.
        result: Result<Box<ModelReport>, Problem>,
    },
    /// The answer to [`ToWorker::Plan`].
    Planned {
        /// The question.
        plan_id: u64,
        /// What the export would be, or what is wrong with the options.
        result: Result<ExportPlan, Problem>,
    },
    /// The graph of a plan that was asked for comes with this message, well before the plan's own answer: whoever wants
    /// to see it need not ask.
    Described {
        /// The question for the plan.
        plan_id: u64,
    },
    /// The answer to [`ToWorker::Graph`] and [`ToWorker::GraphText`]; the graph comes with it.
    Graph {
        /// The question.
        graph_id: u64,
        /// Why there is no graph, where there is none.
        result: Result<(), Problem>,
    },
    /// The answer to [`ToWorker::Module`]; the module comes with it.
    Module {
        /// The question.
        module_id: u64,
        /// Why there is no module, where there is none.
        result: Result<(), Problem>,
    },
    /// How far the export is.
    Progress(ExportProgress),
    /// The export is over.
    Exported {
        /// The bundle, or why there is none.
        result: Result<Box<ExportedBundle>, ExportEnd>,
    },
    /// The answer to [`ToWorker::SendSource`].
    SourceSent {
        /// The file on the hub, or why it isn't there.
        result: Result<Artifact, ExportEnd>,
    },
    /// How far a survey is, 0 to 1.
    Surveying {
        /// The question.
        survey_id: u64,
        /// The share that is done.
        share: f64,
    },
    /// The answer to [`ToWorker::Survey`].
    Surveyed {
        /// The question.
        survey_id: u64,
        /// What the numbers are like, or why nobody can tell.
        result: Result<Box<TensorStatistics>, Problem>,
    },
    /// The answer to [`ToWorker::Tokenize`].
    Tokenized {
        /// The question.
        tokens_id: u64,
        /// The tokens, or why there are none.
        result: Result<Box<TokenAnswer>, Problem>,
    },
    /// The answer to [`ToWorker::Compare`].
    Compared {
        /// The question.
        compare_id: u64,
        /// The second model beside the first, or why it can't be read.
        result: Result<Box<ComparedModel>, Problem>,
    },
    /// More tensors that were gone through.
    Differences {
        /// The question.
        run_id: u64,
        /// The tensors.
        found: Vec<TensorOutcome>,
        /// How much is done of all, 0 to 1.
        share: f64,
    },
    /// The end of [`ToWorker::CompareValues`].
    ComparedValues {
        /// The question.
        run_id: u64,
        /// Whether all tensors were gone through, or why no more are.
        result: Result<bool, Problem>,
    },
    /// The worker cannot go on and must be replaced.
    Panicked {
        /// What it said.
        message: String,
    },
}

/// Why an export gave no bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum ExportEnd {
    /// The person cancelled it.
    Cancelled,
    /// It failed.
    Failed {
        /// Why.
        problem: Problem,
    },
}

/// What went wrong, where and what to do, in words for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What happened, a sentence without its full stop.
    pub message: String,
    /// The thing it happened to.
    pub place: Option<String>,
    /// What the person can do.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem with neither place nor hint.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, hint: None }
    }

    /// The same problem, at a place.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// The same problem, with what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<WireError> for Problem {
    fn from(error: WireError) -> Self {
        Self { message: error.message, place: error.place, hint: error.hint }
    }
}

/// All that the page shows of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReport {
    /// The summary.
    pub card: ModelCard,
    /// Every tensor, in the file's order.
    pub tensors: Vec<TensorRow>,
    /// Every metadata entry, in the file's order.
    pub metadata: Vec<MetadataRow>,
}

/// A model in summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCard {
    /// The files, in the order of their parts.
    pub files: Vec<SourceFile>,
    /// `general.name`, or the first file's name.
    pub title: String,
    /// `general.architecture`
    pub architecture: String,
    /// Values in all tensors.
    pub parameter_count: u64,
    /// Bytes of all tensors.
    pub tensor_bytes: u64,
    /// Positions that the model was trained for.
    pub context_length: Option<u64>,
    /// Block formats by their share of the bytes, largest first.
    pub formats: Vec<FormatShare>,
    /// More facts, in the order to show them.
    pub facts: Vec<Fact>,
    /// Whether the file brings a chat template.
    pub has_chat_template: bool,
    /// Whether it gives a text's vector and generates no tokens.
    pub is_encoder: bool,
    /// The forms and contracts, and why it can't be exported in one, where that is so.
    pub forms: Vec<FormSupport>,
    /// Empty where the model can be exported, or every reason why not.
    pub obstacles: Vec<Problem>,
}

/// A dropped file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its name.
    pub name: String,
    /// Its length.
    pub size_bytes: u64,
}

/// How much of a model a block format makes up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatShare {
    /// `Q4_1`, …
    pub format: String,
    /// Tensors in it.
    pub tensor_count: u64,
    /// Bytes in it.
    pub bytes: u64,
}

/// A labelled value of the card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is.
    pub label: String,
    /// Its value, ready to show.
    pub value: String,
    /// The metadata key it was read from, if it was.
    pub key: Option<String>,
}

/// A tensor, as the table shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorRow {
    /// Its name.
    pub name: String,
    /// ggml's dimensions, fastest first.
    pub dims: Vec<u64>,
    /// `Q4_1`, …
    pub format: String,
    /// Its length.
    pub bytes: u64,
}

/// A metadata entry, as the table shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataRow {
    /// Its key.
    pub key: String,
    /// `u32`, `string`, `array of string`, …
    pub kind: String,
    /// Its value; of a long one the beginning.
    pub value: String,
}

/// An export that was not made yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportPlan {
    /// Its files, in order.
    pub files: Vec<PlannedFile>,
    /// What a run takes of memory.
    pub memory: MemoryEntry,
    /// What may go wrong although it can be made.
    pub warnings: Vec<String>,
}

/// A file of an export that was not made yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedFile {
    /// Its name.
    pub name: String,
    /// Its length.
    pub size_bytes: u64,
}

/// How far an export is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExportProgress {
    /// What is being done.
    pub phase: ExportPhase,
    /// Bytes read of the source, for its hash.
    pub hashed_bytes: u64,
    /// Bytes of the source.
    pub source_bytes: u64,
    /// Bytes that the hub has, of all files.
    pub received_bytes: u64,
    /// Of these, bytes it had before this export began.
    pub reused_bytes: u64,
    /// Bytes of all files.
    pub total_bytes: u64,
    /// Bytes of the worker's wasm memory.
    pub memory_bytes: u64,
}

/// What an export is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum ExportPhase {
    /// Reading the source to name it by its hash.
    Hashing,
    /// Making and sending a file.
    Sending {
        /// Its name.
        file: String,
    },
    /// Waiting for a hub that is away.
    Reconnecting {
        /// Tries so far.
        attempt: u32,
    },
}

/// What an export gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExportedBundle {
    /// The hash of its `manifest.json`, which is its name on the hub.
    pub hash: Hash,
    /// Its files.
    pub files: Vec<BundleFile>,
    /// How long it took.
    pub elapsed_ms: f64,
}

/// A file of a bundle, on the hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleFile {
    /// Its name.
    pub name: String,
    /// Its hash and length.
    pub artifact: Artifact,
}
