//! Parameter archives: the entries.

use super::Report;
use gguf_file::{FileSource, ReadAt};
use serde_json::{Map, Value, json};
use std::{fmt::Write, path::Path};
use studio_core::params::{dump, index::Storage};

pub(super) fn inspect(path: &Path) -> anyhow::Result<Report> {
    let source = FileSource::open(path)?;
    let name = path.to_string_lossy();
    let entries = dump::read(&name, &source)?;
    let bytes: u64 = entries.iter().map(|entry| entry.size_bytes).sum();
    let mut text = format!("{} parameters, {bytes} bytes, in a file of {}\n\n", entries.len(), source.len());
    let mut list = Vec::new();
    for entry in &entries {
        let mut object = Map::new();
        object.insert("name".to_owned(), json!(entry.name));
        object.insert("size_bytes".to_owned(), json!(entry.size_bytes));
        match &entry.storage {
            Storage::File { offset } => {
                writeln!(text, "{:>14} bytes at {offset:>14}  {}", entry.size_bytes, entry.name)?;
                object.insert("offset".to_owned(), json!(offset));
            }
            Storage::Splat { pattern } => {
                let hex: String = pattern.iter().map(|byte| format!("{byte:02x}")).collect();
                writeln!(text, "{:>14} bytes of {hex:>14}  {}", entry.size_bytes, entry.name)?;
                object.insert("splat".to_owned(), json!(hex));
            }
        }
        list.push(Value::Object(object));
    }
    let format = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let json = json!({"format": format, "size_bytes": source.len(), "parameters": list});
    Ok(Report::of(text, json))
}
