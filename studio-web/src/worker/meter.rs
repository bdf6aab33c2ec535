//! Counts an export's bytes and tells the page, not more often than it can show.

use super::tell;
use crate::browser;
use crate::messages::{ExportPhase, ExportProgress, FromWorker};

/// The least time between two words to the page.
const TELL_EVERY_MS: f64 = 100.0;

/// How far an export is.
pub(crate) struct Meter {
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
        let meter = Self { progress, done_bytes: 0, told_ms: browser::now_ms() };
        meter.tell();
        meter
    }

    /// A phase began.
    pub(crate) fn phase(&mut self, phase: ExportPhase) {
        if self.progress.phase != phase {
            self.progress.phase = phase;
            self.told_ms = browser::now_ms();
            self.tell();
        }
    }

    /// So many bytes of the source were hashed.
    pub(crate) fn hashed(&mut self, bytes: u64) {
        self.progress.hashed_bytes = bytes;
        self.tell_now_and_then();
    }

    /// The hub has so many bytes of the present file.
    pub(crate) fn received(&mut self, bytes: u64) {
        self.progress.received_bytes = self.done_bytes + bytes;
        self.tell_now_and_then();
    }

    /// The hub had so many bytes of the present file from before.
    pub(crate) fn reused(&mut self, bytes: u64) {
        self.progress.reused_bytes += bytes;
    }

    /// The present file is done.
    pub(crate) fn file_done(&mut self, bytes: u64) {
        self.done_bytes += bytes;
    }

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
