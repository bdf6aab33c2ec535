//! `studio join`: this machine works for a hub, as `runner-agent join` does.

use super::{dirs, engine, outcome::WrongUsage, work};
use clap::Args;
use runner_agent::join::{JoinArgs, JoinError};

/// Works for a hub: compiles, runs and measures on this machine what is asked for there.
#[derive(Debug, Args)]
pub(super) struct Join {
    #[command(flatten)]
    args: JoinArgs,
}

impl Join {
    pub(super) fn run(self) -> anyhow::Result<()> {
        super::log_to_stderr("info");
        work::block_on(|cancel| async move {
            let agent = concat!("studio/", env!("CARGO_PKG_VERSION"));
            let joined = self.args.run(dirs::cache()?, engine::command()?, agent, &cancel).await;
            joined.map_err(|error: JoinError| match error.is_usage() {
                true => WrongUsage(error.to_string()).into(),
                false => error.into(),
            })
        })
    }
}
