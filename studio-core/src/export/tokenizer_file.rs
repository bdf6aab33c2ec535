//! `tokenizer.gguf`: the model's metadata without its tensors, as llama.cpp's own vocabulary files are.

use super::ExportError;
use gguf_file::{GgufBuilder, Metadata};

/// Keys that say which part of a model a file is.
const SPLIT_KEYS: &str = "split.";

/// The file's bytes.
pub(super) fn bytes(metadata: &Metadata) -> Result<Vec<u8>, ExportError> {
    GgufBuilder::metadata_file(metadata, |key| !key.starts_with(SPLIT_KEYS)).map_err(ExportError::Tokenizer)
}
