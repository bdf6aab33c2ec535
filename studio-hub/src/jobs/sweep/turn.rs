//! Whose turn it is to export and to have something measured: one sweep's, so that neither disturbs the other.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A sweep's place in the row. It can be left and taken again.
pub(super) struct Turn {
    turns: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl Turn {
    /// Waits for it.
    pub(super) async fn take(turns: &Arc<Semaphore>) -> Self {
        let mut turn = Self { turns: Arc::clone(turns), held: None };
        turn.take_again().await;
        turn
    }

    /// Waits for it, unless this has it.
    pub(super) async fn take_again(&mut self) {
        if self.held.is_none() {
            // It is never closed.
            self.held = Arc::clone(&self.turns).acquire_owned().await.ok();
        }
    }

    /// Lets others go on.
    pub(super) fn leave(&mut self) {
        self.held = None;
    }

    /// Whether it is this one's.
    pub(super) fn is_held(&self) -> bool {
        self.held.is_some()
    }
}
