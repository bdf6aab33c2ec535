//! What IREE answers when it cannot do something, as a Rust error with IREE's own text.

use std::fmt;

/// The kind of a failure, with IREE's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StatusCode {
    Cancelled,
    Unknown,
    InvalidArgument,
    DeadlineExceeded,
    NotFound,
    AlreadyExists,
    PermissionDenied,
    ResourceExhausted,
    FailedPrecondition,
    Aborted,
    OutOfRange,
    Unimplemented,
    Internal,
    Unavailable,
    DataLoss,
    Unauthenticated,
    Deferred,
    Incompatible,
}

impl StatusCode {
    pub(crate) fn from_iree(code: u32) -> Self {
        match code {
            1 => Self::Cancelled,
            3 => Self::InvalidArgument,
            4 => Self::DeadlineExceeded,
            5 => Self::NotFound,
            6 => Self::AlreadyExists,
            7 => Self::PermissionDenied,
            8 => Self::ResourceExhausted,
            9 => Self::FailedPrecondition,
            10 => Self::Aborted,
            11 => Self::OutOfRange,
            12 => Self::Unimplemented,
            13 => Self::Internal,
            14 => Self::Unavailable,
            15 => Self::DataLoss,
            16 => Self::Unauthenticated,
            17 => Self::Deferred,
            18 => Self::Incompatible,
            _ => Self::Unknown,
        }
    }
}

/// Something that could not be done: what, what kind of failure it was, and why. The reason is IREE's own text where
/// IREE found it, otherwise ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{doing}: {message}")]
pub struct Error {
    /// What was being done, naming the file, function or argument.
    pub doing: String,
    pub code: StatusCode,
    pub message: String,
}

impl Error {
    pub(crate) fn new(doing: impl Into<String>, code: StatusCode, message: impl Into<String>) -> Self {
        Self { doing: doing.into(), code, message: message.into() }
    }

    pub(crate) fn io(doing: impl Into<String>, error: &std::io::Error) -> Self {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => StatusCode::NotFound,
            std::io::ErrorKind::PermissionDenied => StatusCode::PermissionDenied,
            std::io::ErrorKind::OutOfMemory => StatusCode::ResourceExhausted,
            _ => StatusCode::Unavailable,
        };
        Self::new(doing, code, error.to_string())
    }
}

/// A failure before it is known what was being done: the layer below does not know the names.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) code: StatusCode,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: StatusCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// For files that are damaged or not what they should be.
    pub(crate) fn data_loss(message: impl Into<String>) -> Self {
        Self::new(StatusCode::DataLoss, message)
    }

    pub(crate) fn unimplemented(message: impl Into<String>) -> Self {
        Self::new(StatusCode::Unimplemented, message)
    }

    /// Says in which part of a file it is.
    pub(crate) fn at(self, place: impl fmt::Display) -> Self {
        Self { message: format!("{place}: {}", self.message), ..self }
    }

    pub(crate) fn doing(self, doing: impl fmt::Display) -> Error {
        Error { doing: doing.to_string(), code: self.code, message: self.message }
    }
}
