//! A model's weights in bytes: those in the file, and those that each decoded token reads.

use crate::Source;
use gguf_file::{BlockFormat, FileSource, Gguf};
use std::path::Path;
use studio_core::{
    manifest::file_name,
    params::{dump, index::IndexEntry},
};
use studio_protocol::{ErrorCode, WireError};

/// What a model's weights are.
pub(crate) struct Weights {
    /// The type of most of them.
    pub(crate) name: String,
    /// All of them.
    pub(crate) bytes: u64,
    /// Those that a token reads: all but tables of which it takes a row.
    pub(crate) streamed_bytes: u64,
}

/// Tables of which a token takes a row; the embedding only where it isn't the output matrix too.
const ROPE: &str = "rope";
const EMBEDDING: &str = "token_embd.weight";
const OUTPUT: &str = "output.weight";

impl Weights {
    pub(crate) fn of(source: &Source) -> Result<Self, WireError> {
        match source {
            Source::Compiled { bundle, .. } => {
                let path = bundle.path(file_name::IRPA)?;
                let weights = serde_json::to_value(bundle.manifest().options.weights);
                let name = weights.ok().and_then(|name| name.as_str().map(str::to_owned));
                Ok(Self::count(name.unwrap_or_default(), &entries(path)?))
            }
            Source::Eager { model, .. } => Ok(Self::count(most_common_type(model)?, &entries(model)?)),
        }
    }

    fn count(name: String, entries: &[IndexEntry]) -> Self {
        let untied = entries.iter().any(|entry| entry.name == OUTPUT);
        let row_only = |entry: &&IndexEntry| entry.name == ROPE || (untied && entry.name == EMBEDDING);
        let sum =
            |entries: &mut dyn Iterator<Item = &IndexEntry>| entries.map(|entry| entry.size_bytes).sum();
        let bytes: u64 = sum(&mut entries.iter());
        let rows: u64 = sum(&mut entries.iter().filter(row_only));
        Self { name, bytes, streamed_bytes: bytes - rows }
    }
}

fn entries(path: &Path) -> Result<Vec<IndexEntry>, WireError> {
    dump::read(&path.to_string_lossy(), &open(path)?).map_err(|error| corrupt(path, &error))
}

/// Whether a GGUF has matrices that are not stored as floats.
pub(crate) fn is_quantised(path: &Path) -> Result<bool, WireError> {
    let gguf = Gguf::open_part(&open(path)?).map_err(|error| corrupt(path, &error))?;
    let is_float = |format| matches!(format, BlockFormat::F32 | BlockFormat::F16 | BlockFormat::BF16);
    Ok(gguf.tensors().iter().any(|tensor| !is_float(tensor.format())))
}

/// The type of the most bytes, by ggml's name.
fn most_common_type(path: &Path) -> Result<String, WireError> {
    let gguf = Gguf::open_part(&open(path)?).map_err(|error| corrupt(path, &error))?;
    let mut types: Vec<(String, u64)> = Vec::new();
    for tensor in gguf.tensors() {
        let name = tensor.format().to_string();
        match types.iter_mut().find(|(known, _)| *known == name) {
            Some((_, bytes)) => *bytes += tensor.size_bytes(),
            None => types.push((name, tensor.size_bytes())),
        }
    }
    Ok(types.into_iter().max_by_key(|(_, bytes)| *bytes).map(|(name, _)| name).unwrap_or_default())
}

fn open(path: &Path) -> Result<FileSource, WireError> {
    FileSource::open(path)
        .map_err(|error| WireError::new(ErrorCode::Io, error.to_string()).at(path.display().to_string()))
}

fn corrupt(path: &Path, error: &dyn std::fmt::Display) -> WireError {
    WireError::new(ErrorCode::Corrupt, error.to_string()).at(path.display().to_string())
}
