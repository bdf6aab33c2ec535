//! Where a module's dispatches come from, in a file beside it: `host.dispatches.json` for `host.vmfb`.

use super::{WriteError, write_whole};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use studio_protocol::Origins;

/// More than any model's dispatches need, and no more than may be read at once.
const MAX_BYTES: u64 = 4 << 20;

/// The file: what it says is true of one module only.
#[derive(Serialize, Deserialize)]
struct Sidecar {
    /// The module's hash.
    module: String,
    #[serde(flatten)]
    origins: Origins,
}

/// The file's path, of a module's.
pub(crate) fn origins_path(module: &Path) -> PathBuf {
    module.with_extension("dispatches.json")
}

/// Writes it, or removes what was said of another module where nothing is known of this one.
pub(crate) fn write_origins(module: &Path, blake3: &str, origins: &Origins) -> anyhow::Result<()> {
    let path = origins_path(module);
    if !origins.is_empty() {
        let sidecar = Sidecar { module: blake3.to_owned(), origins: origins.clone() };
        let text = serde_json::to_vec(&sidecar).context("writing where dispatches come from")?;
        return Ok(write_whole(&path, &text)?);
    }
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(WriteError::at(&path)(error).into()),
        _ => Ok(()),
    }
}

/// Reads it; `None` where there is none, or one of another module.
pub(crate) fn read_origins(module: &Path, blake3: &str) -> Option<Origins> {
    let path = origins_path(module);
    let there = fs::metadata(&path).ok()?;
    if !there.is_file() || there.len() > MAX_BYTES {
        return None;
    }
    let sidecar: Sidecar = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    (sidecar.module == blake3).then_some(sidecar.origins)
}
