//! An export into a folder: its files are made under other names, then named.
//!
//! One thread reads the header and plans while the others begin to hash the model; then all of them make parts of the
//! files, and hash what is left of the model.

use super::{
    Model, ModelFiles, WriteError,
    claim::claim,
    hash::{Hashing, threads},
    make::Making,
    write_whole,
};
use anyhow::Context;
use std::{
    fs,
    path::Path,
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
    /// What a run of the bundle will take of memory, before anything is made.
    fn planned(&mut self, memory: MemoryEntry);
    /// So many bytes of so many are made; `file` is being made.
    fn made(&mut self, file: &str, bytes: u64, of: u64);
}

/// Exports a model into a folder, which is made where it doesn't exist. The folder's `manifest.json` appears
/// last, so that it never names files that aren't there. Gives the manifest and, where it is so, why the model's
/// tokenizer can't be used here.
pub(crate) fn export(
    model: &ModelFiles,
    options: &ExportOptions,
    out: &Path,
    progress: &mut dyn Progress,
) -> anyhow::Result<(Manifest, Option<String>)> {
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
                progress.planned(making.memory());
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
    Ok((manifest, export.tokenizer_problem().map(str::to_owned)))
}

/// An export that may be made.
struct Planned {
    making: Making,
    /// The folder is this export's alone.
    _claim: fs::File,
}

/// Reads the model's header, plans its export, locks its folder and begins its files.
fn plan(model: &ModelFiles, options: &ExportOptions, out: &Path) -> anyhow::Result<Planned> {
    let gguf = model.gguf()?;
    let export = Export::new(&gguf, &model.sources(), options).map_err(|error| match error {
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
    anyhow::ensure!(
        need <= free,
        "{}: the export needs {} MB and this disk has {} MB free. Free some space, or choose another --out",
        out.display(),
        need.div_ceil(1_000_000),
        free / 1_000_000
    );
    Ok(())
}
