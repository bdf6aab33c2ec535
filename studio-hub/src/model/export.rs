//! An export into a folder: its files are made under other names, then named.
//!
//! One thread reads the header and plans while the others begin to hash the model; then all of them make parts of the
//! files, and hash what is left of the model.

use super::{
    Model, ModelFiles, WriteError,
    claim::claim,
    hash::{Hashing, threads},
    make::Making,
    origins::origins_path,
    write_whole,
};
use anyhow::Context;
use gguf_file::Gguf;
use runner_agent::read_manifest;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{OnceLock, mpsc},
    thread,
};
use studio_core::{
    export::{Export, ExportError},
    family::BuildError,
    manifest::{FileEntry, Manifest, MemoryEntry, file_name},
    options::ExportOptions,
};

/// Is told how far an export is.
pub(crate) trait Progress {
    /// What will be made, before any of it is.
    fn planned(&mut self, export: &Export);
    /// So many bytes of so many are made; `file` is being made.
    fn made(&mut self, file: &str, bytes: u64, of: u64);
}

/// An export that was made.
pub(crate) struct Exported {
    pub(crate) manifest: Manifest,
    /// Why the model's tokenizer can't be used here, where that is so.
    pub(crate) tokenizer_problem: Option<String>,
    /// Files of the bundle that was there before, which are gone: modules of another text, for instance.
    pub(crate) removed: Vec<String>,
}

/// Exports a model into a folder, which is made where it doesn't exist. The folder's `manifest.json` appears
/// last, so that it never names files that aren't there. A bundle that is there already is replaced.
///
/// `options` says what is wanted, once the model's header is known.
pub(crate) fn export(
    model: &ModelFiles,
    options: &dyn Fn(&Gguf) -> anyhow::Result<ExportOptions>,
    out: &Path,
    progress: &mut dyn Progress,
) -> anyhow::Result<Exported> {
    let hashing = Hashing::new(model);
    let planned: OnceLock<Planned> = OnceLock::new();
    thread::scope(|scope| {
        let mut planning = Vec::new();
        for _ in 1..threads() {
            // Closed when planning is over, however it ends.
            let (is_planning, is_over) = mpsc::channel::<()>();
            planning.push(is_planning);
            let (hashing, planned) = (&hashing, &planned);
            scope.spawn(move || {
                hashing.work_while(|| planned.get().is_none());
                let (Ok(()) | Err(_)) = is_over.recv();
                if let Some(planned) = planned.get() {
                    planned.making.work(model, &mut |_, _| ());
                    hashing.work();
                }
            });
        }
        match plan(model, options, out) {
            Ok(plan) => {
                let making = &planned.get_or_init(|| plan).making;
                drop(planning);
                progress.planned(making.export());
                let of = making.size_bytes();
                making.work(model, &mut |file, bytes| progress.made(file, bytes, of));
                hashing.work();
                Ok(())
            }
            Err(error) => {
                hashing.give_up();
                Err(error)
            }
        }
    })?;
    let Planned { making, _claim } = planned.into_inner().context("planning ended early")?;
    let (export, files) = making.finish()?;
    let source = hashing.finish()?;
    let removed = remove_former(out)?;
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
    write_whole(&out.join(file_name::MANIFEST), &serde_json::to_vec_pretty(&manifest)?)?;
    let removed = removed.into_iter().filter(|name| manifest.files.iter().all(|file| file.name != *name));
    Ok(Exported {
        removed: removed.collect(),
        manifest,
        tokenizer_problem: export.tokenizer_problem().map(str::to_owned),
    })
}

/// Removes the bundle that is in a folder: its manifest first, then what that names, modules among it, which are of another
/// text and other weights. Files that no manifest names aren't a bundle's and stay. Gives the names of those that went.
fn remove_former(out: &Path) -> anyhow::Result<Vec<String>> {
    let remove = |path: &Path| match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(WriteError::at(path)(error)),
    };
    let former = read_manifest(out).ok();
    remove(&out.join(file_name::MANIFEST))?;
    let mut removed = Vec::new();
    if let Some(Manifest { files, modules, .. }) = former {
        for name in
            files.into_iter().map(|file| file.name).chain(modules.into_iter().map(|module| module.file.name))
        {
            // What was said of a module goes with it.
            for path in [out.join(&name), origins_path(&out.join(&name))] {
                if remove(&path)? {
                    removed.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
                }
            }
        }
    }
    Ok(removed)
}

/// An export that may be made.
struct Planned {
    making: Making,
    /// The folder is this export's alone.
    _claim: fs::File,
}

/// Reads the model's header, plans its export, locks its folder and begins its files.
fn plan(
    model: &ModelFiles,
    options: &dyn Fn(&Gguf) -> anyhow::Result<ExportOptions>,
    out: &Path,
) -> anyhow::Result<Planned> {
    let gguf = model.gguf()?;
    let export = Export::new(&gguf, &model.sources(), &options(&gguf)?).map_err(|error| match error {
        // What was asked is wrong, not the model.
        ExportError::Build(BuildError::Option { .. }) => error.into(),
        error => anyhow::Error::from(error).context(model.name()),
    })?;
    fs::create_dir_all(out).map_err(WriteError::at(out))?;
    let claim = claim(out, export.files().iter().map(|file| file.name))?;
    check_room(out, export.files().iter().map(|file| file.size_bytes).sum())?;
    Ok(Planned { making: Making::new(export, out)?, _claim: claim })
}

/// What an export's files would hold, in 16 characters: equal ones promise equal files; and what a run of it takes of
/// memory. `source_blake3` is the model's hash.
pub(crate) fn content_key(
    model: &Model,
    options: &ExportOptions,
    source_blake3: &str,
) -> anyhow::Result<(String, MemoryEntry)> {
    let export = Export::new(&model.gguf, &model.files.sources(), options)?;
    let mut hasher = blake3::Hasher::new();
    for index in 0..export.files().len() {
        hasher.update(export.key(source_blake3, index).as_bytes());
    }
    Ok((hasher.finalize().to_hex().chars().take(16).collect(), export.memory()))
}

/// Refuses to begin what the disk has no room for.
fn check_room(out: &Path, need: u64) -> anyhow::Result<()> {
    let stat = rustix::fs::statvfs(out).with_context(|| out.display().to_string())?;
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    if need <= free { Ok(()) } else { Err(NoRoom { out: out.to_owned(), need, free }.into()) }
}

/// The disk has less room than an export takes.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}. Free some space, or choose another --out", out.display(), self.in_words())]
pub(crate) struct NoRoom {
    out: PathBuf,
    /// Bytes.
    need: u64,
    free: u64,
}

impl NoRoom {
    /// How much is needed, and how much there is.
    pub(crate) fn in_words(&self) -> String {
        let (need, free) = (self.need.div_ceil(1_000_000), self.free / 1_000_000);
        format!("the export needs {need} MB and this disk has {free} MB free")
    }
}
