//! A prompt as token ids.

use studio_core::{manifest::Manifest, tokenizer::Tokenizer};
use studio_protocol::{ErrorCode, Prompt, WireError};

/// The ids of a prompt, at least one, all of them the model's.
pub(super) fn tokens(
    prompt: &Prompt,
    tokenizer: &Tokenizer,
    manifest: &Manifest,
) -> Result<Vec<u32>, WireError> {
    let bad = |message: String| WireError::new(ErrorCode::BadPrompt, message);
    let tokens = match prompt {
        Prompt::Chat { messages } => {
            let _ = messages;
            return Err(bad("chat is not there yet".to_owned()));
        }
        Prompt::Text { text } => {
            tokenizer.encode(text, true, false).map_err(|error| bad(error.to_string()))?
        }
        Prompt::Tokens { tokens } => tokens.clone(),
    };
    if tokens.is_empty() {
        return Err(bad("the prompt is empty".to_owned()).hint("Give at least one token"));
    }
    let size = manifest.model.vocabulary_size;
    if let Some((place, id)) = tokens.iter().enumerate().find(|(_, id)| **id >= size) {
        return Err(bad(format!(
            "token {id} at place {place} of the prompt: the model has ids below {size}"
        )));
    }
    Ok(tokens)
}
