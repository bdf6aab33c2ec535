//! Tasks that the justfile calls: whatever needs an `if`.
#![expect(clippy::print_stderr, clippy::print_stdout, reason = "a task says what it does and what it found")]

mod agent;
mod bench;
mod cache;
mod command;
mod page;
mod setup;
mod test;
mod tidy;

use anyhow::{Result, bail};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match task(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn task(words: &[String]) -> Result<()> {
    match words.split_first().map(|(name, rest)| (name.as_str(), rest)) {
        Some(("agent", words)) => agent::run_named(words),
        Some(("bench", names)) => bench::run_named(names),
        Some(("page", [])) => page::run(),
        Some(("setup", groups)) => setup::run(groups),
        Some(("test", stages)) => test::run_stages(stages),
        Some((other, _)) => bail!("no task `{other}`; the justfile shows what there is"),
        None => bail!("which task? The justfile shows what there is"),
    }
}
