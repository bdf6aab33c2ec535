//! What a command does with the events of the job that it waits for.

use super::outcome::{note, print};
use runner_agent::Failure;
use studio_protocol::JobEvent;
use tokio::sync::mpsc;

/// Takes a job's events as they come.
pub(super) trait Follow {
    /// An event came.
    fn event(&mut self, event: JobEvent) -> anyhow::Result<()>;
}

/// Carries out a job and follows its events. Where they can't be shown any more, the job is dropped and ends.
pub(super) async fn follow<T>(
    follower: &mut impl Follow,
    work: impl AsyncFnOnce(&mpsc::Sender<JobEvent>) -> Result<T, Failure>,
) -> anyhow::Result<T> {
    let (sender, mut receiver) = mpsc::channel(256);
    // A failure is an outcome like any other: the events before it are shown first.
    let work = async move { anyhow::Ok(work(&sender).await) };
    let show = async {
        while let Some(event) = receiver.recv().await {
            follower.event(event)?;
        }
        anyhow::Ok(())
    };
    let (result, ()) = tokio::try_join!(work, show)?;
    Ok(result?)
}

/// Shows what the compiler and the runtime print.
pub(super) struct Logged;

impl Follow for Logged {
    fn event(&mut self, event: JobEvent) -> anyhow::Result<()> {
        match event {
            JobEvent::Log { line } => note(line),
            JobEvent::Checked(check) => note(check.words()),
            _ => {}
        }
        Ok(())
    }
}

/// Shows tokens as they come, too.
pub(super) struct Streamed;

impl Follow for Streamed {
    fn event(&mut self, event: JobEvent) -> anyhow::Result<()> {
        match event {
            JobEvent::Token { text, .. } => print(text),
            other => Logged.event(other),
        }
    }
}
