//! Writing files that are either whole or not there: under another name first, then renamed.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}{}", path.display(), hint(source))]
pub(crate) struct WriteError {
    path: PathBuf,
    source: io::Error,
}

impl WriteError {
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { path, source }
    }
}

fn hint(error: &io::Error) -> &'static str {
    use io::ErrorKind::{
        AlreadyExists, FileTooLarge, NotADirectory, NotFound, PermissionDenied, QuotaExceeded,
        ReadOnlyFilesystem, StorageFull,
    };
    match error.kind() {
        StorageFull => ". Free some space on that disk, or choose a folder on another",
        QuotaExceeded => ". Your quota on that disk is used up: free some space, or choose another disk",
        FileTooLarge => ". A limit on file sizes is in force (see `ulimit -f`), or the file system has one",
        PermissionDenied | ReadOnlyFilesystem => ". Choose a folder that you may write to",
        NotFound => ". Nothing can be made there: choose a folder in another place",
        AlreadyExists | NotADirectory => ". It has to be a folder, and a file is in its place",
        _ => "",
    }
}

/// A file being written. Dropped before [`Temporary::keep`], it is deleted.
pub(super) struct Temporary {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
    kept: bool,
}

impl Temporary {
    /// Begins the file that will be `path`.
    pub(super) fn create(path: &Path) -> Result<Self, WriteError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let file = File::create(&temporary).map_err(WriteError::at(path))?;
        Ok(Self { file, temporary, path: path.to_owned(), kept: false })
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.file.write_all(bytes).map_err(WriteError::at(&self.path))
    }

    /// Writes at an offset, wherever other threads are writing.
    pub(super) fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), WriteError> {
        self.file.write_all_at(bytes, offset).map_err(WriteError::at(&self.path))
    }

    /// Gives the file its name.
    pub(super) fn keep(mut self) -> Result<(), WriteError> {
        fs::rename(&self.temporary, &self.path).map_err(WriteError::at(&self.path))?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.kept {
            // What can't be deleted is left; the error that led here is what matters.
            drop(fs::remove_file(&self.temporary));
        }
    }
}

/// Writes a small file so that it is either there as a whole or as it was before.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let mut file = Temporary::create(path)?;
    file.append(bytes)?;
    file.keep()
}
