//! A bundle's folder: what its manifest says, and whether the files are there.

use super::super::options::words;
use super::Report;
use runner_agent::read_manifest;
use serde_json::json;
use std::{fmt::Write, path::Path};
use studio_core::manifest::{FileEntry, FunctionEntry, Manifest, TensorEntry};

pub(super) fn inspect(dir: &Path) -> anyhow::Result<Report> {
    let manifest = read_manifest(dir)?;
    let mut text = String::new();
    for (label, value) in rows(&manifest) {
        writeln!(text, "{label:<13} {value}")?;
    }
    writeln!(text, "\nFunctions")?;
    for function in &manifest.functions {
        writeln!(text, "  {}", signature(function))?;
    }
    writeln!(text, "\nFiles")?;
    let mut problems = Vec::new();
    let modules = manifest.modules.iter().map(|module| &module.file);
    for file in manifest.files.iter().chain(modules) {
        let problem = problem(dir, file);
        writeln!(
            text,
            "  {:>14} bytes  {}{}",
            file.size_bytes,
            file.name,
            match &problem {
                Some(problem) => format!("  ({problem})"),
                None => String::new(),
            }
        )?;
        problems.extend(problem.map(|problem| json!({"file": file.name, "problem": problem})));
    }
    if manifest.modules.is_empty() {
        writeln!(text, "\nNo module yet: studio compile {} --target host", dir.display())?;
    }
    let json = json!({"format": "bundle", "manifest": manifest, "problems": problems});
    Ok(Report::of(text, json))
}

/// What people look for first.
fn rows(manifest: &Manifest) -> Vec<(&'static str, String)> {
    let model = &manifest.model;
    let name = model.name.as_ref().map(|name| format!("{name}, ")).unwrap_or_default();
    let FileEntry { name: source, size_bytes, blake3 } = &manifest.source;
    let mut rows = vec![
        ("model", format!("{name}{}, {} parameters", model.architecture, model.parameter_count)),
        ("exported from", format!("{source}, {size_bytes} bytes, BLAKE3 {blake3}")),
        ("by", manifest.exporter.clone()),
        ("as", words(&manifest.options)),
    ];
    if let Some(memory) = manifest.memory {
        let total = memory.total_bytes().div_ceil(1_000_000);
        rows.push(("memory", format!("a run takes {total} MB: {}", memory.parts())));
    }
    if let Some(kernels) = &manifest.kernels {
        let needs = match kernels.cpu_features.as_slice() {
            [] => "run on every processor".to_owned(),
            features => format!("need a processor with {}", features.join(", ")),
        };
        rows.push(("kernels", format!("{} {needs}", kernels.set.name())));
        if !kernels.converted.is_empty() {
            rows.push(("converted", format!("{} tensors, see REFERENCE.md", kernels.converted.len())));
        }
    }
    let tokenizer = &manifest.tokenizer;
    let pre = tokenizer.pre.as_ref().map(|pre| format!(", {pre}")).unwrap_or_default();
    let template = if manifest.chat_template.is_some() { "with" } else { "without" };
    rows.push(("tokenizer", format!("{}{pre}, {template} a chat template", tokenizer.model)));
    for module in &manifest.modules {
        rows.push((
            "module",
            format!("{} for {}, by iree-compile {}", module.file.name, module.target, module.compiler),
        ));
    }
    for found in &manifest.verifications {
        let verdict = if found.passed { "passed" } else { "failed" };
        rows.push((
            "verified",
            format!("{} against {} by {}: {verdict}", found.module, found.against, found.engine),
        ));
    }
    rows
}

fn signature(function: &FunctionEntry) -> String {
    let list = |entries: &[TensorEntry]| {
        let entry = |entry: &TensorEntry| format!("{}: {}", entry.name, entry.mlir_type);
        entries.iter().map(entry).collect::<Vec<_>>().join(", ")
    };
    format!("{}({}) -> {}", function.name, list(&function.arguments), list(&function.results))
}

/// What is wrong with a file of the folder, as far as its length tells.
fn problem(dir: &Path, file: &FileEntry) -> Option<String> {
    match std::fs::metadata(dir.join(&file.name)) {
        Ok(there) if there.len() == file.size_bytes => None,
        Ok(there) => Some(format!("it has {} bytes", there.len())),
        Err(error) => Some(format!("can't be read: {error}")),
    }
}
