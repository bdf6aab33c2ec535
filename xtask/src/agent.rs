//! `xtask agent arm64`: builds `runner-agent` for phones and boards: static, small, aligned for pages of 16 KiB. With
//! `eager` behind it llama.cpp is in it, to be compared with on the device.

use crate::{
    cache,
    command::{cargo, run, say, workspace_root},
    setup::{self, arm64},
};
use android_runner::elf::{self, Machine};
use anyhow::{Context, Result, bail};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What it may have at most, without llama.cpp.
const MAX_BYTES: u64 = 8 << 20;

/// What is built.
struct Kind {
    /// Its name in the cache folder.
    name: &'static str,
    /// What it is built with, besides what all are.
    options: &'static [&'static str],
    max_bytes: u64,
}

const PLAIN: Kind = Kind { name: "runner-agent-arm64", options: &[], max_bytes: MAX_BYTES };
const EAGER: Kind = Kind {
    name: "runner-agent-arm64-eager",
    options: &["--features", "runner-agent/eager"],
    max_bytes: 2 * MAX_BYTES,
};
const EAGER_I8MM: Kind = Kind { name: "runner-agent-arm64-eager-i8mm", ..EAGER };

/// The words behind `agent`.
pub(crate) fn run_named(words: &[String]) -> Result<()> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["arm64"] => arm64().map(drop),
        ["arm64", "eager"] => arm64_with_llama(arm64::Set::Dotprod).map(drop),
        _ => bail!("no agent for `{}`: there are `arm64` and `arm64 eager`", words.join(" ")),
    }
}

/// Builds it, checks it and puts it where `studio android deploy` finds it.
pub(crate) fn arm64() -> Result<PathBuf> {
    let tools = arm64::toolchain()?;
    make(&PLAIN, &target_dir(), cargo_for(&tools, &target_dir(), &BUILD))
}

/// The same with llama.cpp in it, for the processors that kernels of a set are for. Agents that are deployed have the one
/// for dot products; the other is there to be compared with.
pub(crate) fn arm64_with_llama(set: arm64::Set) -> Result<PathBuf> {
    let tools = arm64::toolchain()?;
    // Each in a folder of its own: llama.cpp is configured once and no more.
    let (kind, folder) = match set {
        arm64::Set::Dotprod => (&EAGER, "eager"),
        arm64::Set::I8mm => (&EAGER_I8MM, "eager-i8mm"),
    };
    let target = cache::root()?.join(folder);
    if !target.join(arm64::TARGET).exists() {
        say("building llama.cpp for 64-bit ARM (some minutes, once)");
    }
    let mut build = cargo_for(&tools, &target, &BUILD);
    setup::llama_for(&mut build, &tools, set)?;
    make(kind, &target, build)
}

const BUILD: [&str; 9] = [
    "build",
    "--quiet",
    "--locked",
    "--profile",
    "agent",
    "--package",
    "runner-agent",
    "--bin",
    "runner-agent",
];

fn make(kind: &Kind, target: &Path, mut build: Command) -> Result<PathBuf> {
    run(build.args(kind.options))?;
    let built = target.join(arm64::TARGET).join("agent/runner-agent");
    let bytes = fs::read(&built).with_context(|| format!("reading {}", built.display()))?;
    elf::check(&bytes, Machine::Arm64).with_context(|| format!("{} can't be used", built.display()))?;
    if bytes.len() as u64 > kind.max_bytes {
        bail!("{} has {} bytes, and {} are allowed", built.display(), bytes.len(), kind.max_bytes);
    }
    let folder = cache::root()?.join("agents");
    fs::create_dir_all(&folder)?;
    let place = folder.join(kind.name);
    // Whole or not at all: somebody may be sending the one before.
    let new = tempfile::NamedTempFile::new_in(&folder)?;
    fs::copy(&built, new.path())?;
    new.persist(&place)?;
    say(&format!("{} has {:.1} MB", place.display(), bytes.len() as f64 / 1e6));
    Ok(place)
}

/// Apart from everything else, because it may need another rustc.
pub(crate) fn target_dir() -> PathBuf {
    let root = workspace_root();
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("agent")
}

/// A cargo that builds static programs for devices.
pub(crate) fn cargo_for(tools: &arm64::Toolchain, target_dir: &Path, words: &[&str]) -> Command {
    let variable = arm64::TARGET.replace('-', "_");
    let upper = variable.to_uppercase();
    let mut command = cargo();
    command.current_dir(workspace_root()).args(words);
    command.args(["--target", arm64::TARGET]).arg("--target-dir").arg(target_dir);
    for outer in ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS", "CARGO_BUILD_TARGET", "RUSTC_WRAPPER"] {
        command.env_remove(outer);
    }
    if let Some(rustc) = &tools.rustc {
        command.env("RUSTC", rustc).env_remove("RUSTDOC");
    }
    command.env(format!("CARGO_TARGET_{upper}_LINKER"), &tools.cc);
    command.env(format!("CC_{variable}"), &tools.cc).env(format!("CXX_{variable}"), &tools.cxx);
    command.env(format!("AR_{variable}"), &tools.ar);
    // Devices have neither glibc nor its linker, and pages of 4, 16 or 64 KiB.
    command.env(
        format!("CARGO_TARGET_{upper}_RUSTFLAGS"),
        "-Ctarget-feature=+crt-static -Crelocation-model=static \
         -Clink-arg=-Wl,-z,max-page-size=65536",
    );
    command
}
