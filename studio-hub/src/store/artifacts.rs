//! Artifacts: whole files, named by the BLAKE3 of their bytes.

use super::Store;
use std::{
    fs::{self, File},
    io,
    path::PathBuf,
    time::SystemTime,
};
use studio_protocol::{Artifact, Hash};

impl Store {
    /// Where an artifact lies, whether or not it is there.
    pub(crate) fn artifact_path(&self, hash: &Hash) -> PathBuf {
        self.root().join("artifacts").join(hash.to_string())
    }

    /// The artifact of this hash, if it is there.
    pub(crate) fn artifact(&self, hash: &Hash) -> io::Result<Option<Artifact>> {
        match fs::metadata(self.artifact_path(hash)) {
            Ok(meta) if meta.is_file() => Ok(Some(Artifact { blake3: *hash, size_bytes: meta.len() })),
            Ok(_) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Notes that an artifact is wanted: it is kept as if it were new.
    pub(crate) fn touch(&self, hash: &Hash) {
        let touched =
            File::open(self.artifact_path(hash)).and_then(|file| file.set_modified(SystemTime::now()));
        if let Err(error) = touched {
            tracing::warn!("artifact {hash}: {error}");
        }
    }

    /// A small artifact's bytes. A longer one than `limit_bytes` is an error.
    pub(crate) fn read_artifact(&self, hash: &Hash, limit_bytes: u64) -> io::Result<Vec<u8>> {
        let path = self.artifact_path(hash);
        let size = fs::metadata(&path)?.len();
        if size > limit_bytes {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it has {size} bytes where at most {limit_bytes} are read"),
            ));
        }
        fs::read(path)
    }
}
