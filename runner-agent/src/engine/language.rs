//! Between a model's tokens and people's words: tokenizer, chat template, the tokens that end a generation.

use crate::Source;
use gguf_file::{FileSource, Gguf, Value};
use std::path::Path;
use studio_core::{family, tokenizer::Tokenizer};
use studio_protocol::{ErrorCode, WireError};

/// What it takes to turn a prompt into ids and ids into text.
pub(crate) struct Language {
    pub(crate) tokenizer: Tokenizer,
    pub(crate) chat_template: Option<String>,
    pub(crate) vocabulary_size: u32,
    /// Token ids that end a generation, sorted.
    pub(crate) stop_ids: Vec<u32>,
}

impl Language {
    /// Of a bundle, as its manifest says; of a GGUF, as its metadata do.
    pub(crate) fn of(source: &Source) -> Result<Self, WireError> {
        match source {
            Source::Compiled { bundle, .. } => {
                let manifest = bundle.manifest();
                let of_tokenizer = Self::of_gguf(bundle.path(&manifest.tokenizer.file)?)?;
                let mut stop_ids = [manifest.stop_ids.clone(), of_tokenizer.stop_ids].concat();
                stop_ids.sort_unstable();
                Ok(Self {
                    chat_template: manifest.chat_template.clone(),
                    vocabulary_size: manifest.model.vocabulary_size,
                    stop_ids,
                    ..of_tokenizer
                })
            }
            Source::Eager { model, .. } => Self::of_gguf(model),
        }
    }

    /// Of a GGUF, with tensors or without.
    fn of_gguf(path: &Path) -> Result<Self, WireError> {
        let at = || path.display().to_string();
        let source = FileSource::open(path)
            .map_err(|error| WireError::new(ErrorCode::Io, error.to_string()).at(at()))?;
        let corrupt = |message: String| WireError::new(ErrorCode::Corrupt, message).at(at());
        let gguf = Gguf::open(&source).map_err(|error| corrupt(error.to_string()))?;
        let tokenizer =
            Tokenizer::from_metadata(gguf.metadata()).map_err(|error| corrupt(error.to_string()))?;
        let mut stop_ids = tokenizer.end_ids().to_vec();
        stop_ids.sort_unstable();
        let template = gguf.metadata().get("tokenizer.chat_template").and_then(Value::as_str);
        let rows = family::facts(&gguf).vocabulary_size.and_then(|size| size.try_into().ok());
        Ok(Self {
            chat_template: template.map(str::to_owned),
            vocabulary_size: rows.unwrap_or(tokenizer.vocabulary_size() as u32),
            stop_ids,
            tokenizer,
        })
    }
}
