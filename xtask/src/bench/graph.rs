//! `bench graph`: how soon the page shows SmolLM2's graph, opens all of it, and how it moves.

use crate::{
    cache,
    command::{output, workspace_root},
    setup, test,
};
use anyhow::{Result, bail};
use std::process::Command;

const ROUNDS: usize = 5;

/// Prints the figures, each with its goal.
pub(super) fn measure() -> Result<()> {
    setup::run(&["test".to_owned()])?;
    let studio = test::studio()?;
    let text = output(
        Command::new("node")
            .arg("graph-bench.mjs")
            .arg(ROUNDS.to_string())
            .current_dir(workspace_root().join("e2e/browser"))
            .env("STUDIO_BIN", studio)
            .env("STUDIO_CACHE", cache::root()?)
            .env("CHROMIUM", setup::chromium()?),
    )?;
    let words: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [first, all, frame] = words[..] else { bail!("graph-bench.mjs printed {text:?}") };
    println!("SmolLM2-135M-Instruct, kv graphs, headless Chromium, medians of {ROUNDS}");
    println!("  from the click to pixels        {first:7.0} ms (goal: within 500)");
    println!("  every scope opened              {all:7.0} ms");
    println!("  a frame while it is moved       {frame:7.1} ms (goal: 16.7)");
    Ok(())
}
