//! Counts an export's bytes and tells the page, not more often than it can show.

use super::tell;
use crate::browser;
use crate::messages::{ExportPhase, ExportProgress, FromWorker};
use std::cell::RefCell;

/// The least time between two words to the page.
const TELL_EVERY_MS: f64 = 100.0;

/// How far an export is. It is hashed and sent at once, so that what counts is shared.
pub(crate) struct Meter {
    state: RefCell<State>,
}

struct State {
    progress: ExportProgress,
    /// Bytes of the files that are done.
    done_bytes: u64,
    told_ms: f64,
}

impl Meter {
    /// The meter of an export that begins.
    pub(crate) fn new(source_bytes: u64, total_bytes: u64) -> Self {
        let progress = ExportProgress {
            phase: ExportPhase::Hashing,
            hashed_bytes: 0,
            source_bytes,
            received_bytes: 0,
            reused_bytes: 0,
            total_bytes,
            memory_bytes: 0,
        };
        let state = State { progress, done_bytes: 0, told_ms: browser::now_ms() };
        state.tell();
        Self { state: RefCell::new(state) }
    }

    /// A phase began. What is sent while the source is being hashed is little, and not worth a word.
    pub(crate) fn phase(&self, phase: ExportPhase) {
        let mut state = self.state.borrow_mut();
        let progress = &mut state.progress;
        let is_hashing = progress.hashed_bytes < progress.source_bytes;
        let is_sending = matches!(phase, ExportPhase::Sending { .. });
        if progress.phase != phase && !(is_hashing && is_sending) {
            progress.phase = phase;
            state.told_ms = browser::now_ms();
            state.tell();
        }
    }

    /// So many bytes of the source were hashed.
    pub(crate) fn hashed(&self, bytes: u64) {
        let mut state = self.state.borrow_mut();
        state.progress.hashed_bytes = bytes;
        state.tell_now_and_then();
    }

    /// The hub has so many bytes of the present file.
    pub(crate) fn received(&self, bytes: u64) {
        let mut state = self.state.borrow_mut();
        state.progress.received_bytes = state.done_bytes + bytes;
        state.tell_now_and_then();
    }

    /// The hub had so many bytes of the present file from before.
    pub(crate) fn reused(&self, bytes: u64) {
        self.state.borrow_mut().progress.reused_bytes += bytes;
    }

    /// The present file is done.
    pub(crate) fn file_done(&self, bytes: u64) {
        self.state.borrow_mut().done_bytes += bytes;
    }
}

impl State {
    fn tell_now_and_then(&mut self) {
        let now_ms = browser::now_ms();
        if now_ms - self.told_ms >= TELL_EVERY_MS {
            self.told_ms = now_ms;
            self.tell();
        }
    }

    fn tell(&self) {
        let memory_bytes = browser::memory_bytes();
        tell(&FromWorker::Progress(ExportProgress { memory_bytes, ..self.progress.clone() }));
    }
}
