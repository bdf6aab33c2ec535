//! An export into a folder: one thread makes the bytes, one hashes them, one writes them.

use super::{Model, WriteError, write::Temporary, write_whole};
use anyhow::Context;
use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        mpsc::{self, Receiver, SyncSender},
    },
    thread,
};
use studio_core::{
    export::Export,
    manifest::{FileEntry, Manifest, file_name},
    options::ExportOptions,
};

/// Bytes that are handed from thread to thread at once.
const BLOCK_BYTES: usize = 4 << 20;

/// Blocks that may wait for a thread.
const QUEUE: usize = 4;

/// Is told how far an export is.
pub(crate) trait Progress {
    /// So many bytes of so many are made; `file` is being made.
    fn made(&mut self, file: &str, bytes: u64, of: u64);
}

/// Exports a model into a folder, which is made where it doesn't exist. The folder's `manifest.json` appears
/// last, so that it never names files that aren't there.
pub(crate) fn export(
    model: &Model,
    options: &ExportOptions,
    out: &Path,
    progress: &mut dyn Progress,
) -> anyhow::Result<Manifest> {
    let sources = model.sources();
    let export = Export::new(&model.gguf, &sources, options)?;
    fs::create_dir_all(out).map_err(WriteError::at(out))?;
    let of = export.files().iter().map(|file| file.size_bytes).sum();
    check_room(out, of)?;
    let (source, files) = thread::scope(|scope| {
        let source = scope.spawn(|| model.hash());
        let mut bytes = 0;
        let mut files = Vec::new();
        for (index, file) in export.files().iter().enumerate() {
            let mut made = |count: usize| {
                bytes += count as u64;
                progress.made(file.name, bytes, of);
            };
            files.push(write_file(&export, index, model, &out.join(file.name), &mut made)?);
        }
        let source = source.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the hashing thread failed")))?;
        anyhow::Ok((source, files))
    })?;
    let manifest_path = out.join(file_name::MANIFEST);
    match fs::remove_file(&manifest_path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(WriteError::at(&manifest_path)(error).into());
        }
        Ok(()) | Err(_) => {}
    }
    let mut entries = Vec::new();
    for (temporary, entry) in files {
        temporary.keep()?;
        entries.push(entry);
    }
    let mut manifest = export.manifest(source, entries);
    let reference = export.reference(&manifest).into_bytes();
    write_whole(&out.join(file_name::REFERENCE), &reference)?;
    manifest.files.push(FileEntry {
        name: file_name::REFERENCE.to_owned(),
        size_bytes: reference.len() as u64,
        blake3: blake3::hash(&reference).to_hex().to_string(),
    });
    write_whole(&manifest_path, &serde_json::to_vec_pretty(&manifest)?)?;
    Ok(manifest)
}

/// What an export's files would hold, in 16 characters: equal ones promise equal files. `source_blake3` is the
/// model's hash.
pub(crate) fn content_key(
    model: &Model,
    options: &ExportOptions,
    source_blake3: &str,
) -> anyhow::Result<String> {
    let export = Export::new(&model.gguf, &model.sources(), options)?;
    let mut hasher = blake3::Hasher::new();
    for index in 0..export.files().len() {
        hasher.update(export.key(source_blake3, index).as_bytes());
    }
    Ok(hasher.finalize().to_hex().chars().take(16).collect())
}

/// Refuses to begin what the disk has no room for.
fn check_room(out: &Path, need: u64) -> anyhow::Result<()> {
    let stat = rustix::fs::statvfs(out).with_context(|| out.display().to_string())?;
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    anyhow::ensure!(
        need <= free,
        "{}: the export needs {} MB and this disk has {} MB free. Free some space, or choose another --out",
        out.display(),
        need.div_ceil(1_000_000),
        free / 1_000_000
    );
    Ok(())
}

/// Makes one file under a temporary name.
fn write_file(
    export: &Export,
    index: usize,
    model: &Model,
    path: &Path,
    made: &mut dyn FnMut(usize),
) -> anyhow::Result<(Temporary, FileEntry)> {
    let name = export.files()[index].name;
    let file = Temporary::create(path)?;
    thread::scope(|scope| {
        let (to_hash, hashed) = mpsc::sync_channel::<Arc<[u8]>>(QUEUE);
        let (to_write, written) = mpsc::sync_channel(QUEUE);
        let hashing = scope.spawn(move || hash(&hashed));
        let writing = scope.spawn(move || write(file, &written));
        let making = make(export, index, model, &[to_hash, to_write], made);
        let failed = |_| anyhow::anyhow!("a thread of the export failed");
        let (file, hash) = (writing.join().map_err(failed)?, hashing.join().map_err(failed)?);
        // A failed write ends the making, too: it is the cause.
        let file = file?;
        let size_bytes = making.with_context(|| name)?;
        Ok((file, FileEntry { name: name.to_owned(), size_bytes, blake3: hash.to_hex().to_string() }))
    })
}

/// Sends a file's bytes to all of `to`, until the end or until one of them has gone.
fn make(
    export: &Export,
    index: usize,
    model: &Model,
    to: &[SyncSender<Arc<[u8]>>],
    made: &mut dyn FnMut(usize),
) -> anyhow::Result<u64> {
    let sources = model.sources();
    let mut stream = export.stream(index);
    let mut block = Vec::with_capacity(BLOCK_BYTES);
    let mut size_bytes = 0;
    loop {
        let piece = stream.next(&sources)?;
        let ends = piece.is_none();
        block.extend_from_slice(piece.unwrap_or_default());
        if block.len() >= BLOCK_BYTES || (ends && !block.is_empty()) {
            size_bytes += block.len() as u64;
            made(block.len());
            let shared: Arc<[u8]> = Arc::from(block.as_slice());
            block.clear();
            for receiver in to {
                if receiver.send(Arc::clone(&shared)).is_err() {
                    return Ok(size_bytes);
                }
            }
        }
        if ends {
            return Ok(size_bytes);
        }
    }
}

fn hash(blocks: &Receiver<Arc<[u8]>>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for block in blocks {
        hasher.update(&block);
    }
    hasher.finalize()
}

fn write(mut file: Temporary, blocks: &Receiver<Arc<[u8]>>) -> Result<Temporary, WriteError> {
    for block in blocks {
        file.append(&block)?;
    }
    Ok(file)
}
