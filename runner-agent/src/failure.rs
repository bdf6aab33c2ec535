//! How a job ends that did not do what was asked.

use studio_protocol::WireError;

/// Why a job gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The token that came with the job was cancelled; the job's processes are gone.
    #[error("the job was cancelled")]
    Cancelled,
    /// It failed.
    #[error(transparent)]
    Error(#[from] WireError),
}
