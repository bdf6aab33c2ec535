//! What tests on real models share.

#![allow(dead_code, clippy::unwrap_used, reason = "each test program uses a part of it")]

use gguf_file::{FileSource, Gguf};
use runner_agent::{BundleFiles, CompileJob, Tools, compile};
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};
use studio_core::{
    export::Export,
    manifest::{FileEntry, file_name},
    options::ExportOptions,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The real model, as `./dev test` fetches it.
pub(crate) const MODEL: &str = "models/SmolLM2-135M-Instruct.Q4_1.gguf";

/// Where fetched things lie.
pub(crate) fn cache_dir() -> PathBuf {
    let var = |name| std::env::var_os(name).map(PathBuf::from);
    var("STUDIO_CACHE").unwrap_or_else(|| {
        var("XDG_CACHE_HOME")
            .unwrap_or_else(|| var("HOME").expect("HOME is set").join(".cache"))
            .join("lowering-studio")
    })
}

pub(crate) async fn tools() -> Tools {
    let tools = Tools::discover(&cache_dir()).await;
    if let Err(error) = tools.compiler() {
        panic!("these tests need the compiler, which `./dev test` installs: {error}");
    }
    tools
}

/// Exports a GGUF to a folder.
pub(crate) fn export(gguf_path: &Path, options: &ExportOptions, dir: &Path) -> BundleFiles {
    let source = FileSource::open(gguf_path).unwrap_or_else(|error| {
        panic!("{}: {error} (`./dev test` fetches it)", gguf_path.display());
    });
    let gguf = Gguf::open(&source).unwrap();
    let export = Export::new(&gguf, &[&source], options).unwrap();
    let mut entries = Vec::new();
    for (index, planned) in export.files().iter().enumerate() {
        let mut file = File::create(dir.join(planned.name)).unwrap();
        let mut hasher = blake3::Hasher::new();
        let mut stream = export.stream(index);
        while let Some(piece) = stream.next(&[&source]).unwrap() {
            hasher.update(piece);
            file.write_all(piece).unwrap();
        }
        entries.push(FileEntry {
            name: planned.name.to_owned(),
            size_bytes: hasher.count(),
            blake3: hasher.finalize().to_hex().to_string(),
        });
    }
    let made_from = FileEntry { name: "model.gguf".to_owned(), size_bytes: 0, blake3: "0".repeat(64) };
    let manifest = export.manifest(made_from, entries);
    fs::write(dir.join(file_name::MANIFEST), serde_json::to_vec(&manifest).unwrap()).unwrap();
    BundleFiles::open(dir).unwrap()
}

/// Compiles a bundle for this machine. Modules are kept between test runs.
pub(crate) async fn compile_for_host(bundle: &BundleFiles, output: &Path) {
    let job = CompileJob {
        mlir: bundle.path(file_name::MLIR).unwrap().to_owned(),
        form: bundle.manifest().options.form,
        target: "host".to_owned(),
        flags: Vec::new(),
        output: output.to_owned(),
        cache: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("modules")),
        time_limit: Duration::from_secs(900),
        memory_limit_bytes: 8 << 30,
    };
    let (events, mut seen) = mpsc::channel(100);
    let draining = async { while seen.recv().await.is_some() {} };
    let (tools, cancel) = (tools().await, CancellationToken::new());
    let compiling = async {
        let compiled = compile(&job, &tools, &events, &cancel).await;
        drop(events);
        compiled
    };
    let (compiled, ()) = tokio::join!(compiling, draining);
    compiled.unwrap();
}

/// A bundle of one file, as docs/contracts.md describes its manifest. `hello` hashes to what `b3sum` says.
pub(crate) fn manifest() -> serde_json::Value {
    serde_json::json!({
        "manifest_version": 1, "contract_version": 1, "exporter": "test",
        "source": {"name": "a.gguf", "size_bytes": 1, "blake3": ""},
        "model": {"architecture": "llama", "parameter_count": 1, "context_length": 8, "vocabulary_size": 4},
        "options": {
            "form": "stablehlo", "weights": "bf16", "graphs": ["redecode"], "seq": 8, "context": 8, "chunk": 4,
            "function_name": "main", "safetensors": false
        },
        "functions": [], "parameter_scope": "model",
        "tokenizer": {"file": "tokenizer.gguf", "model": "gpt2"},
        "stop_ids": [],
        "files": [{
            "name": "model.mlir", "size_bytes": 5,
            "blake3": "ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f"
        }]
    })
}
