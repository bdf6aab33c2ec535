//! Binaryen's `wasm-opt`, which makes a module that rustc made smaller and faster.

use anyhow::{Context, ensure};
use std::{env, ffi::OsString, fs, path::Path, process::Command};

/// Older ones exit with 0 and leave a broken module behind.
const OLDEST: u32 = 116;

/// What rustc's wasm uses beyond the first version, so that wasm-opt takes it.
const FEATURES: [&str; 9] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-sign-ext",
    "--enable-nontrapping-float-to-int",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--enable-call-indirect-overlong",
];

/// Shrinks a module in place with `$WASM_OPT` or the `wasm-opt` of the path; leaves it as it is, and says so, where
/// there is no usable one.
#[expect(clippy::print_stderr, reason = "a build tool tells what it left out")]
pub(crate) fn shrink(wasm: &Path) -> anyhow::Result<()> {
    let program = env::var_os("WASM_OPT").unwrap_or_else(|| OsString::from("wasm-opt"));
    match version(&program) {
        Some(version) if version >= OLDEST => {}
        Some(version) => {
            eprintln!("page: wasm-opt {version} breaks modules, {OLDEST} is needed: the wasm stays larger");
            return Ok(());
        }
        None => {
            eprintln!("page: no wasm-opt (npm's binaryen has one): the wasm stays larger");
            return Ok(());
        }
    }
    let small = wasm.with_extension("wasm.small");
    let mut command = Command::new(&program);
    // Not -Os: the loops of an export are worth more than the few kilobytes.
    command.arg("-O3").args(FEATURES).arg(wasm).arg("-o").arg(&small);
    let status = command.status().context("wasm-opt cannot be started")?;
    ensure!(status.success(), "wasm-opt failed on {}", wasm.display());
    fs::rename(&small, wasm).with_context(|| format!("{} cannot be renamed", small.display()))
}

/// `wasm-opt version 132 (version_132)`
fn version(program: &OsString) -> Option<u32> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split_whitespace().find_map(|word| word.parse().ok())
}
