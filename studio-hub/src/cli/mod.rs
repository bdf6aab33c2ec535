//! The command line: what can be asked, one file a command, and what becomes of the outcome.

mod android;
mod bench;
mod compile;
mod diff;
mod dirs;
mod doctor;
mod engine;
mod events;
mod export;
mod figures;
mod graph;
mod inspect;
mod jobs;
mod join;
mod kind;
mod options;
mod outcome;
mod params;
mod profile;
mod progress;
mod ready;
mod remote;
mod run;
mod runners;
mod sampling;
mod serve;
mod sweep;
mod tokens;
mod verify;
mod work;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Turns GGUF models into StableHLO and parameter archives, compiles them with IREE, and runs them.
#[derive(Debug, Parser)]
#[command(name = "studio", version, propagate_version = true, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Export(export::Export),
    Inspect(inspect::Inspect),
    Params(params::Params),
    Tokens(tokens::Tokens),
    Diff(diff::Diff),
    Graph(graph::GraphCommand),
    Compile(compile::Compile),
    Run(run::Run),
    Bench(bench::Bench),
    Verify(verify::Verify),
    Sweep(sweep::Sweep),
    Runners(runners::Runners),
    Jobs(jobs::Jobs),
    Join(join::Join),
    Android(android::Android),
    Doctor(doctor::Doctor),
    #[command(hide = true)]
    Engine(engine::Engine),
}

/// Does what the arguments ask. The status is 0 when it was done, 1 when it failed, 2 when the arguments are
/// wrong.
pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return outcome::usage(&error),
    };
    if let Err(error) = work::take_file_size_limits_as_errors() {
        return outcome::status(Err(error.into()));
    }
    outcome::status(match cli.command {
        Command::Serve(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::Inspect(command) => command.run(),
        Command::Params(command) => command.run(),
        Command::Tokens(command) => command.run(),
        Command::Diff(command) => command.run(),
        Command::Graph(command) => command.run(),
        Command::Compile(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Verify(command) => command.run(),
        Command::Sweep(command) => command.run(),
        Command::Runners(command) => command.run(),
        Command::Jobs(command) => command.run(),
        Command::Join(command) => command.run(),
        Command::Android(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::Engine(command) => return command.run(),
    })
}

/// Sends the program's log to standard error: what `RUST_LOG` asks for, or this level.
fn log_to_stderr(level: &str) {
    use std::io::{self, IsTerminal};
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .init();
}
