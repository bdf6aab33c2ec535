//! The child process that does a job's native work: [`Work`] from standard input, events or answers to standard
//! output, all as JSON lines.
//!
//! Data flows one way: a [`Source`](crate::Source) → [`Decoder`], the model at work in its engine →
//! [`generate`](generate::generate), tokens and their times → events. A child that keeps its model open answers
//! [`Question`]s with it instead.

mod answer;
mod contract;
mod decoder;
mod embed;
mod generate;
mod job;
mod kv;
mod language;
mod open;
mod profile;
mod prompt;
mod question;
mod redecode;
mod statistics;
mod teacher;
mod wire;

pub use embed::embedding;
pub use teacher::{Forced, Path, teacher_forced};

pub(crate) use decoder::runtime;
#[cfg(feature = "eager")]
pub(crate) use decoder::{Decoder, ids};
pub(crate) use job::Work;
pub(crate) use language::Language;
pub(crate) use question::{Answer, Question};
pub(crate) use statistics::percentiles;

use std::process::ExitCode;

/// Carries out the work on standard input. A program calls this in a process of its own, as an
/// [`crate::EngineCommand`] says, and ends with what it returns. The process ends, too, when its standard input
/// does: then whoever wanted the result is gone.
pub fn engine_main() -> ExitCode {
    match wire::serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}
