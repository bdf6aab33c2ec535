//! The whole export of the real model, against what the GGUF says and what IREE's tools read.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod stock;

use gguf_file::{FileSource, Gguf, ReadAt};
use std::fs;
use stock::{cached, iree_tool};
use studio_core::export::{Export, FileStream};
use studio_core::manifest::FileEntry;
use studio_core::options::ExportOptions;
use studio_core::params::{Budget, dump};

fn all(mut stream: FileStream<'_>, sources: &[&dyn ReadAt]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(piece) = stream.next(sources).unwrap() {
        bytes.extend_from_slice(piece);
    }
    bytes
}

#[test]
fn the_real_model_is_exported_as_planned() {
    let Some(model) = cached("models/SmolLM2-135M-Instruct.Q4_1.gguf") else { return };
    let source = FileSource::open(&model).unwrap();
    let sources: [&dyn ReadAt; 1] = [&source];
    let gguf = Gguf::open(&source).unwrap();
    let options = ExportOptions { safetensors: true, ..ExportOptions::default() };
    let export = Export::new(&gguf, &sources, &options).unwrap();
    let names: Vec<&str> = export.files().iter().map(|file| file.name).collect();
    assert_eq!(names, ["model.mlir", "model.irpa", "model.safetensors", "tokenizer.gguf"]);

    let folder = tempfile::tempdir().unwrap();
    let mut entries = Vec::new();
    for (index, file) in export.files().iter().enumerate() {
        let bytes = all(export.stream(index), &sources);
        assert_eq!(bytes.len() as u64, file.size_bytes, "{}", file.name);
        let blake3 = blake3::hash(&bytes).to_string();
        entries.push(FileEntry { name: file.name.to_owned(), size_bytes: file.size_bytes, blake3 });
        fs::write(folder.path().join(file.name), bytes).unwrap();
    }

    // Little memory gives the same bytes, and so does a stream that is taken up in the middle.
    let archive = fs::read(folder.path().join("model.irpa")).unwrap();
    let little = Budget { raw_bytes: 200_000, panel_bytes: 1 << 18, panel_limit_bytes: 1 << 22 };
    assert!(all(export.stream_within(1, little), &sources) == archive);
    let mut resumed = export.stream(1);
    resumed.seek(200_000_000..u64::MAX);
    assert!(all(resumed, &sources) == archive[200_000_000..]);

    for name in ["model.irpa", "model.safetensors"] {
        let path = folder.path().join(name);
        if let Some(expected) =
            iree_tool("iree-dump-parameters", &[format!("--parameters={}", path.display())])
        {
            assert_eq!(dump::text(name, &fs::read(&path).unwrap()).unwrap(), expected);
        }
    }
    let tokenizer = Gguf::open(&fs::read(folder.path().join("tokenizer.gguf")).unwrap()).unwrap();
    assert!(tokenizer.tensors().is_empty());
    assert_eq!(tokenizer.metadata(), gguf.metadata());

    let source = FileEntry { name: "smol.gguf".to_owned(), size_bytes: source.len(), blake3: "0".repeat(64) };
    let manifest = export.manifest(source, entries);
    assert_eq!(manifest.model.parameter_count, 134_515_008);
    assert_eq!((manifest.model.vocabulary_size, manifest.model.context_length), (49_152, 8_192));
    assert!(manifest.stop_ids.contains(&2), "<|im_end|> is 2: {:?}", manifest.stop_ids);
    let functions: Vec<&str> = manifest.functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(functions, ["main", "prefill", "decode"]);
    let page = export.reference(&manifest);
    for param in export.plan().params() {
        assert!(page.contains(&format!("| `{}` |", param.name)), "{}", param.name);
    }
}

#[test]
fn keys_are_equal_where_bytes_are() {
    let Some(model) = cached("models/SmolLM2-135M-Instruct.Q4_1.gguf") else { return };
    let source = FileSource::open(&model).unwrap();
    let gguf = Gguf::open(&source).unwrap();
    let keys = |options: &ExportOptions, hash: &str| -> Vec<String> {
        let export = Export::new(&gguf, &[&source], options).unwrap();
        (0..export.files().len()).map(|index| export.key(hash, index)).collect()
    };
    let base = keys(&ExportOptions::default(), "a");
    for key in &base {
        assert!(
            key.len() <= 128
                && key.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'.' | b'_' | b'-'))
        );
    }
    assert_eq!(base, keys(&ExportOptions::default(), "a"));
    let renamed = keys(&ExportOptions { function_name: "other".to_owned(), ..ExportOptions::default() }, "a");
    assert_ne!(base[0], renamed[0]);
    assert_eq!(base[1..], renamed[1..]);
    let weights = ExportOptions { weights: studio_core::options::Weights::F16, ..ExportOptions::default() };
    assert_ne!(base[1], keys(&weights, "a")[1]);
    assert_ne!(base[1], keys(&ExportOptions::default(), "b")[1]);
}
