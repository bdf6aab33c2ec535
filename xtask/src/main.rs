//! Tasks that the justfile calls: whatever needs an `if`.
#![expect(clippy::print_stderr, reason = "a task says on standard error what it does")]

mod cache;
mod command;
mod setup;

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
        Some(("setup", groups)) => setup::run(groups),
        Some((other, _)) => bail!("no task `{other}`; the justfile shows what there is"),
        None => bail!("which task? The justfile shows what there is"),
    }
}
