//! A model's BLAKE3, made by several threads.

use super::ModelFiles;
use anyhow::Context;
use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};
use studio_core::{
    manifest::FileEntry,
    part_hash::{PartHash, PartHasher, join, part_count, part_range},
};

/// More threads would wait for the disk, and each has buffers of its own.
const MAX_THREADS: usize = 4;

/// Bytes of a model that are read and hashed at once: they fit the second cache.
const PIECE_BYTES: usize = 256 << 10;

impl ModelFiles {
    /// The model by its content: all files one after another. Reads all of it.
    pub(crate) fn hash(&self) -> anyhow::Result<FileEntry> {
        let hashing = Hashing::new(self);
        thread::scope(|scope| {
            for _ in 1..threads() {
                scope.spawn(|| hashing.work());
            }
            hashing.work();
        });
        hashing.finish()
    }
}

/// Threads that share the work on a model.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// A model being hashed, by as many threads as call [`Hashing::work`].
pub(super) struct Hashing<'a> {
    model: &'a ModelFiles,
    size_bytes: u64,
    /// The part that is hashed next.
    next: AtomicU64,
    given_up: AtomicBool,
    done: Mutex<Done>,
}

struct Done {
    /// By index.
    parts: BTreeMap<u64, PartHash>,
    failed: Option<anyhow::Error>,
}

impl<'a> Hashing<'a> {
    pub(super) fn new(model: &'a ModelFiles) -> Self {
        Self {
            model,
            size_bytes: model.size_bytes(),
            next: AtomicU64::new(0),
            given_up: AtomicBool::new(false),
            done: Mutex::new(Done { parts: BTreeMap::new(), failed: None }),
        }
    }

    /// Lets the threads stop soon.
    pub(super) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Hashes parts until none is left.
    pub(super) fn work(&self) {
        self.work_while(|| true);
    }

    /// Hashes parts as long as there are some and `goes_on` says so.
    pub(super) fn work_while(&self, goes_on: impl Fn() -> bool) {
        let mut buffer = vec![0; PIECE_BYTES];
        while goes_on() && !self.given_up.load(Ordering::Relaxed) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= part_count(self.size_bytes) {
                return;
            }
            let hash = self.part(index, &mut buffer);
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            match hash {
                Ok(hash) => {
                    done.parts.insert(index, hash);
                }
                Err(error) => {
                    done.failed.get_or_insert(error);
                    self.give_up();
                }
            }
        }
    }

    fn part(&self, index: u64, buffer: &mut [u8]) -> anyhow::Result<PartHash> {
        let mut hasher = PartHasher::new(index, self.size_bytes);
        let range = part_range(index, self.size_bytes);
        for start in range.clone().step_by(PIECE_BYTES) {
            let count = (range.end - start).min(PIECE_BYTES as u64) as usize;
            self.model.read_at(start, &mut buffer[..count])?;
            hasher.update(&buffer[..count]);
        }
        hasher.finish().context("a part of the model was not read whole")
    }

    /// The hash, once all threads are done.
    pub(super) fn finish(self) -> anyhow::Result<FileEntry> {
        let Done { parts, failed } = self.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = failed {
            return Err(error);
        }
        let parts: Vec<PartHash> = parts.into_values().collect();
        let hash = join(&parts, self.size_bytes).context("hashing the model was given up")?;
        Ok(FileEntry {
            name: self.model.file_name(),
            size_bytes: self.size_bytes,
            blake3: hash.to_hex().to_string(),
        })
    }
}
