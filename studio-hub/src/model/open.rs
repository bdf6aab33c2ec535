//! A GGUF on disk: one file, or all parts of a split one.

use anyhow::Context;
use gguf_file::{FileSource, Gguf, ReadAt, split::SplitName};
use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};
use studio_core::manifest::FileEntry;

/// Bytes of a model that are read and hashed at once: they fit the second cache.
const HASH_PIECE_BYTES: usize = 256 << 10;

/// An open model.
pub(crate) struct Model {
    /// What its header says.
    pub(crate) gguf: Gguf,
    parts: Vec<FileSource>,
    paths: Vec<PathBuf>,
}

impl Model {
    /// Opens a GGUF. For a part of a split model its other parts are opened, too.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let paths: Vec<PathBuf> = match path.to_str().and_then(SplitName::parse) {
            Some(name) if name.count > 1 => name.all().map(PathBuf::from).collect(),
            Some(_) | None => vec![path.to_owned()],
        };
        let open = |path: &PathBuf| {
            let source = FileSource::open(path).with_context(|| path.display().to_string())?;
            Ok(source)
        };
        let parts = paths.iter().map(open).collect::<anyhow::Result<Vec<_>>>()?;
        let sources: Vec<&dyn ReadAt> = parts.iter().map(|part| part as &dyn ReadAt).collect();
        let gguf = match sources.as_slice() {
            [single] => Gguf::open(*single),
            all => Gguf::open_split(all),
        };
        let gguf = gguf.with_context(|| path.display().to_string())?;
        Ok(Self { gguf, parts, paths })
    }

    /// The files' bytes, in the order that the GGUF counts its parts.
    pub(crate) fn sources(&self) -> Vec<&dyn ReadAt> {
        self.parts.iter().map(|part| part as &dyn ReadAt).collect()
    }

    /// Its first file, as it was named.
    pub(crate) fn name(&self) -> String {
        self.paths.first().map(|path| path.display().to_string()).unwrap_or_default()
    }

    /// All parts together, in bytes.
    pub(crate) fn size_bytes(&self) -> u64 {
        self.parts.iter().map(ReadAt::len).sum()
    }

    /// The model by content: all its parts one after another. Reads all of it.
    pub(crate) fn hash(&self) -> anyhow::Result<FileEntry> {
        self.hash_unless(&AtomicBool::new(false))
    }

    /// As [`Model::hash`], but fails soon after it was given up.
    pub(crate) fn hash_unless(&self, given_up: &AtomicBool) -> anyhow::Result<FileEntry> {
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; HASH_PIECE_BYTES];
        for path in &self.paths {
            let mut file = File::open(path).with_context(|| path.display().to_string())?;
            loop {
                anyhow::ensure!(!given_up.load(Ordering::Relaxed), "hashing the model was given up");
                match file.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => hasher.update(&buffer[..count]),
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error).with_context(|| path.display().to_string()),
                };
            }
        }
        let name = self.paths.first().and_then(|path| path.file_name()).unwrap_or_default();
        Ok(FileEntry {
            name: name.to_string_lossy().into_owned(),
            size_bytes: hasher.count(),
            blake3: hasher.finalize().to_hex().to_string(),
        })
    }
}
