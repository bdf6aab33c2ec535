//! The binary `runner-agent`: joins a hub and works for it. Small enough for a phone: no page, no history.
#![expect(clippy::print_stderr, reason = "a program says what went wrong")]

use clap::{Parser, Subcommand};
use runner_agent::{EngineCommand, join::JoinArgs};
use std::{env, io, path::PathBuf, process::ExitCode};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Compiles, runs and measures exported models on this machine for a hub of Lowering Studio.
#[derive(Debug, Parser)]
#[command(name = "runner-agent", version, propagate_version = true, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Join(JoinArgs),
    /// The child process that runs a model. Not for people.
    #[command(hide = true)]
    Engine,
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Join(args) => {
            log("info");
            match join(args) {
                Ok(()) => ExitCode::SUCCESS,
                Err((status, words)) => {
                    eprintln!("error: {words}");
                    status.into()
                }
            }
        }
        Command::Engine => {
            log("warn");
            runner_agent::engine_main()
        }
    }
}

fn join(args: JoinArgs) -> Result<(), (u8, String)> {
    let failed = |error: io::Error| (1, error.to_string());
    let program = env::current_exe().map_err(failed)?;
    let engine = EngineCommand { program, args: vec!["engine".into()] };
    let cache = cache().ok_or((2, "neither HOME nor STUDIO_CACHE is set".to_owned()))?;
    tokio::runtime::Runtime::new().map_err(failed)?.block_on(async {
        let cancel = CancellationToken::new();
        for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
            let (mut signals, cancel) = (signal(kind).map_err(failed)?, cancel.clone());
            tokio::spawn(async move {
                signals.recv().await;
                cancel.cancel();
            });
        }
        let agent = concat!("runner-agent/", env!("CARGO_PKG_VERSION"));
        let joined = args.run(cache, engine, agent, &cancel).await;
        joined.map_err(|error| (if error.is_usage() { 2 } else { 1 }, error.to_string()))
    })
}

/// What can be fetched or made again: as `studio` has it.
fn cache() -> Option<PathBuf> {
    let folder = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    folder("STUDIO_CACHE")
        .or_else(|| Some(folder("XDG_CACHE_HOME")?.join("lowering-studio")))
        .or_else(|| Some(env::home_dir()?.join(".cache/lowering-studio")))
}

fn log(level: &str) {
    use std::io::IsTerminal;
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .init();
}
