//! What a bundle's code asks of a processor, and whether this one has it: nothing else stops code for another processor
//! before it crashes.

use crate::{BundleFiles, machine};
use std::{collections::BTreeSet, path::Path};
use studio_core::options::Kernels;
use studio_protocol::{ErrorCode, WireError};

/// Refuses a bundle's module that this processor can't run.
pub(crate) fn check(bundle: &BundleFiles, module: &Path) -> Result<(), WireError> {
    check_with(bundle, module, &machine::cpu_features())
}

fn check_with(bundle: &BundleFiles, module: &Path, has: &[&str]) -> Result<(), WireError> {
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
        fs::write(&path, "vmfb").unwrap();
        let mut manifest = json!({
            "manifest_version": 1, "contract_version": 1, "exporter": "test",
            "source": {"name": "a.gguf", "size_bytes": 1, "blake3": ""},
            "model": {"architecture": "llama", "parameter_count": 1, "context_length": 8, "vocabulary_size": 4},
            "options": {
                "form": "stablehlo", "weights": "bf16", "graphs": ["kv"], "seq": 8, "context": 8, "chunk": 4,
                "function_name": "main", "safetensors": false
            },
            "functions": [], "parameter_scope": "model",
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
        let files = BTreeMap::from([("host.vmfb".to_owned(), path.clone())]);
        let bundle = BundleFiles::new(serde_json::from_value(manifest).unwrap(), files).unwrap();
        let error = check_with(&bundle, &path, has).err()?;
        assert_eq!(error.code, ErrorCode::Runtime);
        Some(error.to_string().replace(&format!("{}/", dir.path().display()), ""))
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
