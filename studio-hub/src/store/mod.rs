//! The data folder: artifacts by hash, uploads by key, records of bundles, the token.
//!
//! ```text
//! DATA/lock             held while a hub uses the folder
//! DATA/token            the hub's token, mode 0600
//! DATA/artifacts/HASH   whole, checked files
//! DATA/uploads/KEY.part what was received of an upload
//! DATA/uploads/KEY.json the artifact that a finished upload became
//! DATA/bundles/HASH.json the modules compiled from a bundle
//! DATA/history.db       jobs, their events and the runners
//! DATA/address          where the hub listens, while it does
//! DATA/tmp/             files that are not whole yet
//! ```

mod artifacts;
mod bundles;
mod collect;
mod part;
mod uploads;

pub(crate) use bundles::{Bundle, BundleError};
pub(crate) use uploads::{Opened, Upload, Uploads};

use std::{
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// The data folder, held by this process alone.
#[derive(Debug)]
pub(crate) struct Store {
    root: PathBuf,
    /// Its lock ends with the process, however that ends.
    _lock: File,
}

/// Why the data folder could not be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// Another process has it.
    #[error(
        "{}: another studio uses this data folder. End it first, or give this one a folder of its own with --data DIR",
        .0.display()
    )]
    Taken(PathBuf),
    /// It cannot be made or opened.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl Store {
    /// Opens a data folder, making it where it doesn't exist, and locks it.
    pub(crate) fn open(root: &Path) -> Result<Self, StoreError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |source| StoreError::Io { path, source }
        };
        let mut private = fs::DirBuilder::new();
        private.recursive(true).mode(0o700);
        for folder in [root.to_owned(), root.join("artifacts"), root.join("uploads"), root.join("bundles")] {
            private.create(&folder).map_err(at(&folder))?;
        }
        let path = root.join("lock");
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(at(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Taken(root.to_owned())),
            Err(TryLockError::Error(source)) => return Err(StoreError::Io { path, source }),
        }
        let tmp = root.join("tmp");
        if tmp.exists() {
            fs::remove_dir_all(&tmp).map_err(at(&tmp))?;
        }
        private.create(&tmp).map_err(at(&tmp))?;
        Ok(Self { root: root.to_owned(), _lock: lock })
    }

    /// The file that keeps the token.
    pub(crate) fn token_path(&self) -> PathBuf {
        self.root.join("token")
    }

    /// The file that says where the hub listens.
    pub(crate) fn address_path(&self) -> PathBuf {
        self.root.join("address")
    }

    /// The history's database.
    pub(crate) fn history_path(&self) -> PathBuf {
        self.root.join("history.db")
    }

    /// The folder itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Bytes that may still be written to the folder's disk.
    pub(crate) fn free_bytes(&self) -> io::Result<u64> {
        let stat = rustix::fs::statvfs(&self.root)?;
        Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
    }

    /// Writes a small file so that it is either there as a whole or as it was before.
    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = self.root.join("tmp").join(format!("{name}.{:016x}", random()?));
        fs::write(&temporary, bytes)?;
        fs::rename(&temporary, path)
    }
}

/// A random number, for names.
fn random() -> io::Result<u64> {
    getrandom::u64().map_err(io::Error::from)
}
