//! Compiled modules: their metadata as `iree-dump-module` prints it, and what their executables hold.

use super::Report;
use crate::model::read_origins;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::{fmt::Write, path::Path};
use studio_protocol::{Origins, origins};
use vmfb_file::{Executable, Export, MAX_BYTES, Signature, Vmfb};

/// What the compiler keeps a function's declaration under.
const DECLARATION: &str = "iree.abi.declaration";

/// Parts of the graph that are named beside a dispatch.
const PARTS: usize = 2;

pub(super) fn inspect(path: &Path) -> anyhow::Result<Report> {
    let size_bytes = std::fs::metadata(path)?.len();
    anyhow::ensure!(size_bytes <= MAX_BYTES, "{size_bytes} bytes, where at most {MAX_BYTES} are read");
    let bytes = std::fs::read(path)?;
    let vmfb = Vmfb::read(&bytes)?;
    let origins = read_origins(path, &blake3::hash(&bytes).to_string());
    let mut json = serde_json::to_value(&vmfb)?;
    json["format"] = json!("vmfb");
    json["size_bytes"] = json!(size_bytes);
    json["functions"] = vmfb.module.exports.iter().flatten().map(|export| function(&vmfb, export)).collect();
    let mut text = vmfb.metadata().to_string();
    if let Some(origins) = &origins {
        json["origins"] = serde_json::to_value(origins)?;
    }
    executables(&mut text, &vmfb, origins.as_ref())?;
    Ok(Report::of(text, json))
}

/// A function that the module exports.
fn function(vmfb: &Vmfb, export: &Export) -> Value {
    let signature: Option<&Signature> = vmfb.module.signatures.get(export.function);
    let attributes = signature.and_then(|signature| signature.attributes.as_ref());
    let declaration = attributes.into_iter().flatten().find(|attribute| attribute.key == DECLARATION);
    json!({
        "name": export.name,
        "declaration": declaration.map(|attribute| &attribute.value),
        "calling_convention": signature.and_then(|signature| signature.calling_convention.as_ref()),
    })
}

/// A section in the manner of those before it.
fn executables(text: &mut String, vmfb: &Vmfb, origins: Option<&Origins>) -> std::fmt::Result {
    let line = "-".repeat(110);
    writeln!(text, "//==={line}===//\n// Executables\n//==={line}===//\n")?;
    let mut calls: HashMap<&str, usize> = HashMap::new();
    for site in &vmfb.sites {
        *calls.entry(&site.dispatch).or_default() += 1;
    }
    for (index, executable) in vmfb.executables.iter().enumerate() {
        let Executable { name, format, bytes, functions, segment, .. } = executable;
        writeln!(text, "Executable[{index:3}] {name}: {format}, {bytes} bytes, .rodata[{segment:3}]")?;
        if !functions.is_empty() {
            writeln!(text, "  # |     Code | Bindings | Constants | Local memory | Calls | Dispatch")?;
            writeln!(
                text,
                "----+----------+----------+-----------+--------------+-------+-{}",
                "-".repeat(52)
            )?;
        }
        for (index, function) in functions.iter().enumerate() {
            let code = function.code_bytes.map_or_else(String::new, |bytes| bytes.to_string());
            let calls = calls.get(function.name.as_str()).copied().unwrap_or(0);
            write!(
                text,
                "{index:3} | {code:>8} | {:8} | {:9} | {:12} | {calls:5} | {}",
                function.bindings, function.constants, function.local_memory_bytes, function.name
            )?;
            let scopes = origins.map(|origins| origins.scopes_of(&function.name)).unwrap_or_default();
            let parts = origins::summary(scopes, PARTS);
            writeln!(text, "{}{}", if parts.is_empty() { "" } else { " ← " }, parts.join("; "))?;
        }
        writeln!(text)?;
    }
    Ok(())
}
