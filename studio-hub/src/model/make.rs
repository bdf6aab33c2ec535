//! Makes an export's files with several threads. Each makes, hashes and writes a part at a time, which so stays in its
//! cache; parts of a file have a hash of their own, so that their order doesn't matter.

use super::{Model, export::Progress, hash::threads, write::Temporary};
use anyhow::Context;
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
};
use studio_core::{
    export::{Export, FileStream},
    manifest::FileEntry,
    part_hash::{PartHash, PartHasher, join, part_count, part_range},
};

/// The part `index` of the file `file`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    file: usize,
    index: u64,
}

/// What the threads share.
struct Work<'a> {
    export: &'a Export,
    model: &'a Model,
    files: Vec<Temporary>,
    /// In the order in which they are made.
    parts: Vec<Part>,
    /// The part that is made next.
    next: AtomicUsize,
    made_bytes: AtomicU64,
    given_up: AtomicBool,
    done: Mutex<Done>,
}

#[derive(Default)]
struct Done {
    hashes: BTreeMap<Part, PartHash>,
    failed: Option<anyhow::Error>,
}

/// Makes all files of an export in a folder, under temporary names.
pub(super) fn make_files(
    export: &Export,
    model: &Model,
    out: &Path,
    progress: &mut dyn Progress,
) -> anyhow::Result<Vec<(Temporary, FileEntry)>> {
    let planned = export.files();
    let files = planned.iter().map(|file| Temporary::create(&out.join(file.name)));
    let parts = planned.iter().enumerate().flat_map(|(file, planned)| {
        (0..part_count(planned.size_bytes)).map(move |index| Part { file, index })
    });
    let work = Work {
        export,
        model,
        files: files.collect::<Result<_, _>>()?,
        parts: parts.collect(),
        next: AtomicUsize::new(0),
        made_bytes: AtomicU64::new(0),
        given_up: AtomicBool::new(false),
        done: Mutex::default(),
    };
    let of = planned.iter().map(|file| file.size_bytes).sum();
    thread::scope(|scope| {
        for _ in 1..threads() {
            scope.spawn(|| work.work(&mut |_, _| ()));
        }
        work.work(&mut |file, bytes| progress.made(file, bytes, of));
    });
    work.finish()
}

impl Work<'_> {
    /// Makes parts until none is left or one has failed. `made` is told the file and the bytes of all that are made.
    fn work(&self, made: &mut dyn FnMut(&str, u64)) {
        let mut stream: Option<(usize, FileStream<'_>)> = None;
        while let Some(part) = self.parts.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let stream = match &mut stream {
                Some((file, stream)) if *file == part.file => stream,
                other => &mut other.insert((part.file, self.export.stream(part.file))).1,
            };
            let hash = self.make(*part, stream, made);
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            match hash {
                Ok(Some(hash)) => {
                    done.hashes.insert(*part, hash);
                }
                Ok(None) => return,
                Err(error) => {
                    done.failed.get_or_insert(error);
                    self.given_up.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    /// Makes one part; `None` where another thread has failed.
    fn make(
        &self,
        part: Part,
        stream: &mut FileStream<'_>,
        made: &mut dyn FnMut(&str, u64),
    ) -> anyhow::Result<Option<PartHash>> {
        let (file, planned) = (&self.files[part.file], &self.export.files()[part.file]);
        let sources = self.model.sources();
        let mut hasher = PartHasher::new(part.index, planned.size_bytes);
        let range = part_range(part.index, planned.size_bytes);
        let mut offset = range.start;
        stream.seek(range);
        while let Some(piece) = stream.next(&sources).context(planned.name)? {
            if self.given_up.load(Ordering::Relaxed) {
                return Ok(None);
            }
            hasher.update(piece);
            file.write_at(piece, offset)?;
            offset += piece.len() as u64;
            let count = piece.len() as u64;
            made(planned.name, self.made_bytes.fetch_add(count, Ordering::Relaxed) + count);
        }
        hasher.finish().map(Some).with_context(|| format!("{}: it ended early", planned.name))
    }

    /// The files with their hashes, once all threads are done.
    fn finish(self) -> anyhow::Result<Vec<(Temporary, FileEntry)>> {
        let Done { hashes, failed } = self.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = failed {
            return Err(error);
        }
        let entry = |(index, file): (usize, Temporary)| {
            let planned = &self.export.files()[index];
            let of_file = Part { file: index, index: 0 }..Part { file: index + 1, index: 0 };
            let hashes: Vec<PartHash> = hashes.range(of_file).map(|(_, hash)| *hash).collect();
            let hash = join(&hashes, planned.size_bytes)
                .with_context(|| format!("{}: a part of it was not made", planned.name))?;
            let (name, blake3) = (planned.name.to_owned(), hash.to_hex().to_string());
            Ok((file, FileEntry { name, size_bytes: planned.size_bytes, blake3 }))
        };
        self.files.into_iter().enumerate().map(entry).collect()
    }
}
