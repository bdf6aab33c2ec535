//! The cache folder: tools, models and browsers, outside the repository and shared by all checkouts.

use anyhow::{Context, Result};
use std::{env, fs, path::PathBuf};

/// `$STUDIO_CACHE`, or `lowering-studio` in the user's cache folder. Made if missing.
pub(crate) fn root() -> Result<PathBuf> {
    let named = env::var_os("STUDIO_CACHE").map(PathBuf::from);
    let user = || {
        env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
            .map(|folder| folder.join("lowering-studio"))
    };
    let root =
        named.or_else(user).context("neither STUDIO_CACHE nor HOME is set: set STUDIO_CACHE to a folder")?;
    fs::create_dir_all(&root).with_context(|| format!("making the cache folder {}", root.display()))?;
    Ok(root)
}
