//! An export in the worker: hash the source, make and send each file, then the manifest that names them.

use super::kernels::Shelf;
use super::meter::Meter;
use super::upload::{Control, Parcel, Pieces, Uploader};
use super::{Model, hashing};
use crate::browser;
use crate::hub::resume::content_key;
use crate::messages::{BundleFile, ExportEnd, ExportPlan, ExportedBundle, PlannedFile, Problem};
use crate::report;
use crate::state::format::sentence;
use futures_util::future;
use gguf_file::ReadAt;
use std::rc::Rc;
use studio_core::export::{Export, FileStream};
use studio_core::manifest::{FileEntry, file_name};
use studio_core::options::ExportOptions;
use studio_protocol::{Artifact, Hash};

/// What an export would be.
pub(crate) async fn plan(
    model: &Model,
    options: &ExportOptions,
    kernels: &Shelf,
) -> Result<ExportPlan, Problem> {
    let planned = open(model, options, kernels).await?;
    let row = |file: &studio_core::export::PlannedFile| PlannedFile {
        name: file.name.to_owned(),
        size_bytes: file.size_bytes,
    };
    Ok(ExportPlan {
        files: planned.files().iter().map(row).collect(),
        memory: planned.memory(),
        warnings: planned.warnings().iter().map(|words| sentence(words)).collect(),
    })
}

/// The planned export: as it was planned when its options were chosen, where these are the last.
async fn open(model: &Model, options: &ExportOptions, kernels: &Shelf) -> Result<Rc<Export>, Problem> {
    let kernels = kernels.get(options.kernels()).await?;
    if let Some((_, export)) = model.planned.borrow().as_ref().filter(|(of, _)| of == options) {
        return Ok(Rc::clone(export));
    }
    let graph = model.graph(options)?;
    let export = Export::of_graph(&graph, &model.gguf, options, &kernels.objects())
        .map_err(|error| report::export_problem(&error))?;
    let export = Rc::new(export);
    *model.planned.borrow_mut() = Some((options.clone(), Rc::clone(&export)));
    Ok(export)
}

/// Exports a model to the hub.
pub(crate) async fn run(
    model: Rc<Model>,
    options: ExportOptions,
    kernels: &Shelf,
    control: Control,
) -> Result<ExportedBundle, ExportEnd> {
    let began_ms = browser::now_ms();
    let export = open(&model, &options, kernels).await?;
    let source_bytes = model.files.iter().map(|file| file.size_bytes).sum();
    let total_bytes = export.files().iter().map(|file| file.size_bytes).sum();
    let meter = Meter::new(source_bytes, total_bytes);
    let mut uploader = Uploader::new(control.clone());
    // The hash of the source names only what is made of its weights: the rest is sent meanwhile.
    let (of_weights, made): (Vec<_>, Vec<_>) =
        (0..export.files().len()).partition(|index| export.is_of_weights(*index));
    let mut sender = Sender { model: &model, export: &export, uploader: &mut uploader, meter: &meter };
    let (source, made) =
        future::try_join(hashing::finish(&model, &control, &meter), sender.send(&made, "")).await?;
    let of_weights = sender.send(&of_weights, &source.blake3).await?;
    let mut files: Vec<(usize, BundleFile)> = made.into_iter().chain(of_weights).collect();
    files.sort_by_key(|(index, _)| *index);
    let mut files: Vec<BundleFile> = files.into_iter().map(|(_, file)| file).collect();
    let entries = files.iter().map(|file| entry(&file.name, &file.artifact)).collect();
    let mut manifest = export.manifest(source, entries);
    let reference =
        send_text(&mut uploader, &meter, file_name::REFERENCE, export.reference(&manifest)).await?;
    // The hub knows a bundle's files from its manifest alone.
    manifest.files.push(entry(&reference.name, &reference.artifact));
    let text = serde_json::to_string_pretty(&manifest).unwrap_or_default();
    let manifest = send_text(&mut uploader, &meter, file_name::MANIFEST, text).await?;
    let hash = manifest.artifact.blake3;
    files.extend([reference, manifest]);
    Ok(ExportedBundle { hash, files, elapsed_ms: browser::now_ms() - began_ms })
}

fn entry(name: &str, artifact: &Artifact) -> FileEntry {
    FileEntry { name: name.to_owned(), size_bytes: artifact.size_bytes, blake3: artifact.blake3.to_string() }
}

/// Sends planned files.
struct Sender<'a> {
    model: &'a Model,
    export: &'a Export,
    uploader: &'a mut Uploader,
    meter: &'a Meter,
}

impl Sender<'_> {
    /// Sends the files `indices` one after another; gives each with its index.
    async fn send(
        &mut self,
        indices: &[usize],
        source_blake3: &str,
    ) -> Result<Vec<(usize, BundleFile)>, ExportEnd> {
        let (export, mut files) = (self.export, Vec::new());
        for &index in indices {
            let file = &export.files()[index];
            let mut pieces =
                Made { export, index, sources: self.model.sources(), stream: export.stream(index) };
            let parcel = Parcel {
                name: file.name,
                key: export.key(source_blake3, index),
                size_bytes: file.size_bytes,
                blake3: None,
                pieces: &mut pieces,
            };
            let artifact = self.uploader.send(parcel, self.meter).await?;
            self.meter.file_done(file.size_bytes);
            files.push((index, BundleFile { name: file.name.to_owned(), artifact }));
        }
        Ok(files)
    }
}

/// A planned file's bytes.
struct Made<'a> {
    export: &'a Export,
    index: usize,
    sources: Vec<&'a dyn ReadAt>,
    stream: FileStream<'a>,
}

impl Pieces for Made<'_> {
    fn restart(&mut self) {
        self.stream = self.export.stream(self.index);
    }

    fn next(&mut self) -> Result<Option<&[u8]>, Problem> {
        self.stream.next(&self.sources).map_err(|error| report::export_problem(&error))
    }
}

/// A small file that is there already.
struct Text {
    bytes: Vec<u8>,
    at: usize,
}

impl Pieces for Text {
    fn restart(&mut self) {
        self.at = 0;
    }

    fn next(&mut self) -> Result<Option<&[u8]>, Problem> {
        let start = self.at;
        self.at = self.bytes.len().min(start + (1 << 20));
        Ok(Some(&self.bytes[start..self.at]).filter(|piece| !piece.is_empty()))
    }
}

async fn send_text(
    uploader: &mut Uploader,
    meter: &Meter,
    name: &str,
    text: String,
) -> Result<BundleFile, ExportEnd> {
    let key = content_key(&Hash::from_bytes(*blake3::hash(text.as_bytes()).as_bytes()));
    let mut pieces = Text { bytes: text.into_bytes(), at: 0 };
    let parcel =
        Parcel { name, key, size_bytes: pieces.bytes.len() as u64, blake3: None, pieces: &mut pieces };
    let artifact = uploader.send(parcel, meter).await?;
    Ok(BundleFile { name: name.to_owned(), artifact })
}
