//! What the page shows of a model, told from its GGUF.

mod facts;
mod metadata;
mod problem;

use crate::messages::{FormatShare, ModelCard, ModelReport, Problem, SourceFile, TensorRow};
use gguf_file::{Gguf, ReadAt};

pub use problem::{export_problem, gguf_problem};

/// Opens the dropped files as one model.
pub fn open(sources: &[&dyn ReadAt], files: &[SourceFile]) -> Result<Gguf, Problem> {
    Gguf::open_split(sources).map_err(|error| gguf_problem(&error, files))
}

/// The name that a model's files go by: the first one's.
pub fn source_name(files: &[SourceFile]) -> &str {
    files.first().map_or("model.gguf", |file| file.name.as_str())
}

/// What a model goes by: `general.name`, or the first file's name.
pub fn title(gguf: &Gguf, files: &[SourceFile]) -> String {
    let name = gguf.metadata().get("general.name").and_then(|value| value.as_str());
    name.map_or_else(|| source_name(files), str::trim).to_owned()
}

/// All that the page shows of a model.
pub fn report(gguf: &Gguf, files: &[SourceFile]) -> ModelReport {
    ModelReport { card: card(gguf, files), tensors: tensors(gguf), metadata: metadata::rows(gguf.metadata()) }
}

fn tensors(gguf: &Gguf) -> Vec<TensorRow> {
    let row = |tensor: &gguf_file::TensorInfo| TensorRow {
        name: tensor.name().to_owned(),
        dims: tensor.dims().to_vec(),
        format: tensor.format().name().to_owned(),
        bytes: tensor.size_bytes(),
    };
    gguf.tensors().iter().map(row).collect()
}

fn card(gguf: &Gguf, files: &[SourceFile]) -> ModelCard {
    let text = |key: &str| gguf.metadata().get(key).and_then(|value| value.as_str());
    let architecture = text("general.architecture").unwrap_or_default();
    let sum = |size: fn(&gguf_file::TensorInfo) -> u64| {
        gguf.tensors().iter().map(size).fold(0, u64::saturating_add)
    };
    let described = studio_core::family::describe(gguf);
    ModelCard {
        files: files.to_vec(),
        title: title(gguf, files),
        architecture: architecture.to_owned(),
        parameter_count: sum(gguf_file::TensorInfo::elements),
        tensor_bytes: sum(gguf_file::TensorInfo::size_bytes),
        context_length: facts::integer(gguf, &format!("{architecture}.context_length")),
        formats: formats(gguf),
        facts: facts::facts(gguf, architecture),
        has_chat_template: text("tokenizer.chat_template").is_some(),
        is_encoder: described.facts.is_encoder,
        forms: described.forms,
        obstacles: described.unsupported.map(|reason| problem::obstacle(&reason)).into_iter().collect(),
    }
}

/// Formats by their share of the bytes, largest first.
fn formats(gguf: &Gguf) -> Vec<FormatShare> {
    let mut shares: Vec<FormatShare> = Vec::new();
    for tensor in gguf.tensors() {
        let format = tensor.format().name();
        let index = shares.iter().position(|share| share.format == format).unwrap_or_else(|| {
            shares.push(FormatShare { format: format.to_owned(), tensor_count: 0, bytes: 0 });
            shares.len() - 1
        });
        shares[index].tensor_count += 1;
        shares[index].bytes = shares[index].bytes.saturating_add(tensor.size_bytes());
    }
    shares.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.format.cmp(&b.format)));
    shares
}

#[cfg(test)]
mod tests;
