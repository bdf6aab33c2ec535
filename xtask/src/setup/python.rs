//! A Python environment with the reference packages that tests compare with.

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

/// The environment's interpreter; made on the first call and whenever the list of packages changes.
pub(crate) fn test_python() -> Result<PathBuf> {
    let folder = cache::root()?.join("python");
    let (python, stamp) = (folder.join("bin/python"), folder.join("packages.txt"));
    let wanted = PACKAGES.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    say("installing the Python packages that tests compare with");
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))
        .context("making a Python environment (Debian, Ubuntu: apt install python3-venv)")?;
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(PACKAGES))?;
    fs::write(stamp, wanted)?;
    Ok(python)
}
