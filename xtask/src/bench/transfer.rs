//! `bench transfer`: an upload to a hub over loopback against a plain copy over TCP; what is sent again after a cut.

use crate::{
    cache,
    command::{cargo, output},
    test,
};
use anyhow::{Context, Result, bail};
use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

const ROUNDS: usize = 5;
const MEGABYTES: usize = 256;

/// Prints the figures, each with its goal.
pub(super) fn measure() -> Result<()> {
    let studio = test::studio()?;
    let data = tempfile::tempdir_in(cache::root()?)?;
    let mut hub = Hub(Command::new(studio)
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?);
    let mut url = String::new();
    BufReader::new(hub.0.stdout.take().context("the hub's output is piped")?).read_line(&mut url)?;
    let text = transfer(url.trim(), data.path())?;
    let words: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [upload, copy, resumed, again] = words[..] else { bail!("the example transfer printed {text:?}") };
    println!("{MEGABYTES} MiB over loopback, medians of {ROUNDS}");
    println!("  plain copy over TCP             {copy:7.3} s");
    println!(
        "  upload to a hub                 {upload:7.3} s   {:.2} of the copy's speed (goal: at least 0.8)",
        copy / upload
    );
    println!("  sent again after a cut          {resumed:7.2} of what was missing (goal: at most 1)");
    println!("  sent of a file that is there    {again:7.0} bytes (goal: 0)");
    Ok(())
}

fn transfer(url: &str, folder: &Path) -> Result<String> {
    let mut example = cargo();
    example.args([
        "run",
        "--quiet",
        "--release",
        "--package",
        "runner-agent",
        "--example",
        "transfer",
        "--",
        url,
    ]);
    // Files of both on the same disk.
    example.args([MEGABYTES.to_string(), ROUNDS.to_string()]).env("TMPDIR", folder);
    output(&mut example)
}

/// A hub that ends with the bench.
struct Hub(Child);

impl Drop for Hub {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
