//! From a command's outcome to words on standard error and an exit status.

use std::{fmt::Display, io, io::Write, process::ExitCode};

const DONE: u8 = 0;
const FAILED: u8 = 1;
const WRONG_USAGE: u8 = 2;

/// An error in what was asked, found after the arguments were parsed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct WrongUsage(pub(super) String);

/// A failure of which everything was said already.
#[derive(Debug, thiserror::Error)]
#[error("failed")]
pub(super) struct Said;

/// Says what went wrong and gives the exit status.
pub(super) fn status(outcome: anyhow::Result<()>) -> ExitCode {
    let Err(error) = outcome else { return DONE.into() };
    let is_broken_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<PrintError>().is_some_and(|error| error.0.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_broken_pipe) {
        // Whoever read the output has seen enough.
        return DONE.into();
    }
    if error.is::<Said>() {
        return FAILED.into();
    }
    note(format_args!("error: {error:#}"));
    if error.is::<WrongUsage>() { WRONG_USAGE.into() } else { FAILED.into() }
}

/// Prints clap's message: help on standard output, errors on standard error.
pub(super) fn usage(error: &clap::Error) -> ExitCode {
    // Nobody is left to tell when this can't be printed.
    drop(error.print());
    if error.use_stderr() { WRONG_USAGE.into() } else { DONE.into() }
}

/// Standard output could not be written.
#[derive(Debug, thiserror::Error)]
#[error("standard output could not be written: {0}")]
struct PrintError(#[source] io::Error);

/// Writes a result to standard output, at once.
pub(super) fn print(text: impl Display) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    write!(out, "{text}").and_then(|()| out.flush()).map_err(|error| PrintError(error).into())
}

/// Writes a line for people to standard error.
pub(super) fn note(text: impl Display) {
    // Nobody is left to tell when this can't be printed.
    drop(writeln!(io::stderr().lock(), "{text}"));
}
