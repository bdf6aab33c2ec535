//! A GGUF that isn't whole, such as a download that broke off: what is there, and what is missing.

use super::{Report, gguf};
use gguf_file::{CutTensor, FileSource, Partial};
use serde_json::json;
use std::{fmt::Write, path::Path};

/// Shows what can be read of a file that `problem` says isn't a model; that is the outcome all the same.
pub(super) fn inspect(path: &Path, problem: anyhow::Error) -> anyhow::Result<Report> {
    let Ok(source) = FileSource::open(path) else { return Err(problem) };
    let Ok(partial) = Partial::read(&source) else { return Err(problem) };
    let missing_bytes = partial
        .cut()
        .iter()
        .fold(0, |sum: u64, tensor| sum.saturating_add(tensor.size_bytes.saturating_sub(tensor.there_bytes)));
    let (pairs, whole) = (partial.metadata().len(), partial.tensors().len());
    let is_whole = (pairs as u64, whole as u64) == (partial.metadata_count(), partial.tensor_count());
    let mut text = String::from(match is_whole {
        // The fault is in another part, or in what the file says of itself.
        true => "This can't be opened as a model. What the file holds:\n",
        false => "This is no whole GGUF. What there is of it:\n",
    });
    writeln!(text, "metadata      {pairs} of {} entries", partial.metadata_count())?;
    writeln!(text, "tensors       {whole} of {}", partial.tensor_count())?;
    if missing_bytes > 0 {
        writeln!(text, "missing       at least {missing_bytes} bytes")?;
    }
    let metadata = gguf::metadata(&mut text, partial.metadata())?;
    let tensors = gguf::tensors(&mut text, partial.tensors())?;
    if !partial.cut().is_empty() {
        writeln!(text, "\nTensors that are not there as a whole")?;
    }
    let mut missing = Vec::new();
    for CutTensor { name, dims, format, size_bytes, there_bytes } in partial.cut() {
        writeln!(text, "  {format:<8} {there_bytes:>12} of {size_bytes} bytes  {name} {dims:?}")?;
        missing.push(json!({
            "name": name, "type": format.name(), "dims": dims, "size_bytes": size_bytes, "there_bytes": there_bytes,
        }));
    }
    let json = json!({
        "format": "gguf", "version": partial.version(), "error": format!("{problem:#}"),
        "metadata_count": partial.metadata_count(), "tensor_count": partial.tensor_count(),
        "metadata": metadata, "tensors": tensors, "missing_tensors": missing, "missing_bytes": missing_bytes,
    });
    Ok(Report { problem: Some(problem), ..Report::of(text, json) })
}
