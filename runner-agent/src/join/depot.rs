//! What a joined runner keeps: artifacts by hash, fetched from the hub when they are wanted, and who it is.
//!
//! ```text
//! DATA/lock               held while a runner uses the folder
//! DATA/id                 tells this machine from another of the same name
//! DATA/artifacts/HASH     whole, checked files
//! DATA/artifacts/HASH.part what was received of one
//! DATA/modules/           modules that were compiled here, by what they were made from
//! DATA/tmp/               what the job at work makes
//! ```

use super::backoff;
use crate::{
    Failure,
    hub::{HubAddress, Link, LinkError, download, upload},
    worker::{Fetching, Supply},
};
use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Instant, SystemTime},
};
use studio_protocol::{Artifact, ErrorCode, Hash, WireError};
use tempfile::TempDir;

/// Bytes of artifacts that are kept for later jobs; the longest unused are deleted first.
const KEPT_BYTES: u64 = 32 << 30;

/// The folder of a joined runner.
#[derive(Debug)]
pub(super) struct Depot {
    root: PathBuf,
    hub: HubAddress,
    agent: String,
    /// What the job at work uses.
    used: Mutex<BTreeSet<Hash>>,
    /// Ends with the process, however that ends.
    _lock: File,
}

impl Depot {
    /// Opens a folder, making it where it doesn't exist, and gives the machine's id with it.
    pub(super) fn open(root: &Path, hub: HubAddress, agent: &str) -> io::Result<(Self, String)> {
        let mut private = fs::DirBuilder::new();
        private.recursive(true).mode(0o700);
        private.create(root.join("artifacts"))?;
        let lock = File::options().create(true).truncate(false).write(true).open(root.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("another runner uses this folder"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let tmp = root.join("tmp");
        if tmp.exists() {
            fs::remove_dir_all(&tmp)?;
        }
        private.create(&tmp)?;
        let id = match fs::read_to_string(root.join("id")) {
            Ok(id) if id.trim().len() == 16 => id.trim().to_owned(),
            Ok(_) | Err(_) => {
                let id = format!("{:016x}", getrandom::u64().map_err(io::Error::from)?);
                fs::write(root.join("id"), &id)?;
                id
            }
        };
        let (root, agent) = (root.to_owned(), agent.to_owned());
        Ok((Self { root, hub, agent, used: Mutex::default(), _lock: lock }, id))
    }

    fn path(&self, hash: &Hash) -> PathBuf {
        self.root.join("artifacts").join(hash.to_string())
    }

    fn uses(&self, hash: &Hash) {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(*hash);
    }

    /// Deletes what was unused for longest where there is too much. Called when something was added.
    fn make_room(&self) -> io::Result<()> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut files = Vec::new();
        for entry in fs::read_dir(self.root.join("artifacts"))? {
            let entry = entry?;
            let meta = entry.metadata()?;
            files.push((meta.modified()?, meta.len(), entry));
        }
        let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        files.sort_by_key(|(modified, ..)| *modified);
        for (_, bytes, entry) in files {
            if total <= KEPT_BYTES {
                return Ok(());
            }
            let name = entry.file_name();
            if used.iter().all(|hash| name.to_string_lossy() != hash.to_string()) {
                fs::remove_file(entry.path())?;
                total -= bytes;
            }
        }
        Ok(())
    }

    /// Does an errand again and again until it is done or the hub refuses it.
    async fn insist(&self, errand: Errand<'_>, fetching: Fetching<'_>) -> Result<(), Failure> {
        let (mut failures, mut told) = (0, Instant::now());
        loop {
            let progress = |done, of| fetching.progress(&mut told, done, of);
            let tried = tokio::select! {
                tried = self.attempt(errand, progress) => tried,
                () = fetching.cancel.cancelled() => return Err(Failure::Cancelled),
            };
            match tried {
                Ok(()) => return Ok(()),
                Err(LinkError::Refused(error)) => return Err(error.into()),
                Err(error) => tracing::warn!("{error}"),
            }
            tokio::select! {
                () = tokio::time::sleep(backoff(failures)) => failures += 1,
                () = fetching.cancel.cancelled() => return Err(Failure::Cancelled),
            }
        }
    }

    async fn attempt(
        &self,
        errand: Errand<'_>,
        progress: impl FnMut(u64, u64) + Send,
    ) -> Result<(), LinkError> {
        match errand {
            Errand::Fetch(hash, part) => download(&self.hub, hash, part, progress).await.map(drop),
            Errand::Send(path, artifact) => {
                let (mut link, _) = Link::open(&self.hub, &self.agent).await?;
                upload(&mut link, 1, path, artifact, progress).await?;
                link.close().await;
                Ok(())
            }
        }
    }
}

/// What goes between a runner and its hub besides words, over connections of their own.
#[derive(Clone, Copy)]
enum Errand<'a> {
    /// An artifact, into this file.
    Fetch(&'a Hash, &'a Path),
    /// This file, which is that artifact.
    Send(&'a Path, &'a Artifact),
}

impl Supply for Depot {
    async fn artifact(&self, hash: &Hash, what: &str, fetching: Fetching<'_>) -> Result<PathBuf, Failure> {
        let path = self.path(hash);
        self.uses(hash);
        if let Ok(file) = File::open(&path) {
            // When it was last used: what is unused for longest is deleted first.
            drop(file.set_modified(SystemTime::now()));
            return Ok(path);
        }
        fetching.begins(&format!("fetching {what}")).await;
        let part = path.with_extension("part");
        self.insist(Errand::Fetch(hash, &part), fetching).await?;
        fs::rename(&part, &path).map_err(|error| failed(&path, &error))?;
        if let Err(error) = self.make_room() {
            tracing::warn!("{}: {error}", self.root.display());
        }
        Ok(path)
    }

    async fn deliver(&self, path: &Path, artifact: &Artifact, fetching: Fetching<'_>) -> Result<(), Failure> {
        let kept = self.path(&artifact.blake3);
        self.uses(&artifact.blake3);
        fs::rename(path, &kept).map_err(|error| failed(&kept, &error))?;
        fetching.begins("sending the module").await;
        self.insist(Errand::Send(&kept, artifact), fetching).await
    }

    fn scratch(&self) -> io::Result<TempDir> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).clear();
        tempfile::Builder::new().prefix("job-").tempdir_in(self.root.join("tmp"))
    }

    fn module_cache(&self) -> PathBuf {
        self.root.join("modules")
    }
}

fn failed(path: &Path, error: &io::Error) -> WireError {
    WireError::new(ErrorCode::Io, error.to_string()).at(path.display().to_string())
}
