//! `xtask agent arm64`: builds `runner-agent` for phones and boards: static, small, aligned for pages of 16 KiB.

use crate::{
    cache,
    command::{cargo, run, say, workspace_root},
    setup::arm64,
};
use android_runner::elf::{self, Machine};
use anyhow::{Context, Result, bail};
use std::{env, fs, path::PathBuf, process::Command};

/// What it may have at most.
const MAX_BYTES: u64 = 8 << 20;

/// Builds it, checks it and puts it where `studio android deploy` finds it.
pub(crate) fn run_for(target: &str) -> Result<PathBuf> {
    if target != "arm64" {
        bail!("no agent for `{target}`: there is `arm64`");
    }
    let tools = arm64::toolchain()?;
    let built = build(&tools)?;
    let bytes = fs::read(&built).with_context(|| format!("reading {}", built.display()))?;
    elf::check(&bytes, Machine::Arm64).with_context(|| format!("{} can't be used", built.display()))?;
    if bytes.len() as u64 > MAX_BYTES {
        bail!("{} has {} bytes, and {MAX_BYTES} are allowed", built.display(), bytes.len());
    }
    let folder = cache::root()?.join("agents");
    fs::create_dir_all(&folder)?;
    let place = folder.join("runner-agent-arm64");
    // Whole or not at all: somebody may be sending the one before.
    let new = tempfile::NamedTempFile::new_in(&folder)?;
    fs::copy(&built, new.path())?;
    new.persist(&place)?;
    say(&format!("{} has {:.1} MB", place.display(), bytes.len() as f64 / 1e6));
    Ok(place)
}

fn build(tools: &arm64::Toolchain) -> Result<PathBuf> {
    let package =
        ["build", "--quiet", "--profile", "agent", "--package", "runner-agent", "--bin", "runner-agent"];
    run(&mut cargo_for(tools, &package))?;
    Ok(target_dir().join(arm64::TARGET).join("agent/runner-agent"))
}

/// Apart from everything else, because it may need another rustc.
fn target_dir() -> PathBuf {
    let root = workspace_root();
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("agent")
}

/// A cargo that builds static programs for devices.
pub(crate) fn cargo_for(tools: &arm64::Toolchain, words: &[&str]) -> Command {
    let variable = arm64::TARGET.replace('-', "_");
    let upper = variable.to_uppercase();
    let mut command = cargo();
    command.current_dir(workspace_root()).args(words);
    command.args(["--target", arm64::TARGET]).arg("--target-dir").arg(target_dir());
    for outer in ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS", "CARGO_BUILD_TARGET", "RUSTC_WRAPPER"] {
        command.env_remove(outer);
    }
    if let Some(rustc) = &tools.rustc {
        command.env("RUSTC", rustc).env_remove("RUSTDOC");
    }
    command.env(format!("CARGO_TARGET_{upper}_LINKER"), &tools.cc);
    command.env(format!("CC_{variable}"), &tools.cc).env(format!("AR_{variable}"), &tools.ar);
    // Devices have neither glibc nor its linker, and pages of 4, 16 or 64 KiB.
    command.env(
        format!("CARGO_TARGET_{upper}_RUSTFLAGS"),
        "-Ctarget-feature=+crt-static -Crelocation-model=static \
         -Clink-arg=-Wl,-z,max-page-size=65536",
    );
    command
}
