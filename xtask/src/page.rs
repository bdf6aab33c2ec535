//! `xtask page`: builds the page for wasm32 and lays it where the hub embeds it from, `studio-hub/page/`.
//!
//! Nothing is touched where wasm and static files are what the page there was made from.

use crate::{
    command::{cargo, run as finish, workspace_root},
    setup,
};
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::{
    env,
    ffi::OsStr,
    fs, iter,
    path::{Path, PathBuf},
};

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "page";

/// Builds the page where it is not there yet.
pub(crate) fn run() -> Result<()> {
    let root = workspace_root();
    let target_dir =
        env::var_os("STUDIO_PAGE_TARGET_DIR").map_or_else(|| root.join("target/page"), PathBuf::from);
    let wasm = build_wasm(&root, &target_dir)?;
    let (sources, page) = (root.join("studio-web/static"), root.join("studio-hub/page"));
    let stamp = digest(&wasm, &[sources.clone(), root.join("xtask/page/src")])?;
    let stamp_file = page.join(".stamp");
    if fs::read_to_string(&stamp_file).is_ok_and(|found| found == stamp) {
        return Ok(());
    }

    // Made beside and moved in whole: a hub that is being built never embeds half a page.
    let made = target_dir.join("bundle");
    if made.exists() {
        fs::remove_dir_all(&made).with_context(|| format!("{} cannot be removed", made.display()))?;
    }
    fs::create_dir_all(&made).with_context(|| format!("{} cannot be made", made.display()))?;
    bundler(&[wasm.as_os_str(), made.as_os_str()])?;
    copy_files(&sources, &made)?;
    bundler(&["--compress".as_ref(), made.as_os_str()])?;
    empty(&page)?;
    copy_files(&made, &page)?;
    fs::write(stamp_file, stamp).context("the page's stamp cannot be written")
}

/// Builds the wasm and says where it is.
fn build_wasm(root: &Path, target_dir: &Path) -> Result<PathBuf> {
    let mut build = cargo();
    build.current_dir(root);
    build.args(["build", "--quiet", "--package", "studio-web", "--profile", PROFILE, "--target", TARGET]);
    build.arg("--target-dir").arg(target_dir).env("RUSTFLAGS", "-C target-feature=+simd128");
    for variable in ["CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_TARGET_DIR"] {
        build.env_remove(variable);
    }
    if let Some(rustc) = setup::wasm::toolchain()? {
        build.env("RUSTC", rustc).env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC_WRAPPER");
    }
    finish(&mut build)?;
    Ok(target_dir.join(TARGET).join(PROFILE).join("studio_web.wasm"))
}

fn bundler(arguments: &[&OsStr]) -> Result<()> {
    let mut bundler = cargo();
    bundler.args(["run", "--quiet", "--release", "--package", "page-bundler", "--"]).args(arguments);
    if let Some(folder) = setup::binaryen()?.as_deref().and_then(Path::parent) {
        let rest = env::var_os("PATH").unwrap_or_default();
        let paths = iter::once(folder.to_owned()).chain(env::split_paths(&rest));
        bundler.env("PATH", env::join_paths(paths).context("the cache folder's path has a colon")?);
    }
    finish(&mut bundler)
}

/// A SHA-256 over a file and all files of some folders, in the order of their names.
fn digest(file: &Path, folders: &[PathBuf]) -> Result<String> {
    let mut files = vec![file.to_owned()];
    for folder in folders {
        let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
        let mut found: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        found.sort();
        files.extend(found.into_iter().filter(|path| path.is_file()));
    }
    let mut hasher = Sha256::new();
    for path in files {
        let bytes = fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Copies the files of one folder into another; folders in it are left out.
fn copy_files(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("{} cannot be read", from.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            let target = to.join(entry.file_name());
            fs::copy(entry.path(), &target)
                .with_context(|| format!("{} cannot be written", target.display()))?;
        }
    }
    Ok(())
}

/// Removes the page that was there, but for the file that keeps the folder in git.
fn empty(page: &Path) -> Result<()> {
    fs::create_dir_all(page).with_context(|| format!("{} cannot be made", page.display()))?;
    for entry in fs::read_dir(page).with_context(|| format!("{} cannot be read", page.display()))? {
        let entry = entry?;
        if entry.file_name() != ".gitkeep" && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
