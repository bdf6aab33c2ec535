//! Compiled modules: the exported functions.

use super::Report;
use serde_json::json;
use std::{fmt::Write, path::Path};

pub(super) fn inspect(path: &Path) -> anyhow::Result<Report> {
    let size_bytes = std::fs::metadata(path)?.len();
    let functions = runner_agent::module_functions(path)?;
    let mut text = format!("IREE module, {size_bytes} bytes, {} exports\n\n", functions.len());
    for function in &functions {
        match &function.declaration {
            Some(declaration) => writeln!(text, "{declaration}")?,
            None => writeln!(text, "{} (calling convention {})", function.name, function.calling_convention)?,
        }
    }
    Ok(Report { text, json: json!({"format": "vmfb", "size_bytes": size_bytes, "functions": functions}) })
}
