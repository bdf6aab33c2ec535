//! Benchmarks against a peer, interleaved in one run, printed as ratios of medians.

mod engines;
mod export;
mod goals;
mod graph;
mod instructions;
mod transfer;

use anyhow::{Result, bail};

/// Runs the named benchmark: `export`, `graph`, `instructions`, `transfer`, or `decode` and `prefill` with `--form cpu` or `--form stablehlo` after them.
pub(crate) fn run_named(words: &[String]) -> Result<()> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["export"] => export::measure(),
        ["graph"] => graph::measure(),
        ["instructions"] => instructions::measure(),
        ["transfer"] => transfer::measure(),
        [what @ ("decode" | "prefill")] => engines::measure(what, "cpu"),
        [what @ ("decode" | "prefill"), "--form", form] => engines::measure(what, form),
        _ => bail!(
            "bench what? There are `export`, `graph`, `instructions`, `transfer`, and `decode` and `prefill` [--form cpu|stablehlo]"
        ),
    }
}
