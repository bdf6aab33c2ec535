//! `xtask page`: builds the page for wasm32 and lays it where the hub embeds it from, `studio-hub/page/`.
//!
//! Cargo builds into `target/page` or `$STUDIO_PAGE_TARGET_DIR`: apart from everything else, because the page may need
//! another rustc. Bundling is done by the package `page-bundler`, which is heavy and built only here.
//! `$STUDIO_PAGE_PROFILE` names another profile than `page`: `page-quick` is for who writes the page.

use crate::{
    command::{cargo, run as run_command, workspace_root},
    setup::{node, wasm},
};
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

const TARGET: &str = "wasm32-unknown-unknown";
/// What is shipped. Pages of other profiles are neither made smaller nor compressed.
const SHIPPED: &str = "page";

/// Builds the page, unless the one that is there was made from the same wasm and files.
pub(crate) fn run() -> Result<()> {
    let root = workspace_root();
    let target_dir =
        env::var_os("STUDIO_PAGE_TARGET_DIR").map_or_else(|| root.join("target/page"), PathBuf::from);
    let profile = env::var("STUDIO_PAGE_PROFILE").unwrap_or_else(|_| SHIPPED.to_owned());
    build_wasm(&target_dir, &profile)?;
    let wasm = target_dir.join(TARGET).join(&profile).join("studio_web.wasm");
    let (sources, page) = (root.join("studio-web/static"), root.join("studio-hub/page"));
    let stamp = digest(&wasm, &[&sources, &root.join("xtask/page/src")])?;
    let stamp_file = page.join(".stamp");
    if fs::read_to_string(&stamp_file).is_ok_and(|found| found == stamp) {
        return Ok(());
    }

    // Made beside and moved in whole: a hub that is being built never embeds half a page.
    let made = target_dir.join("bundle");
    if made.exists() {
        fs::remove_dir_all(&made).with_context(|| format!("removing {}", made.display()))?;
    }
    fs::create_dir_all(&made).with_context(|| format!("making {}", made.display()))?;
    let shipped = profile == SHIPPED;
    bundler(&[wasm.as_os_str(), made.as_os_str()], shipped)?;
    copy_files(&sources, &made)?;
    if shipped {
        bundler(&["--compress".as_ref(), made.as_os_str()], shipped)?;
    }

    empty(&page)?;
    copy_files(&made, &page)?;
    fs::write(&stamp_file, stamp).with_context(|| format!("writing {}", stamp_file.display()))
}

/// A SHA-256 over a file and the files of some folders, in the order of their names.
fn digest(file: &Path, folders: &[&Path]) -> Result<String> {
    let mut files = vec![file.to_owned()];
    for folder in folders {
        let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
        let mut found = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
        found.sort();
        files.extend(found.into_iter().filter(|path| path.is_file()));
    }
    let mut hasher = Sha256::new();
    for path in files {
        let bytes = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn build_wasm(target_dir: &Path, profile: &str) -> Result<()> {
    let mut command = cargo();
    command.current_dir(workspace_root());
    command.args([
        "build",
        "--quiet",
        "--package",
        "studio-web",
        "--profile",
        profile,
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

fn bundler(arguments: &[&OsStr], shrink: bool) -> Result<()> {
    let mut command = cargo();
    command.current_dir(workspace_root());
    command.args(["run", "--quiet", "--release", "--package", "page-bundler", "--"]).args(arguments);
    if let Some(wasm_opt) = shrink.then(node::binaryen).transpose()?.flatten() {
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
