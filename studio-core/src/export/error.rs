//! Why an export fails.

use crate::emit::cpu::CpuError;
use crate::family::BuildError;
use crate::graph::CheckError;
use crate::params::archive::TooLarge;
use crate::params::plan::PlanError;
use crate::params::stream::StreamError;

/// Why an export fails. The messages are those of the part that failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The model cannot be made a graph.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The graph is not right, which is a fault of this program.
    #[error("the graph of this model is not right, which is a fault of the exporter; please report it: {0}")]
    Check(#[from] CheckError),
    /// The parameters do not fit the graph.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The parameters do not fit a file.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The kernels can't compute the graph.
    #[error(transparent)]
    Cpu(#[from] CpuError),
    /// The tokenizer's file cannot be made.
    #[error("the tokenizer's metadata cannot be copied: {0}")]
    Tokenizer(#[source] gguf_file::Error),
    /// The parameters' bytes cannot be made.
    #[error(transparent)]
    Stream(#[from] StreamError),
}
