//! A partial file: bytes that arrived in order, and the hash of them so far.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};
use studio_protocol::Hash;

/// Bytes read at once where a partial file is hashed again.
const READ_BYTES: usize = 1 << 20;

/// A partial file, open at its end.
#[derive(Debug)]
pub(super) struct Part {
    path: PathBuf,
    file: File,
    /// Of the file's first `received` bytes.
    hasher: blake3::Hasher,
    received: u64,
    /// What the whole was announced to have.
    pub(super) size: u64,
}

impl Part {
    /// Opens or makes the file and hashes what is there. A file longer than `size` belongs to something else
    /// and is begun anew.
    pub(super) fn open(path: &Path, size: u64) -> io::Result<Self> {
        let file =
            File::options().create(true).truncate(false).read(true).write(true).mode(0o600).open(path)?;
        if file.metadata()?.len() > size {
            file.set_len(0)?;
        }
        let mut part = Self { path: path.to_owned(), file, hasher: blake3::Hasher::new(), received: 0, size };
        let mut buffer = vec![0; READ_BYTES];
        while part.received < size {
            let most = READ_BYTES.min(usize::try_from(size - part.received).unwrap_or(READ_BYTES));
            let count = part.file.read(&mut buffer[..most])?;
            if count == 0 {
                break;
            }
            part.hasher.update(&buffer[..count]);
            part.received += count as u64;
        }
        Ok(part)
    }

    /// Bytes that are there.
    pub(super) fn received(&self) -> u64 {
        self.received
    }

    /// Appends. After an error the file may hold some of these bytes and must be opened anew.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<u64> {
        self.file.write_all(bytes)?;
        self.hasher.update(bytes);
        self.received += bytes.len() as u64;
        Ok(self.received)
    }

    /// The hash of what is there.
    pub(super) fn hash(&self) -> Hash {
        Hash::from_bytes(*self.hasher.finalize().as_bytes())
    }

    /// Gives the file its final name, its bytes being on the disk before the name is.
    pub(super) fn keep_as(self, path: &Path) -> io::Result<()> {
        if path.exists() {
            return fs::remove_file(&self.path);
        }
        self.file.sync_data()?;
        fs::rename(&self.path, path)
    }

    /// Deletes the file.
    pub(super) fn discard(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}
