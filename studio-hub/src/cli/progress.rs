//! How far an export is, as a line on standard error that is written over; nothing where that is no terminal.

use super::outcome::note;
use crate::model::Progress;
use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};
use studio_core::export::Export;

/// How often the line changes at most.
const EVERY: Duration = Duration::from_millis(100);

/// A line on the terminal.
pub(super) struct Terminal {
    shown: Option<Instant>,
    on: bool,
}

impl Terminal {
    pub(super) fn new() -> Self {
        Self { shown: None, on: io::stderr().is_terminal() }
    }

    fn show(&mut self, text: &str) {
        // Nobody is left to tell when this can't be shown.
        drop(write!(io::stderr().lock(), "\r\x1b[2K{text}"));
        self.shown = Some(Instant::now());
    }

    /// Takes the line away.
    pub(super) fn clear(&mut self) {
        if self.shown.is_some() {
            self.show("");
        }
    }
}

impl Progress for Terminal {
    fn planned(&mut self, export: &Export) {
        for warning in export.warnings() {
            note(format_args!("note: {warning}"));
        }
        if let Some([problem, hint]) = export.memory().shortage(runner_agent::memory_bytes()) {
            note(format_args!("note: the bundle can't be run on this machine: {problem}. {hint}"));
        }
    }

    fn made(&mut self, file: &str, bytes: u64, of: u64) {
        if !self.on || self.shown.is_some_and(|shown| shown.elapsed() < EVERY) {
            return;
        }
        let percent = bytes.saturating_mul(100) / of.max(1);
        self.show(&format!("{percent:3} %  {} of {} MB  {file}", bytes / 1_000_000, of / 1_000_000));
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.clear();
    }
}
