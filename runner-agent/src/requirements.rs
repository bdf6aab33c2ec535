//! What a bundle asks of a machine, and whether this one has it: nothing else stops code for another processor before it
//! crashes, or a model larger than memory before the system ends somebody's process.

use crate::{BundleFiles, machine};
use std::{collections::BTreeSet, path::Path};
use studio_core::options::Kernels;
use studio_protocol::{ErrorCode, WireError};

/// Refuses a bundle's module that this machine can't run.
pub(crate) fn check(bundle: &BundleFiles, module: &Path) -> Result<(), WireError> {
    check_memory(bundle, machine::memory_bytes())?;
    check_processor(bundle, module, &machine::cpu_features())
}

fn check_memory(bundle: &BundleFiles, memory_bytes: u64) -> Result<(), WireError> {
    match bundle.manifest().memory.and_then(|needs| needs.shortage(memory_bytes)) {
        Some([problem, hint]) => Err(WireError::new(ErrorCode::OutOfMemory, problem).hint(hint)),
        None => Ok(()),
    }
}

fn check_processor(bundle: &BundleFiles, module: &Path, has: &[&str]) -> Result<(), WireError> {
    let manifest = bundle.manifest();
    let missing = |needed: &[String]| -> BTreeSet<String> {
        needed.iter().filter(|feature| !has.contains(&feature.as_str())).cloned().collect()
    };
    let refused = |what: String, missing: BTreeSet<String>| {
        let missing: Vec<String> = missing.into_iter().collect();
        let message = format!("this processor lacks {}, which {what} needs", missing.join(", "));
        WireError::new(ErrorCode::Runtime, message).at(module.display().to_string())
    };
    if let Some(kernels) = &manifest.kernels {
        let missing = missing(&kernels.cpu_features);
        if !missing.is_empty() {
            let best = Kernels::best(|feature| has.contains(&feature)).name();
            return Err(refused(format!("the code of {} kernels", kernels.set.name()), missing)
                .hint(format!("Export the model again with --kernels {best}")));
        }
    }
    let here =
        manifest.modules.iter().find(|entry| bundle.path(&entry.file.name).is_ok_and(|path| path == module));
    if let Some(entry) = here {
        let missing = missing(&entry.cpu_features);
        if !missing.is_empty() {
            return Err(refused(format!("the module for {}", entry.target), missing)
                .hint("Compile the bundle again for `host` on this machine"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::{collections::BTreeMap, fs};

    /// The error, if any, for a bundle with these `kernels` and a module for these features, on a processor.
    fn refusal(kernels: Option<Value>, module: &[&str], has: &[&str]) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("host.vmfb");
        let bundle = bundle(&path, kernels, module);
        let error = check_processor(&bundle, &path, has).err()?;
        assert_eq!(error.code, ErrorCode::Runtime);
        Some(error.to_string().replace(&format!("{}/", dir.path().display()), ""))
    }

    /// A bundle that takes 3 MB of memory.
    fn bundle(path: &Path, kernels: Option<Value>, module: &[&str]) -> BundleFiles {
        fs::write(path, "vmfb").unwrap();
        let mut manifest = json!({
            "manifest_version": 1, "contract_version": 1, "exporter": "test",
            "source": {"name": "a.gguf", "size_bytes": 1, "blake3": ""},
            "model": {"architecture": "llama", "parameter_count": 1, "context_length": 8, "vocabulary_size": 4},
            "options": {
                "form": "stablehlo", "weights": "bf16", "graphs": ["kv"], "seq": 8, "context": 8, "chunk": 4,
                "function_name": "main", "safetensors": false
            },
            "functions": [], "parameter_scope": "model",
            "memory": {"weights_bytes": 1_000_000, "cache_bytes": 1_500_000, "working_bytes": 500_000},
            "tokenizer": {"file": "tokenizer.gguf", "model": "gpt2"},
            "stop_ids": [], "files": [],
            "modules": [{
                "target": "host", "name": "host.vmfb", "size_bytes": 4, "blake3": "", "compiler": "3.13.0",
                "flags": [], "cpu_features": module
            }]
        });
        if let Some(kernels) = kernels {
            manifest["kernels"] = kernels;
        }
        let files = BTreeMap::from([("host.vmfb".to_owned(), path.to_owned())]);
        BundleFiles::new(serde_json::from_value(manifest).unwrap(), files).unwrap()
    }

    #[test]
    fn a_model_larger_than_memory_is_refused_with_the_numbers() {
        let dir = tempfile::tempdir().unwrap();
        let bundle = bundle(&dir.path().join("host.vmfb"), None, &[]);
        assert!(check_memory(&bundle, 3_000_000).is_ok());
        let error = check_memory(&bundle, 2_000_000).unwrap_err();
        assert_eq!(error.code, ErrorCode::OutOfMemory);
        let words = error.to_string();
        assert!(
            words.starts_with("a run takes at least 3 MB of memory") && words.contains("has 2 MB"),
            "{words}"
        );
    }

    fn kernels(features: &[&str]) -> Option<Value> {
        Some(json!({"set": "avx512vnni", "cpu_features": features, "activations": "i8"}))
    }

    #[test]
    fn what_the_processor_has_is_run() {
        assert_eq!(refusal(None, &[], &[]), None);
        assert_eq!(refusal(kernels(&["avx2", "fma"]), &["fma"], &["avx2", "f16c", "fma"]), None);
    }

    #[test]
    fn kernels_for_another_processor_are_refused_with_those_to_take() {
        let expected = "host.vmfb: this processor lacks avx512vnni, warp, which the code of avx512vnni kernels needs. Export the model again with --kernels avx2";
        assert_eq!(
            refusal(kernels(&["warp", "avx512vnni", "fma"]), &[], &["avx2", "f16c", "fma"]).unwrap(),
            expected
        );
        let on_arm = refusal(kernels(&["avx2"]), &[], &["neon"]).unwrap();
        assert!(on_arm.ends_with("Export the model again with --kernels portable"), "{on_arm}");
    }

    #[test]
    fn a_module_for_another_processor_is_refused() {
        let expected = "host.vmfb: this processor lacks gfni, which the module for host needs. Compile the bundle again for `host` on this machine";
        assert_eq!(refusal(kernels(&["fma"]), &["fma", "gfni"], &["fma"]).unwrap(), expected);
    }
}
