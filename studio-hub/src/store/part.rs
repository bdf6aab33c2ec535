//! A partial file: bytes that arrived in order, and the hash of them so far.
//!
//! What arrives is put on the disk while more arrives, so that little is left to wait for at the end.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
};
use studio_protocol::Hash;

/// Bytes read at once where a partial file is hashed again.
const READ_BYTES: usize = 1 << 20;

/// Bytes after which the disk is given something to do.
const SYNC_BYTES: u64 = 32 << 20;

/// A partial file, open at its end.
#[derive(Debug)]
pub(super) struct Part {
    path: PathBuf,
    file: File,
    /// Of the file's first `received` bytes.
    hasher: blake3::Hasher,
    received: u64,
    /// Bytes that were there when the disk was last given something to do.
    synced_at: u64,
    /// Waits for the disk.
    syncing: Option<JoinHandle<io::Result<()>>>,
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
        let mut part = Self {
            path: path.to_owned(),
            file,
            hasher: blake3::Hasher::new(),
            received: 0,
            synced_at: 0,
            syncing: None,
            size,
        };
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
        part.synced_at = part.received;
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
        self.sync_now_and_then()?;
        Ok(self.received)
    }

    /// Has the disk take what there is, on another thread, unless it is still busy with what there was.
    fn sync_now_and_then(&mut self) -> io::Result<()> {
        let is_busy = self.syncing.as_ref().is_some_and(|thread| !thread.is_finished());
        if is_busy || self.received - self.synced_at < SYNC_BYTES {
            return Ok(());
        }
        self.synced()?;
        let file = self.file.try_clone()?;
        self.syncing = Some(thread::Builder::new().spawn(move || file.sync_data())?);
        self.synced_at = self.received;
        Ok(())
    }

    /// Waits for the disk. It says once only that it failed: to the thread that waited for it.
    fn synced(&mut self) -> io::Result<()> {
        let failed = |_| io::Error::other("the thread that waited for the disk failed");
        self.syncing.take().map_or(Ok(()), |thread| thread.join().map_err(failed)?)
    }

    /// The hash of what is there.
    pub(super) fn hash(&self) -> Hash {
        Hash::from_bytes(*self.hasher.finalize().as_bytes())
    }

    /// Gives the file its final name, its bytes being on the disk before the name is.
    pub(super) fn keep_as(mut self, path: &Path) -> io::Result<()> {
        if path.exists() {
            return fs::remove_file(&self.path);
        }
        self.synced()?;
        self.file.sync_data()?;
        fs::rename(&self.path, path)
    }

    /// Deletes the file.
    pub(super) fn discard(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}
