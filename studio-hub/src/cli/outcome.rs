//! From a command's outcome to words on standard error and an exit status.

use std::{borrow::Cow, fmt::Display, io, io::Write, process::ExitCode};
use studio_core::{export::ExportError, family::BuildError};

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
    note(format_args!("error: {}", in_words(&error)));
    if is_wrong_usage(&error) { WRONG_USAGE.into() } else { FAILED.into() }
}

fn is_wrong_usage(error: &anyhow::Error) -> bool {
    is_of_options(error) || error.is::<WrongUsage>()
}

/// Whether an export failed for what was chosen of it.
pub(super) fn is_of_options(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ExportError::Build(BuildError::Option { .. })))
}

/// An error and its causes, outermost first, nothing said twice: many an error quotes its cause, and many a
/// cause begins with the file that its context names.
pub(super) fn in_words(error: &anyhow::Error) -> String {
    let mut words = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if words.contains(&cause) {
            continue;
        }
        let goes_on = words.is_empty() || cause.starts_with(&format!("{words}: "));
        words = if goes_on { cause } else { format!("{words}: {cause}") };
    }
    words
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

/// Writes text for people to standard output, at once. What it quotes of files changes nothing on a terminal.
pub(super) fn print_text(text: impl Display) -> anyhow::Result<()> {
    print(harmless(&text.to_string()))
}

/// Text without the characters that terminals obey and those that change the order in which others are shown: these are
/// written as `\u{1b}`. Line feeds and tabs are kept.
fn harmless(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut harmless = String::with_capacity(text.len());
    for c in text.chars() {
        if obeyed(c) { harmless.extend(c.escape_unicode()) } else { harmless.push(c) }
    }
    Cow::Owned(harmless)
}

/// Writes a result to standard output, at once: JSON, or what a model says.
pub(super) fn print(text: impl Display) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    write!(out, "{text}").and_then(|()| out.flush()).map_err(|error| PrintError(error).into())
}

/// Writes a line for people to standard error. What it quotes of files changes nothing on a terminal.
pub(super) fn note(text: impl Display) {
    // Nobody is left to tell when this can't be printed.
    drop(writeln!(io::stderr().lock(), "{}", harmless(&text.to_string())));
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn what_terminals_obey_is_spelled_out() {
        assert_eq!(harmless("a\tb\nä 日本"), "a\tb\nä 日本");
        assert_eq!(harmless("\u{1b}[31mred\r\u{9b}2K"), "\\u{1b}[31mred\\u{d}\\u{9b}2K");
        assert_eq!(harmless("gnp.\u{202e}exe\u{2069}"), "gnp.\\u{202e}exe\\u{2069}");
    }

    #[test]
    fn nothing_is_said_twice() {
        let error = anyhow!("No such file").context("a/b: No such file").context("a/b");
        assert_eq!(in_words(&error), "a/b: No such file");
        let error = anyhow!("it is empty").context("b.gguf").context("a");
        assert_eq!(in_words(&error), "a: b.gguf: it is empty");
    }
}
