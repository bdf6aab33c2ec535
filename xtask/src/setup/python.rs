//! Python environments: with the reference packages that tests compare with, and with the programs that a benchmark
//! compares with.

use crate::{
    cache,
    command::{run, say},
};
use anyhow::{Context, Result};
use std::{fs, path::PathBuf, process::Command};

const PACKAGES: &[&str] = &[
    "gguf==0.19.0",
    "numpy==2.2.6",
    "safetensors==0.6.2",
    "jinja2==3.1.6",
    // What building llama.cpp takes besides a C++ compiler.
    "cmake==3.31.6",
    "libclang==18.1.1",
];

/// What shows graphs, too.
const PEERS: &[&str] = &["netron==9.3.3", "ai-edge-model-explorer==0.1.34"];

/// The interpreter of the tests' environment; made on the first call and whenever the list of packages changes.
pub(crate) fn test_python() -> Result<PathBuf> {
    Ok(environment("python", PACKAGES, "the Python packages that tests compare with")?.join("python"))
}

/// The folder with the programs of Netron and Model Explorer.
pub(crate) fn graph_peers() -> Result<PathBuf> {
    environment("peers", PEERS, "Netron and Model Explorer")
}

/// The folder with an environment's programs.
fn environment(name: &str, packages: &[&str], what: &str) -> Result<PathBuf> {
    let folder = cache::root()?.join(name);
    let (programs, stamp) = (folder.join("bin"), folder.join("packages.txt"));
    let wanted = packages.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(programs);
    }
    say(&format!("installing {what}"));
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))
        .context("making a Python environment (Debian, Ubuntu: apt install python3-venv)")?;
    run(Command::new(programs.join("python"))
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(packages))?;
    fs::write(stamp, wanted)?;
    Ok(programs)
}
