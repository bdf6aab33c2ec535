//! The export as the page follows it.

use crate::messages::{ExportPhase, ExportProgress, Problem};
use crate::state::rate::Rate;
use studio_core::options::ExportOptions;

/// The export of the dropped model.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ExportState {
    /// None was asked for.
    #[default]
    Idle,
    /// It goes on.
    Running(Running),
    /// A person ended it.
    Cancelled,
    /// It failed.
    Failed(Problem),
    /// The bundle is on the hub.
    Done,
}

/// An export that goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    /// What was chosen.
    pub options: ExportOptions,
    /// The last word from the worker.
    pub progress: Option<ExportProgress>,
    /// How fast the present phase goes, in bytes.
    pub rate: Rate,
    /// Whether a person asked for its end.
    pub cancelling: bool,
}

impl Running {
    /// An export that begins.
    pub fn new(options: ExportOptions) -> Self {
        Self { options, progress: None, rate: Rate::default(), cancelling: false }
    }

    /// Takes word from the worker at a time in milliseconds.
    pub fn take(&mut self, now_ms: f64, progress: ExportProgress) {
        let hashing = |progress: &ExportProgress| progress.phase == ExportPhase::Hashing;
        if self.progress.as_ref().is_some_and(|last| hashing(last) != hashing(&progress)) {
            self.rate = Rate::default();
        }
        self.rate.note(now_ms, counted(&progress).0);
        self.progress = Some(progress);
    }

    /// Bytes done and bytes to do of the present phase.
    pub fn done_of(&self) -> (u64, u64) {
        self.progress.as_ref().map(counted).unwrap_or_default()
    }
}

fn counted(progress: &ExportProgress) -> (u64, u64) {
    match progress.phase {
        ExportPhase::Hashing => (progress.hashed_bytes, progress.source_bytes),
        ExportPhase::Sending { .. } | ExportPhase::Reconnecting { .. } => {
            (progress.received_bytes, progress.total_bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_its_own_rate() {
        let mut running = Running::new(ExportOptions::default());
        let mut progress = ExportProgress {
            phase: ExportPhase::Hashing,
            hashed_bytes: 0,
            source_bytes: 1_000,
            received_bytes: 0,
            reused_bytes: 0,
            total_bytes: 4_000,
            memory_bytes: 0,
        };
        running.take(0.0, progress.clone());
        progress.hashed_bytes = 1_000;
        running.take(1_000.0, progress.clone());
        assert_eq!(running.rate.per_second(), Some(1_000.0));
        assert_eq!(running.done_of(), (1_000, 1_000));

        progress.phase = ExportPhase::Sending { file: "model.irpa".into() };
        running.take(1_100.0, progress.clone());
        assert_eq!(running.rate.per_second(), None);
        progress.received_bytes = 500;
        running.take(2_100.0, progress);
        assert_eq!(running.rate.per_second(), Some(500.0));
        assert_eq!(running.done_of(), (500, 4_000));
    }
}
