//! [`FileSource`]: a file on disk as a [`ReadAt`]. Not part of wasm builds.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::source::{ReadAt, ReadError};

/// A file on disk. Reads are positioned, so threads may share one.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    len: u64,
}

impl FileSource {
    /// Opens the file at `path`.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        FileSource::new(File::open(path)?)
    }

    /// Takes an open file. Its length is asked for once, here.
    pub fn new(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(FileSource { file, len })
    }
}

impl ReadAt for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, buf, offset).map_err(ReadError::new)
    }

    #[cfg(windows)]
    fn read_at(&self, mut offset: u64, mut buf: &mut [u8]) -> Result<(), ReadError> {
        while !buf.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(&self.file, buf, offset) {
                Ok(0) => return Err(ReadError::out_of_range(offset, buf.len(), self.len)),
                Ok(read) => {
                    buf = buf.get_mut(read..).unwrap_or_default();
                    offset = offset.saturating_add(read as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::new(error)),
            }
        }
        Ok(())
    }
}
