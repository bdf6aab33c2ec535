//! `tokenizer.gguf`: the model's metadata without its tensors, as llama.cpp's own vocabulary files are.

use super::ExportError;
use gguf_file::{GgufBuilder, Metadata};

/// Keys that say which part of a model a file is.
const SPLIT_KEYS: &str = "split.";

/// The file's bytes.
pub(super) fn bytes(metadata: &Metadata) -> Result<Vec<u8>, ExportError> {
    let mut builder = GgufBuilder::new();
    for (key, value) in metadata.iter().filter(|(key, _)| !key.starts_with(SPLIT_KEYS)) {
        builder.set(key, value.clone()).map_err(ExportError::Tokenizer)?;
    }
    builder.write_to(Vec::new()).map_err(ExportError::Tokenizer)
}
