//! Uploads: an artifact arriving in order, which can be taken up again after any kind of interruption.
//!
//! Everything here blocks: callers on an async thread go through `spawn_blocking`.

use super::{Store, part::Part};
use std::{
    collections::BTreeMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
};
use studio_protocol::{Artifact, ErrorCode, Hash, WireError, is_upload_key};

/// The most bytes an artifact may have.
const MAX_ARTIFACT_BYTES: u64 = 1 << 40;

/// Bytes of the disk that uploads leave free.
const RESERVE_BYTES: u64 = 64 << 20;

/// All uploads of a hub.
#[derive(Debug)]
pub(crate) struct Uploads {
    store: Arc<Store>,
    next_owner: AtomicU64,
    open: Mutex<BTreeMap<String, Weak<Slot>>>,
}

/// An open upload. The one who opened it last owns it.
#[derive(Debug)]
struct Slot {
    key: String,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    owner: u64,
    part: Option<Part>,
}

/// A claim on an upload, good until somebody else opens the same key.
#[derive(Debug, Clone)]
pub(crate) struct Upload {
    store: Arc<Store>,
    slot: Arc<Slot>,
    owner: u64,
    /// Whether this claim's owner sends all of the bytes: none were there when it was made.
    is_from_start: bool,
}

/// What opening an upload found.
#[derive(Debug)]
pub(crate) enum Opened {
    /// All of it is here.
    Whole(Artifact),
    /// This many bytes are here.
    Partial(Upload, u64),
}

/// Why an upload failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UploadError {
    /// Not a key.
    #[error("\"{0}\" is not an upload's key")]
    Key(String),
    /// Longer than any artifact may be.
    #[error("{0} bytes are announced where an artifact has at most {MAX_ARTIFACT_BYTES}")]
    TooLong(u64),
    /// The disk has too little room for the rest.
    #[error("{need} bytes are still to come and the hub's disk has room for {free}")]
    NoRoom {
        /// Bytes still to come.
        need: u64,
        /// Bytes that may be written.
        free: u64,
    },
    /// Somebody else opened the same key.
    #[error("another connection has taken this upload over")]
    TakenOver,
    /// The upload has ended: whole, or given up.
    #[error("this upload has ended")]
    Ended,
    /// A chunk that doesn't begin where the one before it ended.
    #[error("a chunk begins at byte {got} where byte {expected} comes next")]
    OutOfOrder {
        /// Where it begins.
        got: u64,
        /// Bytes that are there.
        expected: u64,
    },
    /// A chunk past the announced end.
    #[error("a chunk ends at byte {end}, past the announced end at {size}")]
    PastEnd {
        /// Where it ends.
        end: u64,
        /// The announced length.
        size: u64,
    },
    /// Finished too early.
    #[error("{received} of {size} bytes were received")]
    Short {
        /// Bytes that are there.
        received: u64,
        /// The announced length.
        size: u64,
    },
    /// No hash, though some bytes are of an earlier claim.
    #[error(
        "bytes were here before this upload was opened, and their sender has to say what all of them hash to"
    )]
    HashMissing,
    /// The bytes are not what the sender says they are.
    #[error("the bytes received hash to {got}, the sender says {announced}; they were deleted")]
    Hash {
        /// Of what is there.
        got: Hash,
        /// What the sender says.
        announced: Hash,
    },
    /// The file system refused.
    #[error("the hub could not write the upload: {0}")]
    Io(#[from] io::Error),
}

impl From<UploadError> for WireError {
    fn from(error: UploadError) -> Self {
        let (code, hint) = match &error {
            UploadError::Key(_) => {
                (ErrorCode::BadMessage, "A key has 1 to 128 characters of 0-9, a-z, '.', '_' and '-'")
            }
            UploadError::NoRoom { .. } => {
                (ErrorCode::NoSpace, "Free some space on the hub's disk, then begin the upload again")
            }
            UploadError::TakenOver => {
                (ErrorCode::Busy, "It goes on there: is the same model open in another tab?")
            }
            UploadError::Hash { .. } | UploadError::Short { .. } => {
                (ErrorCode::Corrupt, "Begin the upload again")
            }
            UploadError::Io(error) if is_full(error) => (
                ErrorCode::NoSpace,
                "Free some space on the hub's disk, then upload again: what was received is kept",
            ),
            UploadError::Io(_) => (ErrorCode::Io, "Look at the hub's data folder"),
            UploadError::TooLong(_)
            | UploadError::Ended
            | UploadError::HashMissing
            | UploadError::OutOfOrder { .. }
            | UploadError::PastEnd { .. } => return Self::new(ErrorCode::BadMessage, error.to_string()),
        };
        Self::new(code, error.to_string()).hint(hint)
    }
}

/// Whether a write failed for want of room: a full disk, a quota, a limit on file sizes.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

impl Uploads {
    /// The uploads of a data folder.
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self { store, next_owner: AtomicU64::new(1), open: Mutex::default() }
    }

    /// Begins an upload, or takes it up where it was, whoever had it before. Where the sender knows the hash and an
    /// artifact of it is here, it is over.
    pub(crate) fn open(&self, key: &str, size: u64, hash: Option<Hash>) -> Result<Opened, UploadError> {
        if !is_upload_key(key) {
            return Err(UploadError::Key(key.chars().take(160).collect()));
        }
        if size > MAX_ARTIFACT_BYTES {
            return Err(UploadError::TooLong(size));
        }
        if let Some(hash) = hash
            && let Some(artifact) = self.store.artifact(&hash)?.filter(|there| there.size_bytes == size)
        {
            self.store.touch(&hash);
            return Ok(Opened::Whole(artifact));
        }
        let slot = self.slot(key);
        let mut state = lock(&slot.state);
        if let Some(artifact) = self.store.finished(key, size)? {
            self.store.touch(&artifact.blake3);
            return Ok(Opened::Whole(artifact));
        }
        let owner = self.next_owner.fetch_add(1, Ordering::Relaxed);
        state.owner = owner;
        state.part = match state.part.take() {
            Some(part) if part.size == size => Some(part),
            Some(_) | None => Some(Part::open(&self.store.part_path(key), size)?),
        };
        let received = state.part.as_ref().map_or(0, Part::received);
        let (need, free) = (size - received, self.store.free_bytes()?);
        if need > free.saturating_sub(RESERVE_BYTES) {
            return Err(UploadError::NoRoom { need, free: free.saturating_sub(RESERVE_BYTES) });
        }
        drop(state);
        let (store, is_from_start) = (Arc::clone(&self.store), received == 0);
        Ok(Opened::Partial(Upload { store, slot, owner, is_from_start }, received))
    }

    fn slot(&self, key: &str) -> Arc<Slot> {
        let mut open = lock(&self.open);
        open.retain(|_, slot| slot.strong_count() > 0);
        if let Some(slot) = open.get(key).and_then(Weak::upgrade) {
            return slot;
        }
        let slot = Arc::new(Slot { key: key.to_owned(), state: Mutex::new(State { owner: 0, part: None }) });
        open.insert(key.to_owned(), Arc::downgrade(&slot));
        slot
    }
}

impl Upload {
    /// Appends a chunk and gives the number of bytes that are there now.
    pub(crate) fn write(&self, offset: u64, payload: &[u8]) -> Result<u64, UploadError> {
        let mut state = self.state()?;
        let part = state.part.as_mut().ok_or(UploadError::Ended)?;
        if offset != part.received() {
            return Err(UploadError::OutOfOrder { got: offset, expected: part.received() });
        }
        let end = offset.saturating_add(payload.len() as u64);
        if end > part.size {
            return Err(UploadError::PastEnd { end, size: part.size });
        }
        let appended = part.append(payload);
        if appended.is_err() {
            state.part = None;
        }
        Ok(appended?)
    }

    /// Checks the whole and makes it an artifact. Bytes that are not what was announced are deleted. Only who sent all of
    /// them needn't announce anything: what is on the disk was hashed as it came in.
    pub(crate) fn finish(&self, announced: Option<Hash>) -> Result<Artifact, UploadError> {
        if announced.is_none() && !self.is_from_start {
            return Err(UploadError::HashMissing);
        }
        let mut state = self.state()?;
        let part = state.part.take().ok_or(UploadError::Ended)?;
        let (received, size) = (part.received(), part.size);
        if received < size {
            state.part = Some(part);
            return Err(UploadError::Short { received, size });
        }
        let got = part.hash();
        if let Some(announced) = announced.filter(|announced| *announced != got) {
            part.discard()?;
            return Err(UploadError::Hash { got, announced });
        }
        part.keep_as(&self.store.artifact_path(&got))?;
        let artifact = Artifact { blake3: got, size_bytes: size };
        self.store.remember_finished(&self.slot.key, &artifact)?;
        Ok(artifact)
    }

    fn state(&self) -> Result<MutexGuard<'_, State>, UploadError> {
        let state = lock(&self.slot.state);
        if state.owner == self.owner { Ok(state) } else { Err(UploadError::TakenOver) }
    }
}

impl Store {
    fn part_path(&self, key: &str) -> std::path::PathBuf {
        self.root().join("uploads").join(format!("{key}.part"))
    }

    fn finished_path(&self, key: &str) -> std::path::PathBuf {
        self.root().join("uploads").join(format!("{key}.json"))
    }

    /// The artifact that an upload of this key and length became, where it is still there.
    fn finished(&self, key: &str, size: u64) -> io::Result<Option<Artifact>> {
        let text = match std::fs::read(self.finished_path(key)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let Ok(record) = serde_json::from_slice::<Artifact>(&text) else { return Ok(None) };
        let there = self.artifact(&record.blake3)?;
        Ok(there.filter(|artifact| *artifact == record && artifact.size_bytes == size))
    }

    fn remember_finished(&self, key: &str, artifact: &Artifact) -> io::Result<()> {
        self.write_whole(&self.finished_path(key), &serde_json::to_vec(artifact)?)
    }
}

/// A panic under one of these locks leaves nothing half done: each change is a single assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
