//! One export a folder at a time.

use super::WriteError;
use std::{
    fs::{self, File, TryLockError},
    path::Path,
};

/// Takes a folder until the lock is dropped or this process ends, and deletes what an export that was killed
/// left of the `names` there.
pub(super) fn claim<'a>(out: &Path, names: impl Iterator<Item = &'a str>) -> anyhow::Result<File> {
    let folder = File::open(out).map_err(WriteError::at(out))?;
    match folder.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => anyhow::bail!(
            "{}: another export is writing there. Wait until it has ended, or choose another folder",
            out.display()
        ),
        // Not every file system has locks; on one without, whoever exports twice at once is on their own.
        Err(TryLockError::Error(error)) => {
            tracing::debug!("{}: {error}", out.display());
            return Ok(folder);
        }
    }
    let prefixes: Vec<String> = names.map(|name| format!(".{name}.")).collect();
    for entry in fs::read_dir(out).map_err(WriteError::at(out))? {
        let entry = entry.map_err(WriteError::at(out))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let process =
            prefixes.iter().find_map(|prefix| name.strip_prefix(prefix.as_str())?.strip_suffix(".part"));
        if process.is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())) {
            fs::remove_file(entry.path()).map_err(WriteError::at(&entry.path()))?;
        }
    }
    Ok(folder)
}
