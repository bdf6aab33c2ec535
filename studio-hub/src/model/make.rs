//! Makes an export's files with several threads. Each makes, hashes and writes some parts at a time, piece by piece, which
//! so stay in its cache; parts of a file have a hash of their own, so that their order doesn't matter.

use super::{ModelFiles, hash::threads, write::Temporary};
use anyhow::Context;
use std::{
    collections::BTreeMap,
    ops::Range,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};
use studio_core::{
    export::{Export, FileStream},
    manifest::FileEntry,
    part_hash::{PartHash, PartHasher, join, part_count, part_range},
};

/// Parts that a thread takes at once, at most. A large matrix that is transposed is read again for each stretch of it.
const MOST_PARTS: u64 = 3;

/// Consecutive parts of a file, which one thread makes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    file: usize,
    parts: Range<u64>,
}

/// What the threads share.
pub(super) struct Making {
    export: Export,
    files: Vec<Temporary>,
    /// Of each file, whether a thread is writing to it: the system lets one at a time, and has others wait on the
    /// processor.
    is_written: Vec<AtomicBool>,
    /// In the order in which they are made.
    stretches: Vec<Stretch>,
    /// The stretch that is made next.
    next: AtomicUsize,
    made_bytes: AtomicU64,
    given_up: AtomicBool,
    done: Mutex<Done>,
}

#[derive(Default)]
struct Done {
    /// By file and part.
    hashes: BTreeMap<(usize, u64), PartHash>,
    failed: Option<anyhow::Error>,
}

impl Making {
    /// Begins all files of an export in a folder, under temporary names.
    pub(super) fn new(export: Export, out: &Path) -> anyhow::Result<Self> {
        let files = export.files().iter().map(|file| Temporary::create(&out.join(file.name)));
        let files = files.collect::<Result<_, _>>()?;
        let counts: Vec<u64> = export.files().iter().map(|file| part_count(file.size_bytes)).collect();
        Ok(Self {
            stretches: stretches(&counts, threads() as u64),
            is_written: counts.iter().map(|_| AtomicBool::new(false)).collect(),
            export,
            files,
            next: AtomicUsize::new(0),
            made_bytes: AtomicU64::new(0),
            given_up: AtomicBool::new(false),
            done: Mutex::default(),
        })
    }

    /// What is made.
    pub(super) fn export(&self) -> &Export {
        &self.export
    }

    /// Bytes of all files.
    pub(super) fn size_bytes(&self) -> u64 {
        self.export.files().iter().map(|file| file.size_bytes).sum()
    }

    /// Makes stretches until none is left or one has failed. `made` is told the file and the bytes of all that are made.
    pub(super) fn work(&self, model: &ModelFiles, made: &mut dyn FnMut(&str, u64)) {
        let mut stream: Option<(usize, FileStream<'_>)> = None;
        while let Some(stretch) = self.stretches.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            if self.given_up.load(Ordering::Relaxed) {
                return;
            }
            let stream = match &mut stream {
                Some((file, stream)) if *file == stretch.file => stream,
                other => &mut other.insert((stretch.file, self.export.stream(stretch.file))).1,
            };
            if let Err(error) = self.make(stretch, model, stream, made) {
                self.done.lock().unwrap_or_else(PoisonError::into_inner).failed.get_or_insert(error);
                self.given_up.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Makes a stretch, unless another thread fails meanwhile.
    fn make(
        &self,
        stretch: &Stretch,
        model: &ModelFiles,
        stream: &mut FileStream<'_>,
        made: &mut dyn FnMut(&str, u64),
    ) -> anyhow::Result<()> {
        let planned = &self.export.files()[stretch.file];
        let sources = model.sources();
        let mut parts =
            stretch.parts.clone().map(|index| (index, PartHasher::new(index, planned.size_bytes)));
        let mut part = parts.next();
        let range = |index| part_range(index, planned.size_bytes);
        let mut offset = range(stretch.parts.start).start;
        stream.seek(offset..range(stretch.parts.end - 1).end);
        while let Some(piece) = stream.next(&sources).context(planned.name)? {
            if self.given_up.load(Ordering::Relaxed) {
                return Ok(());
            }
            let at = offset;
            let is_free = !self.is_written[stretch.file].load(Ordering::Relaxed);
            if is_free {
                self.write(stretch.file, piece, at)?;
            }
            let mut rest = piece;
            while let Some((index, hasher)) = part.as_mut().filter(|_| !rest.is_empty()) {
                let left = range(*index).end - offset;
                let (now, later) = rest.split_at(rest.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
                hasher.update(now);
                (rest, offset) = (later, offset + now.len() as u64);
                if now.len() as u64 == left {
                    self.hashed(stretch.file, *index, hasher);
                    part = parts.next();
                }
            }
            if !is_free {
                self.write(stretch.file, piece, at)?;
            }
            let count = piece.len() as u64;
            made(planned.name, self.made_bytes.fetch_add(count, Ordering::Relaxed) + count);
        }
        // An empty file has a part that no piece ends.
        if let Some((index, hasher)) = part {
            self.hashed(stretch.file, index, &hasher);
        }
        Ok(())
    }

    fn write(&self, file: usize, piece: &[u8], offset: u64) -> anyhow::Result<()> {
        self.is_written[file].store(true, Ordering::Relaxed);
        let written = self.files[file].write_at(piece, offset);
        self.is_written[file].store(false, Ordering::Relaxed);
        Ok(written?)
    }

    /// Keeps a part's hash, unless it ended early; then it is missed in the end.
    fn hashed(&self, file: usize, index: u64, hasher: &PartHasher) {
        if let Some(hash) = hasher.finish() {
            self.done.lock().unwrap_or_else(PoisonError::into_inner).hashes.insert((file, index), hash);
        }
    }

    /// The export and its files with their hashes, once all threads are done.
    pub(super) fn finish(self) -> anyhow::Result<(Export, Vec<(Temporary, FileEntry)>)> {
        let Done { hashes, failed } = self.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = failed {
            return Err(error);
        }
        let entry = |(index, file): (usize, Temporary)| {
            let planned = &self.export.files()[index];
            let hashes: Vec<PartHash> =
                hashes.range((index, 0)..(index + 1, 0)).map(|(_, hash)| *hash).collect();
            let hash = join(&hashes, planned.size_bytes)
                .with_context(|| format!("{}: a part of it was not made", planned.name))?;
            let (name, blake3) = (planned.name.to_owned(), hash.to_hex().to_string());
            Ok((file, FileEntry { name, size_bytes: planned.size_bytes, blake3 }))
        };
        let files: Vec<_> = self.files.into_iter().enumerate().map(entry).collect::<anyhow::Result<_>>()?;
        Ok((self.export, files))
    }
}

/// Divides files of so many parts among threads: long stretches first, then shorter ones, so that all end together.
fn stretches(counts: &[u64], threads: u64) -> Vec<Stretch> {
    let mut left: u64 = counts.iter().sum();
    let mut stretches = Vec::new();
    for (file, &count) in counts.iter().enumerate() {
        let mut start = 0;
        while start < count {
            let end = count.min(start + (left / (2 * threads)).clamp(1, MOST_PARTS));
            stretches.push(Stretch { file, parts: start..end });
            left -= end - start;
            start = end;
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_cover_all_parts_and_grow_shorter() {
        let counts = [1, 33, 1];
        let stretches = stretches(&counts, 2);
        for (file, &count) in counts.iter().enumerate() {
            let parts: Vec<u64> = stretches
                .iter()
                .filter(|stretch| stretch.file == file)
                .flat_map(|stretch| stretch.parts.clone())
                .collect();
            assert_eq!(parts, (0..count).collect::<Vec<_>>());
        }
        let lengths: Vec<u64> = stretches
            .iter()
            .filter(|stretch| stretch.file == 1)
            .map(|stretch| stretch.parts.end - stretch.parts.start)
            .collect();
        assert!(lengths.is_sorted_by(|a, b| a >= b), "{lengths:?}");
        assert_eq!((lengths[0], lengths[lengths.len() - 1]), (3, 1));
    }
}
