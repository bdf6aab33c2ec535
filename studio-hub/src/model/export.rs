//! An export into a folder: one thread makes the bytes, one hashes them, one writes them.

use super::{Model, WriteError, claim::claim, write::Temporary, write_whole};
use anyhow::Context;
use std::{
    fs,
    path::Path,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, SyncSender},
    },
    thread,
};
use studio_core::{
    export::{Export, ExportError},
    family::BuildError,
    manifest::{FileEntry, Manifest, file_name},
    options::ExportOptions,
};

/// Bytes that go from thread to thread.
type Block = Vec<u8>;

/// A block is handed on when it has this many bytes.
const BLOCK_BYTES: usize = 1 << 20;

/// Blocks that go around.
const BLOCKS: usize = 8;

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
    let given_up = AtomicBool::new(false);
    let (source, planned) = thread::scope(|scope| {
        // Begun before anything is planned: reading all of the model takes longest.
        let source = scope.spawn(|| model.hash_unless(&given_up));
        let planned = make_files(model, options, out, progress);
        given_up.store(planned.is_err(), Ordering::Relaxed);
        let source = source.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the hashing thread failed")));
        // Why it was given up comes before that it was.
        let planned = planned?;
        anyhow::Ok((source?, planned))
    })?;
    let Made { export, files, claim: _claim } = planned;
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

/// An export whose large files are made.
struct Made {
    export: Export,
    files: Vec<(Temporary, FileEntry)>,
    /// The folder, locked.
    claim: fs::File,
}

/// Plans an export and makes its files under temporary names.
fn make_files(
    model: &Model,
    options: &ExportOptions,
    out: &Path,
    progress: &mut dyn Progress,
) -> anyhow::Result<Made> {
    let sources = model.sources();
    let export = Export::new(&model.gguf, &sources, options).map_err(|error| match error {
        // What was asked is wrong, not the model.
        ExportError::Build(BuildError::Option { .. }) => error.into(),
        error => anyhow::Error::from(error).context(model.name()),
    })?;
    fs::create_dir_all(out).map_err(WriteError::at(out))?;
    let claim = claim(out, export.files().iter().map(|file| file.name))?;
    let of = export.files().iter().map(|file| file.size_bytes).sum();
    check_room(out, of)?;
    let mut bytes = 0;
    let mut files = Vec::new();
    for (index, file) in export.files().iter().enumerate() {
        let mut made = |count: usize| {
            bytes += count as u64;
            progress.made(file.name, bytes, of);
        };
        files.push(write_file(&export, index, model, &out.join(file.name), &mut made)?);
    }
    Ok(Made { export, files, claim })
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
        let (to_hash, hashed) = mpsc::sync_channel(BLOCKS);
        let (to_write, written) = mpsc::sync_channel(BLOCKS);
        let (to_fill, empty) = mpsc::sync_channel(BLOCKS);
        for _ in 0..BLOCKS {
            to_fill.send(Vec::new())?;
        }
        let hashing = scope.spawn(move || hash(&hashed, &to_write));
        let writing = scope.spawn(move || write(file, &written, &to_fill));
        let making = make(export, index, model, &empty, to_hash, made);
        let failed = |_| anyhow::anyhow!("a thread of the export failed");
        let (file, hash) = (writing.join().map_err(failed)?, hashing.join().map_err(failed)?);
        // A failed write ends the making, too: it is the cause.
        let file = file?;
        let size_bytes = making.with_context(|| name)?;
        Ok((file, FileEntry { name: name.to_owned(), size_bytes, blake3: hash.to_hex().to_string() }))
    })
}

/// Fills blocks with a file's bytes, until the end or until a thread has gone.
fn make(
    export: &Export,
    index: usize,
    model: &Model,
    empty: &Receiver<Block>,
    to: SyncSender<Block>,
    made: &mut dyn FnMut(usize),
) -> anyhow::Result<u64> {
    let sources = model.sources();
    let mut stream = export.stream(index);
    let mut size_bytes = 0;
    while let Ok(mut block) = empty.recv() {
        while block.len() < BLOCK_BYTES
            && let Some(piece) = stream.next(&sources)?
        {
            block.extend_from_slice(piece);
        }
        let count = block.len();
        if count == 0 || to.send(block).is_err() {
            break;
        }
        size_bytes += count as u64;
        made(count);
    }
    Ok(size_bytes)
}

/// Hashes blocks and passes them on, until there are no more or nobody takes them.
fn hash(blocks: &Receiver<Block>, to: &SyncSender<Block>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for block in blocks {
        hasher.update(&block);
        if to.send(block).is_err() {
            break;
        }
    }
    hasher.finalize()
}

/// Writes blocks and gives them back.
fn write(
    mut file: Temporary,
    blocks: &Receiver<Block>,
    to: &SyncSender<Block>,
) -> Result<Temporary, WriteError> {
    for mut block in blocks {
        file.append(&block)?;
        block.clear();
        // At the end nobody wants it back.
        drop(to.send(block));
    }
    Ok(file)
}
