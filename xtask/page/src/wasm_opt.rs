//! Binaryen's `wasm-opt`, which takes a fifth off a module that rustc made.

use anyhow::{Context, ensure};
use std::{fs, path::Path, process::Command};

/// Older ones exit with 0 and leave a broken module behind.
const OLDEST: u32 = 116;

/// Shrinks a module in place; leaves it as it is, and says so, where no usable `wasm-opt` is in the path.
#[expect(clippy::print_stderr, reason = "a build tool tells what it left out")]
pub(crate) fn shrink(wasm: &Path) -> anyhow::Result<()> {
    match version() {
        Some(version) if version >= OLDEST => {}
        Some(version) => {
            eprintln!(
                "page: wasm-opt {version} is too old (it breaks modules), {OLDEST} is needed: the wasm stays larger"
            );
            return Ok(());
        }
        None => {
            eprintln!("page: no wasm-opt in the path (npm's binaryen has one): the wasm stays larger");
            return Ok(());
        }
    }
    let small = wasm.with_extension("wasm.small");
    let status = Command::new("wasm-opt")
        .args([
            "-Os",
            "--enable-simd",
            "--enable-bulk-memory",
            "--enable-bulk-memory-opt",
            "--enable-sign-ext",
        ])
        .args(["--enable-nontrapping-float-to-int", "--enable-mutable-globals", "--enable-reference-types"])
        .args(["--enable-multivalue", "--enable-call-indirect-overlong"])
        .arg(wasm)
        .arg("-o")
        .arg(&small)
        .status()
        .context("wasm-opt cannot be started")?;
    ensure!(status.success(), "wasm-opt failed on {}", wasm.display());
    fs::rename(&small, wasm).with_context(|| format!("{} cannot be renamed", small.display()))
}

/// `wasm-opt version 132 (version_132)`
fn version() -> Option<u32> {
    let output = Command::new("wasm-opt").arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split_whitespace().find_map(|word| word.parse().ok())
}
