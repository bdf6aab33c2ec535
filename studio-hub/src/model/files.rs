//! The files of a model: one GGUF, or all parts of a split one.

use anyhow::Context;
use gguf_file::{FileSource, Gguf, ReadAt, split::SplitName};
use std::path::{Path, PathBuf};

/// A model's files, open; nothing is known of what they hold.
pub(crate) struct ModelFiles {
    parts: Vec<FileSource>,
    paths: Vec<PathBuf>,
}

impl ModelFiles {
    /// Opens a file. For a part of a split model its other parts are opened, too.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let paths: Vec<PathBuf> = match path.to_str().and_then(SplitName::parse) {
            Some(name) if name.count > 1 => name.all().map(PathBuf::from).collect(),
            Some(_) | None => vec![path.to_owned()],
        };
        for (index, part) in paths.iter().enumerate() {
            anyhow::ensure!(
                part == path || part.exists(),
                "{}: part {} of {} of this model is not there. Put all parts into one folder, under the names they came with",
                part.display(),
                index + 1,
                paths.len()
            );
        }
        let parts = paths.iter().map(|path| open(path)).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Self { parts, paths })
    }

    /// What their header says.
    pub(crate) fn gguf(&self) -> anyhow::Result<Gguf> {
        let gguf = match self.sources().as_slice() {
            [single] => Gguf::open(*single),
            all => Gguf::open_split(all),
        };
        gguf.map_err(|error| {
            // The file of a split model that the fault is in.
            let part = error.place().shard.and_then(|shard| self.paths.get(shard));
            let name = part.map_or_else(|| self.name(), |path| path.display().to_string());
            anyhow::Error::new(error).context(name)
        })
    }

    /// The files' bytes, in the order that the GGUF counts its parts.
    pub(crate) fn sources(&self) -> Vec<&dyn ReadAt> {
        self.parts.iter().map(|part| part as &dyn ReadAt).collect()
    }

    /// The first file, as it was named.
    pub(crate) fn name(&self) -> String {
        self.paths.first().map(|path| path.display().to_string()).unwrap_or_default()
    }

    /// All parts together, in bytes.
    pub(crate) fn size_bytes(&self) -> u64 {
        self.parts.iter().map(ReadAt::len).sum()
    }

    /// The name of the first file, without folders.
    pub(super) fn file_name(&self) -> String {
        let name = self.paths.first().and_then(|path| path.file_name()).unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Fills `buffer` from the files one after another as if they were one.
    pub(super) fn read_at(&self, mut offset: u64, mut buffer: &mut [u8]) -> anyhow::Result<()> {
        for (part, path) in self.parts.iter().zip(&self.paths) {
            if offset >= part.len() {
                offset -= part.len();
                continue;
            }
            let count = usize::try_from(part.len() - offset).unwrap_or(usize::MAX).min(buffer.len());
            let (now, later) = buffer.split_at_mut(count);
            part.read_at(offset, now).with_context(|| path.display().to_string())?;
            (offset, buffer) = (0, later);
        }
        Ok(())
    }
}

/// Opens a file that may be a GGUF. What can't be one is said in words that its first bytes wouldn't find.
fn open(path: &Path) -> anyhow::Result<FileSource> {
    let source = FileSource::open(path).with_context(|| path.display().to_string())?;
    let place = path.display();
    anyhow::ensure!(!path.is_dir(), "{place}: a folder, where a .gguf file is wanted");
    anyhow::ensure!(path.is_file(), "{place}: no file, where a .gguf file is wanted");
    anyhow::ensure!(!source.is_empty(), "{place}: the file is empty");
    Ok(source)
}
