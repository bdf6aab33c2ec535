//! npm packages: `wasm-opt` for the page's size, Playwright's library for the browser tests.

use crate::{
    cache,
    command::{on_path, run, say, workspace_root},
};
use anyhow::{Result, bail};
use std::{fs, path::PathBuf, process::Command};

// Older versions exist that write broken modules and exit 0: this one is pinned.
const BINARYEN: &str = "132.0.0";

/// `wasm-opt`, fetched if missing; absent where there is no npm, and then the page is a little larger.
pub(crate) fn binaryen() -> Result<Option<PathBuf>> {
    let folder = cache::root()?.join(format!("binaryen-{BINARYEN}"));
    let program = folder.join("node_modules/.bin/wasm-opt");
    if program.exists() {
        return Ok(Some(program));
    }
    if on_path("npm").is_none() {
        say("npm is missing: the page is built without wasm-opt (Debian, Ubuntu: apt install npm)");
        return Ok(None);
    }
    say(&format!("fetching binaryen {BINARYEN}"));
    fs::create_dir_all(&folder)?;
    run(npm().args(["install", "--prefix"]).arg(&folder).arg(format!("binaryen@{BINARYEN}")))?;
    Ok(Some(program))
}

/// The browser tests' packages, as their lock file has them.
pub(crate) fn browser_test_modules() -> Result<()> {
    if on_path("npm").is_none() {
        bail!("npm is missing, which the browser tests need (Debian, Ubuntu: apt install nodejs npm)");
    }
    let folder = workspace_root().join("e2e/browser");
    let (lock, installed) =
        (folder.join("package-lock.json"), folder.join("node_modules/.package-lock.json"));
    let newer = |path: &PathBuf| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    if newer(&installed) >= newer(&lock) && installed.exists() {
        return Ok(());
    }
    run(npm().arg("ci").current_dir(&folder))
}

fn npm() -> Command {
    let mut npm = Command::new("npm");
    npm.args(["--silent", "--no-audit", "--no-fund", "--no-update-notifier"]);
    npm
}
