//! A child's process group, killed as one.

use rustix::{
    io::Errno,
    process::{Pid, Signal, kill_process_group},
};
use std::io;
use tokio::process::Child;

/// The process group that a child leads. Dropping it kills every process in it.
#[derive(Debug)]
pub(super) struct Group(Pid);

impl Group {
    /// The group of a child that was started with `process_group(0)`.
    pub(super) fn of(child: &Child) -> io::Result<Self> {
        child
            .id()
            .and_then(|id| Pid::from_raw(id.cast_signed()))
            .map(Self)
            .ok_or_else(|| io::Error::other("the child has no process id"))
    }

    /// Kills every process in it; none left is no error.
    pub(super) fn kill(&self) {
        match kill_process_group(self.0, Signal::KILL) {
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => tracing::error!("process group {}: {error}", self.0.as_raw_nonzero()),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
