//! `bench graph`: how soon the page shows SmolLM2's graph, opens all of it, and how it moves; how soon it, Netron and
//! Model Explorer show one file.

use crate::{
    cache,
    command::{output, run, say, workspace_root},
    setup, test,
};
use anyhow::{Context, Result, bail};
use std::{
    path::Path,
    process::{Command, Stdio},
};

const ROUNDS: usize = 5;
/// The peers take long.
const PEER_ROUNDS: usize = 3;

/// Prints the figures, each with its goal, and the peers' as ratios.
pub(super) fn measure() -> Result<()> {
    setup::run(&["test".to_owned()])?;
    let peers = setup::graph_peers()?;
    let studio = test::studio()?;
    own(&studio)?;
    large(&studio)?;
    against(&studio, &peers)
}

fn own(studio: &Path) -> Result<()> {
    let text = output(script("graph-bench.mjs", studio)?.arg(ROUNDS.to_string()))?;
    let words: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [first, all, frame] = words[..] else { bail!("graph-bench.mjs printed {text:?}") };
    println!("SmolLM2-135M-Instruct, kv graphs, headless Chromium, medians of {ROUNDS}");
    println!("  from the click to pixels        {first:7.0} ms (goal: within 500)");
    println!("  every scope opened              {all:7.0} ms");
    println!("  a frame while it is moved       {frame:7.1} ms (goal: 16.7)");
    Ok(())
}

/// Far more than any model here has.
fn large(studio: &Path) -> Result<()> {
    const OPERATIONS: usize = 20_000;
    let mut bench = script("graph-large.mjs", studio)?;
    let text = output(bench.args([OPERATIONS.to_string(), PEER_ROUNDS.to_string()]))?;
    let words: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [first, all, frame] = words[..] else { bail!("graph-large.mjs printed {text:?}") };
    println!(
        "A text of {OPERATIONS} operations in scopes of which no two are equal, medians of {PEER_ROUNDS}"
    );
    println!("  from the file to pixels         {first:7.0} ms");
    println!("  every scope opened              {all:7.0} ms");
    println!("  a frame while all of it moves   {frame:7.1} ms");
    Ok(())
}

/// The same file in all three: the portable form's text, with parameters as arguments, for the peers know no others.
fn against(studio: &Path, peers: &Path) -> Result<()> {
    let work = tempfile::tempdir_in(cache::root()?)?;
    let bundle = work.path().join("bundle");
    let mut export = Command::new(studio);
    export.arg("export").arg(setup::smollm2()?).arg("--out").arg(&bundle);
    run(export.args(["--form", "stablehlo", "--graphs", "kv"]).stderr(Stdio::null()))?;
    say("opening the file in Netron and Model Explorer, too");
    let mut bench = script("peers-bench.mjs", studio)?;
    bench.arg(PEER_ROUNDS.to_string()).arg(bundle.join("model.mlir")).arg(peers);
    let text = output(&mut bench)?;
    let figure = |name: &str| -> Result<f64> {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix(name));
        lines
            .find_map(|line| line.trim().parse().ok())
            .with_context(|| format!("peers-bench.mjs printed {text:?}"))
    };
    let ours = figure("studio ")?;
    println!("One StableHLO file, from being given it to its last pixels, medians of {PEER_ROUNDS}");
    println!("  {:<16}{ours:>7.0} ms", "this page");
    for peer in ["netron", "model-explorer"] {
        let theirs = figure(&format!("{peer} "))?;
        println!("  {peer:<16}{theirs:>7.0} ms   {:.1} × this page's", theirs / ours);
    }
    Ok(())
}

/// A script of the browser's folder.
fn script(name: &str, studio: &Path) -> Result<Command> {
    let mut node = Command::new("node");
    node.arg(name).current_dir(workspace_root().join("e2e/browser"));
    node.env("STUDIO_BIN", studio).env("STUDIO_CACHE", cache::root()?).env("CHROMIUM", setup::chromium()?);
    Ok(node)
}
