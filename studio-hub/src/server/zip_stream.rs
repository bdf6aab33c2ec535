//! A bundle as a zip, written by a thread while the answer is sent: nothing model-sized is held in memory.
//!
//! Files are stored, not compressed: weights don't compress, and so the whole length is known beforehand.

use crate::store::{Bundle, BundleError, Store};
use axum::body::{Body, Bytes};
use futures_util::stream;
use runner_agent::targets;
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::PathBuf,
};
use studio_core::{
    manifest::{ModuleEntry, file_name},
    reference,
};
use studio_protocol::Hash;
use tokio::sync::mpsc;
use zip::{CompressionMethod, ZipWriter, result::ZipResult, write::SimpleFileOptions};

/// Bytes in a piece of the answer.
const PIECE_BYTES: usize = 256 << 10;

/// Pieces that may wait for the client.
const PIECES: usize = 8;

/// A zip about to be sent.
pub(super) struct Zip {
    /// What to call it.
    pub(super) name: String,
    /// Its length, where it is known: for all but zips over 4 GiB.
    pub(super) length: Option<u64>,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    size_bytes: u64,
    content: Content,
}

enum Content {
    Path(PathBuf),
    Bytes(Vec<u8>),
}

/// Decides what goes in: every file of the manifest, the modules, and the manifest that names them.
pub(super) fn plan(store: &Store, bundle: &Hash, wanted: &[Hash]) -> Result<Zip, BundleError> {
    let (page, Bundle { manifest, paths }) = with_modules(store, bundle, wanted)?;
    let mut entries = Vec::new();
    if let Some(page) = page {
        entries.push(Entry {
            name: file_name::REFERENCE.to_owned(),
            size_bytes: page.len() as u64,
            content: Content::Bytes(page.into_bytes()),
        });
    }
    for file in manifest.files.iter().filter(|file| file.name != file_name::REFERENCE) {
        let path = paths.get(&file.name).cloned();
        let path = path.ok_or_else(|| runner_agent::BundleError::Missing(file.name.clone()))?;
        entries.push(Entry {
            name: file.name.clone(),
            size_bytes: file.size_bytes,
            content: Content::Path(path),
        });
    }
    for module in &manifest.modules {
        let source = |source| BundleError::BadHash { file: module.file.name.clone(), source };
        let blake3: Hash = module.file.blake3.parse().map_err(source)?;
        let artifact = store.artifact(&blake3)?;
        let artifact =
            artifact.ok_or_else(|| BundleError::NoFile { file: module.file.name.clone(), blake3 })?;
        entries.push(Entry {
            name: module.file.name.clone(),
            size_bytes: artifact.size_bytes,
            content: Content::Path(store.artifact_path(&blake3)),
        });
    }
    let stem = manifest.source.name.trim_end_matches(".gguf");
    let name = format!("{stem}.zip");
    let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::from)?;
    entries.push(Entry {
        name: file_name::MANIFEST.to_owned(),
        size_bytes: text.len() as u64,
        content: Content::Bytes(text),
    });
    let length = length(&entries).map_err(io::Error::from)?;
    Ok(Zip { name, length, entries })
}

/// A bundle's reference page, with all modules that were compiled from it.
pub(super) fn reference_page(store: &Store, bundle: &Hash) -> Result<Option<String>, BundleError> {
    with_modules(store, bundle, &[]).map(|(page, _)| page)
}

/// A bundle whose manifest and reference page, if it has one, name the modules asked for.
fn with_modules(
    store: &Store,
    bundle: &Hash,
    wanted: &[Hash],
) -> Result<(Option<String>, Bundle), BundleError> {
    let known = match wanted {
        [] => store.modules(bundle)?,
        _ => store.known_modules(bundle)?.into_iter().map(|known| known.entry).collect(),
    };
    let modules = chosen(known, wanted)?;
    let mut bundle = store.bundle(bundle)?;
    bundle.manifest.modules = modules;
    let page = bundle.paths.get(file_name::REFERENCE).map(fs::read_to_string).transpose()?;
    let page = page.map(|page| reference::update(&page, &mut bundle.manifest));
    Ok((page, bundle))
}

/// The modules asked for, or the newest of each target. No two get the same name.
fn chosen(known: Vec<ModuleEntry>, wanted: &[Hash]) -> Result<Vec<ModuleEntry>, BundleError> {
    let mut modules: Vec<ModuleEntry> = Vec::new();
    if wanted.is_empty() {
        for module in known.into_iter().rev() {
            if modules.iter().all(|other| other.target != module.target) {
                modules.push(module);
            }
        }
        modules.reverse();
        return Ok(modules);
    }
    for hash in wanted {
        let text = hash.to_string();
        let module = known.iter().find(|module| module.file.blake3 == text);
        let mut module = module.cloned().ok_or(BundleError::NoModule(*hash))?;
        if modules.iter().any(|other| other.file.name == module.file.name) {
            module.file.name = targets::file_name(&format!("{}-{}", module.target, &text[..8]));
        }
        if modules.iter().all(|other| other.file.blake3 != text) {
            modules.push(module);
        }
    }
    Ok(modules)
}

/// The zip's length: what is around the files doesn't depend on their bytes.
fn length(entries: &[Entry]) -> ZipResult<Option<u64>> {
    let content: u64 = entries.iter().map(|entry| entry.size_bytes).sum();
    let mut frame = Counter(0);
    write(entries, &mut frame, |_, _| Ok(()))?;
    let length = content + frame.0;
    Ok((length < u64::from(u32::MAX)).then_some(length))
}

/// Writes the zip, each file's bytes by `copy`.
fn write<W: Write>(
    entries: &[Entry],
    out: W,
    copy: impl Fn(&Entry, &mut dyn Write) -> io::Result<()>,
) -> ZipResult<()> {
    let mut zip = ZipWriter::new_stream(out);
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .unix_permissions(0o644)
            .large_file(entry.size_bytes >= u64::from(u32::MAX));
        zip.start_file(entry.name.as_str(), options)?;
        copy(entry, &mut zip)?;
    }
    zip.finish()?.into_inner().flush()?;
    Ok(())
}

fn copy(entry: &Entry, out: &mut dyn Write) -> io::Result<()> {
    let copied = match &entry.content {
        Content::Bytes(bytes) => io::copy(&mut bytes.as_slice(), out)?,
        Content::Path(path) => {
            let mut file = File::open(path)?.take(entry.size_bytes);
            let mut buffer = vec![0; PIECE_BYTES];
            let mut copied = 0;
            loop {
                let count = file.read(&mut buffer)?;
                if count == 0 {
                    break copied;
                }
                out.write_all(&buffer[..count])?;
                copied += count as u64;
            }
        }
    };
    if copied == entry.size_bytes {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("{} became shorter", entry.name)))
    }
}

impl Zip {
    /// Begins to write and gives what the client reads. A client that goes away ends the writing.
    pub(super) fn into_body(self) -> Body {
        let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(PIECES);
        tokio::task::spawn_blocking(move || {
            let out = Pieces { sender: sender.clone(), piece: Vec::with_capacity(PIECE_BYTES) };
            if let Err(error) = write(&self.entries, out, copy) {
                tracing::debug!(%error, "a bundle's download ended early");
                // The client may be gone: then there is nobody to tell.
                drop(sender.blocking_send(Err(error.into())));
            }
        });
        Body::from_stream(stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|piece| (piece, receiver))
        }))
    }
}

/// A writer whose pieces go to the client.
struct Pieces {
    sender: mpsc::Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(PIECE_BYTES - self.piece.len());
        self.piece.extend_from_slice(&bytes[..count]);
        if self.piece.len() == PIECE_BYTES {
            self.flush()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE_BYTES));
        self.sender.blocking_send(Ok(piece.into())).or(Err(io::ErrorKind::BrokenPipe.into()))
    }
}

/// A writer that only counts.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
