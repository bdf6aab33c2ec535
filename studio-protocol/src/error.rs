//! Errors as they cross the wire: a code for programs, words for people.

use serde::{Deserialize, Serialize};

/// What kind of thing went wrong, for programs to choose by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorCode {
    /// A message that this version of the protocol does not have, or a value out of its range.
    BadMessage,
    /// The other side speaks another version.
    Version,
    /// No such artifact, bundle, job or runner.
    NotFound,
    /// What was uploaded is not what was announced.
    Corrupt,
    /// The disk is full or a quota is reached.
    NoSpace,
    /// A file could not be read or written.
    Io,
    /// The compiler is missing or another version.
    CompilerMissing,
    /// The compiler ended with an error.
    CompilerFailed,
    /// The time limit was reached.
    TimedOut,
    /// The memory limit was reached.
    OutOfMemory,
    /// The runtime refused the module, the parameters or a call.
    Runtime,
    /// The engine asked for is not in this program, or is built so that it can't be compared with.
    EngineMissing,
    /// The prompt cannot be run: empty, too long for the context, a token out of range.
    BadPrompt,
    /// Too many jobs wait, another connection has taken the upload over, or a runner's name is another machine's.
    Busy,
    /// The runner was lost while it worked, more often than the job is begun again.
    RunnerLost,
    /// A fault of the program itself.
    Internal,
}

/// An error: what happened, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}{message}{}", place_prefix(.place), hint_suffix(.hint))]
pub struct WireError {
    /// The kind.
    pub code: ErrorCode,
    /// What happened, a sentence without its full stop.
    pub message: String,
    /// The thing it happened to: a file, a tensor, a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What the person can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

fn place_prefix(place: &Option<String>) -> String {
    place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default()
}

fn hint_suffix(hint: &Option<String>) -> String {
    hint.as_ref().map(|hint| format!(". {hint}")).unwrap_or_default()
}

impl WireError {
    /// An error with neither place nor hint.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), place: None, hint: None }
    }

    /// The same error, at a place.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// The same error, with what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
