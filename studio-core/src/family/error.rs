//! Why a model can't be made a graph.

use super::Family;
use crate::graph::GraphError;
use crate::tiles::TileError;
use gguf_file::ReadError;

/// Why a model can't be made a graph.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A metadata key is missing or of the wrong type.
    #[error(transparent)]
    Metadata(#[from] gguf_file::Error),
    /// No family has this architecture.
    #[error(
        "the architecture {architecture:?} is not supported{}; supported: {}",
        .nearest.as_ref().map(ToString::to_string).unwrap_or_default(), supported_architectures()
    )]
    UnknownArchitecture {
        /// `general.architecture`
        architecture: String,
        /// The family that it is like, if any is.
        nearest: Option<Nearest>,
    },
    /// A hyperparameter that makes no model.
    #[error("{key} is {value}: {reason}")]
    BadHyperparameter {
        /// The metadata key.
        key: String,
        /// Its value.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Something that the model has and this exporter can't do yet.
    #[error("{key} is {value}: {feature} is not supported")]
    Unsupported {
        /// The metadata key, or the tensor.
        key: String,
        /// Its value, or its format.
        value: String,
        /// What is missing.
        feature: &'static str,
    },
    /// A tensor that the architecture needs is not there.
    #[error("the file has no tensor {name}, which the architecture needs")]
    MissingTensor {
        /// Its name.
        name: String,
    },
    /// A tensor that the architecture has no use for: the model isn't what its family takes it for.
    #[error(
        "tensor {name}: the architecture {architecture} has no such tensor, so what the model does with it is unknown"
    )]
    UnusedTensor {
        /// Its name.
        name: String,
        /// `general.architecture`
        architecture: String,
    },
    /// A tensor has other dimensions than the hyperparameters say.
    #[error(
        "tensor {name} has dimensions {found:?}, but the hyperparameters make it {expected:?} (fastest first)"
    )]
    TensorDims {
        /// Its name.
        name: String,
        /// What its dimensions should be, in ggml's order.
        expected: Vec<u64>,
        /// What they are.
        found: Vec<u64>,
    },
    /// A tensor whose data is needed to make the graph can't be used.
    #[error("tensor {name}: {reason}")]
    TensorData {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The source failed.
    #[error("tensor {name} can't be read: {source}")]
    Read {
        /// The tensor's name.
        name: String,
        /// The source's error.
        source: ReadError,
    },
    /// An option that can't be fulfilled.
    #[error("option {option} is {value}: {reason}")]
    Option {
        /// Its name.
        option: &'static str,
        /// Its value.
        value: String,
        /// What to do about it.
        reason: String,
    },
    /// A matrix that the cpu form's kernels can't read.
    #[error(transparent)]
    Tiles(#[from] TileError),
    /// The blocks don't fit together.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// The family that an unknown architecture is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nearest {
    /// Its architecture.
    pub architecture: &'static str,
    /// Whether the model has just the tensors and hyperparameters of that family; else only the names are alike.
    pub same_tensors: bool,
}

impl std::fmt::Display for Nearest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { architecture, same_tensors } = self;
        let why = if *same_tensors {
            "its tensors and hyperparameters are those of that family, what is done with them may differ"
        } else {
            "by its name"
        };
        write!(f, " (nearest: {architecture}, {why})")
    }
}

fn supported_architectures() -> String {
    Family::all().map(Family::architecture).collect::<Vec<_>>().join(", ")
}
