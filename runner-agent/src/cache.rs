//! Modules kept by what they were made from.

use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};
use studio_protocol::{Hash, Origins};

/// Names everything that a module's bytes depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// The key of what a compiler of this version makes of a text with these flags; `host` is the processor
    /// where the code depends on it.
    pub(crate) fn new(mlir: blake3::Hash, flags: &[String], compiler: &str, host: Option<&str>) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("Lowering Studio compiled module 2");
        hasher.update(mlir.as_bytes());
        let words = flags.iter().map(String::as_str).chain([compiler, host.unwrap_or_default()]);
        for word in words {
            hasher.update(&(word.len() as u64).to_le_bytes());
            hasher.update(word.as_bytes());
        }
        Self(hasher.finalize().to_hex().to_string())
    }
}

/// What is written beside a kept module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) blake3: Hash,
    pub(crate) size_bytes: u64,
    pub(crate) compile_us: u64,
    pub(crate) origins: Origins,
}

/// A folder of modules.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Copies the module of a key to `output` if there is one whose bytes are still those that were kept.
    pub(crate) fn fetch(&self, key: &Key, output: &Path) -> io::Result<Option<Entry>> {
        let (module, entry) = self.paths(key);
        let Some(text) = found(fs::read(&entry))? else { return Ok(None) };
        let Ok(entry) = serde_json::from_slice::<Entry>(&text) else { return Ok(None) };
        let Some(bytes) = found(fs::read(&module))? else { return Ok(None) };
        if bytes.len() as u64 != entry.size_bytes
            || blake3::hash(&bytes).as_bytes() != entry.blake3.as_bytes()
        {
            return Ok(None);
        }
        write_whole(output, &bytes)?;
        Ok(Some(entry))
    }

    /// Keeps a module. The entry is written last: a module without one was never kept.
    pub(crate) fn keep(&self, key: &Key, module: &Path, entry: &Entry) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let (kept, beside) = self.paths(key);
        write_whole(&kept, &fs::read(module)?)?;
        write_whole(&beside, &serde_json::to_vec(entry)?)
    }

    fn paths(&self, key: &Key) -> (PathBuf, PathBuf) {
        (self.folder.join(format!("{}.vmfb", key.0)), self.folder.join(format!("{}.json", key.0)))
    }
}

/// Writes a file so that it is there whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
