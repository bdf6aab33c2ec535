//! `xtask page`: builds the page for wasm32 and lays it where the hub embeds it from, `studio-hub/page/`.
//!
//! Cargo builds into `target/page` or `$STUDIO_PAGE_TARGET_DIR`: apart from everything else, because the page may need
//! another rustc. Bundling is done by the package `page-bundler`, which is heavy and built only here.

use crate::{
    command::{cargo, run as run_command, workspace_root},
    setup::{node, wasm},
};
use anyhow::{Context, Result};
use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "page";

/// Builds the page.
pub(crate) fn run() -> Result<()> {
    let root = workspace_root();
    let target_dir =
        env::var_os("STUDIO_PAGE_TARGET_DIR").map_or_else(|| root.join("target/page"), PathBuf::from);
    build_wasm(&target_dir)?;

    // Made beside and moved in whole: a hub that is being built never embeds half a page.
    let made = target_dir.join("bundle");
    if made.exists() {
        fs::remove_dir_all(&made).with_context(|| format!("removing {}", made.display()))?;
    }
    fs::create_dir_all(&made).with_context(|| format!("making {}", made.display()))?;
    let wasm = target_dir.join(TARGET).join(PROFILE).join("studio_web.wasm");
    bundler(&[wasm.as_os_str(), made.as_os_str()])?;
    copy_files(&root.join("studio-web/static"), &made)?;
    bundler(&["--compress".as_ref(), made.as_os_str()])?;

    let page = root.join("studio-hub/page");
    empty(&page)?;
    copy_files(&made, &page)
}

fn build_wasm(target_dir: &Path) -> Result<()> {
    let mut command = cargo();
    command.current_dir(workspace_root());
    command.args([
        "build",
        "--package",
        "studio-web",
        "--profile",
        PROFILE,
        "--target",
        TARGET,
        "--target-dir",
    ]);
    command.arg(target_dir).env("RUSTFLAGS", "-C target-feature=+simd128");
    // What an outer cargo or a person set for native builds is not for this one.
    for variable in ["CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "RUSTC_WRAPPER"] {
        command.env_remove(variable);
    }
    if let Some(rustc) = wasm::toolchain()? {
        command.env("RUSTC", rustc).env_remove("RUSTDOC");
    }
    run_command(&mut command)
}

fn bundler(arguments: &[&OsStr]) -> Result<()> {
    let mut command = cargo();
    command.current_dir(workspace_root());
    command.args(["run", "--quiet", "--release", "--package", "page-bundler", "--"]).args(arguments);
    if let Some(wasm_opt) = node::binaryen()? {
        command.env("WASM_OPT", wasm_opt);
    }
    run_command(&mut command)
}

/// Copies the files of one folder into another; folders in it are left out.
fn copy_files(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            let target = to.join(entry.file_name());
            fs::copy(entry.path(), &target).with_context(|| format!("writing {}", target.display()))?;
        }
    }
    Ok(())
}

/// Removes the page that was there, but for the file that keeps the folder in git.
fn empty(page: &Path) -> Result<()> {
    fs::create_dir_all(page).with_context(|| format!("making {}", page.display()))?;
    for entry in fs::read_dir(page).with_context(|| format!("reading {}", page.display()))? {
        let entry = entry?;
        if entry.file_name() != ".gitkeep" && entry.file_type()?.is_file() {
            fs::remove_file(entry.path()).with_context(|| format!("removing {}", entry.path().display()))?;
        }
    }
    Ok(())
}
