//! The hub as the page knows it.

use studio_protocol::{Runner, RunnerInfo};

/// Whether the hub is there.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum LinkState {
    /// The first connection is being made.
    #[default]
    Connecting,
    /// It is there.
    Up {
        /// Its name and version.
        hub: String,
        /// Bytes that its disk had room for; 0 where nobody knows.
        free_disk_bytes: u64,
        /// Who can work.
        runners: Vec<Runner>,
    },
    /// It is away and called again and again.
    Away {
        /// Tries since it was last there.
        attempt: u32,
        /// Its own word on that, if it had one.
        reason: Option<String>,
    },
}

impl LinkState {
    /// Whether it is there.
    pub fn is_up(&self) -> bool {
        matches!(self, LinkState::Up { .. })
    }

    /// Bytes that the hub's disk had room for when it was last called; 0 where nobody knows.
    pub fn free_disk_bytes(&self) -> u64 {
        match self {
            LinkState::Up { free_disk_bytes, .. } => *free_disk_bytes,
            LinkState::Connecting | LinkState::Away { .. } => 0,
        }
    }

    /// All runners; none while the hub is away.
    pub fn runners(&self) -> &[Runner] {
        match self {
            LinkState::Up { runners, .. } => runners,
            LinkState::Connecting | LinkState::Away { .. } => &[],
        }
    }

    /// The runner in the hub itself, or the first one.
    pub fn runner(&self) -> Option<&RunnerInfo> {
        match self {
            LinkState::Up { runners, .. } => {
                let local = runners.iter().find(|runner| runner.info.name == "local");
                local.or_else(|| runners.first()).map(|runner| &runner.info)
            }
            LinkState::Connecting | LinkState::Away { .. } => None,
        }
    }
}
