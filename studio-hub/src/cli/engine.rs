//! `studio engine`: the child process that a run job works in. Not for people.

use clap::Args;
use runner_agent::EngineCommand;
use std::process::ExitCode;

/// Carries out one run job, read from standard input.
#[derive(Debug, Args)]
pub(super) struct Engine {}

impl Engine {
    pub(super) fn run(self) -> ExitCode {
        super::log_to_stderr("warn");
        runner_agent::engine_main()
    }
}

/// How this program starts itself as an engine.
pub(super) fn command() -> anyhow::Result<EngineCommand> {
    Ok(EngineCommand { program: std::env::current_exe()?, args: vec!["engine".into()] })
}
