//! The child process that [`crate::run()`] starts: a job from standard input, events to standard output, both
//! as JSON lines.
//!
//! Data flows one way: the job → [`Contract`], what the manifest says of the functions, checked → [`Decoder`],
//! the module at work → [`generate`](generate::generate), tokens and their times → events.

mod contract;
mod decoder;
mod generate;
mod job;
mod kv;
mod open;
mod prompt;
mod redecode;
mod statistics;
mod teacher;
mod wire;

pub use teacher::{Forced, Path, teacher_forced};

pub(crate) use job::EngineJob;

use std::process::ExitCode;

/// Carries out the job on standard input. A program calls this in a process of its own, as an
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
