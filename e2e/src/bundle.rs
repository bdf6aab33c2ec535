//! Bundles of small models, exported and compiled without the binary: many in little time.

use gguf_file::{FileSource, Gguf, ReadAt};
use runner_agent::{BundleFiles, targets};
use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};
use studio_core::export::Export;
use studio_core::manifest::{FileEntry, file_name};
use studio_core::options::ExportOptions;

/// Exports a model into a folder, or says why it can't be. Hashes are left empty: nobody asks for them here.
pub fn export(model: &Path, options: &ExportOptions, folder: &Path) -> Result<BundleFiles, String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let source = FileSource::open(model).map_err(|error| words(&error))?;
    let gguf = Gguf::open(&source).map_err(|error| words(&error))?;
    let sources: [&dyn ReadAt; 1] = [&source];
    let export = Export::new(&gguf, &sources, options).map_err(|error| words(&error))?;
    fs::create_dir_all(folder).expect("making the bundle's folder");
    let (mut entries, mut paths) = (Vec::new(), BTreeMap::new());
    for (index, file) in export.files().iter().enumerate() {
        let path = folder.join(file.name);
        let mut out = fs::File::create(&path).expect("creating a file of the bundle");
        let mut stream = export.stream(index);
        while let Some(piece) = stream.next(&sources).map_err(|error| words(&error))? {
            out.write_all(piece).expect("writing a file of the bundle");
        }
        entries.push(entry(file.name, file.size_bytes));
        paths.insert(file.name.to_owned(), path);
    }
    let manifest = export.manifest(entry("model.gguf", 0), entries);
    Ok(BundleFiles::new(manifest, paths).expect("what was exported is a bundle"))
}

fn entry(name: &str, size_bytes: u64) -> FileEntry {
    FileEntry { name: name.to_owned(), size_bytes, blake3: String::new() }
}

/// Compiles a bundle for this machine, with the flags that the product gives the compiler.
pub fn compile(bundle: &BundleFiles, folder: &Path) -> PathBuf {
    let module = folder.join("host.vmfb");
    let target = targets::find("host").expect("there is a target for this machine");
    let output = Command::new(super::cache().join("iree-3.13.0/iree/compiler/_mlir_libs/iree-compile"))
        .arg(bundle.path(file_name::MLIR).expect("a bundle has a text"))
        .args(target.flags(bundle.manifest().options.form))
        .arg("-o")
        .arg(&module)
        .output()
        .expect("starting the compiler");
    assert!(output.status.success(), "iree-compile: {}", String::from_utf8_lossy(&output.stderr));
    module
}
