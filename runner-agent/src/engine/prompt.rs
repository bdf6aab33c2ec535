//! A prompt as token ids.

use super::language::Language;
use std::time::{SystemTime, UNIX_EPOCH};
use studio_core::chat::{ChatMessage, ChatTemplate};
use studio_protocol::{ErrorCode, Prompt, WireError};

/// The ids of a prompt, at least one, all of them the model's.
pub(super) fn tokens(prompt: &Prompt, language: &Language) -> Result<Vec<u32>, WireError> {
    let tokens = match prompt {
        Prompt::Chat { messages } => chat(messages, language)?,
        Prompt::Text { text } => language.tokenizer.encode(text, true, false).map_err(bad)?,
        Prompt::Tokens { tokens } => tokens.clone(),
    };
    if tokens.is_empty() {
        return Err(bad("the prompt is empty").hint("Give at least one token"));
    }
    let size = language.vocabulary_size;
    if let Some((place, id)) = tokens.iter().enumerate().find(|(_, id)| **id >= size) {
        return Err(bad(format!(
            "token {id} at place {place} of the prompt: the model has ids below {size}"
        )));
    }
    Ok(tokens)
}

/// A conversation in the model's own template, up to where the answer begins.
fn chat(messages: &[studio_protocol::ChatMessage], language: &Language) -> Result<Vec<u32>, WireError> {
    if messages.is_empty() {
        return Err(bad("the conversation is empty").hint("Give at least one message"));
    }
    let source = language.chat_template.as_ref().ok_or_else(|| {
        bad("the model has no chat template").hint("Give the prompt as text (`--raw` on the command line)")
    })?;
    let template = ChatTemplate::new(source).map_err(bad)?;
    let messages: Vec<_> =
        messages.iter().map(|message| ChatMessage::new(&*message.role, &*message.content)).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs());
    let prompt = template.prompt(&language.tokenizer, &messages, true, now).map_err(bad)?;
    Ok(prompt.tokens)
}

fn bad(message: impl ToString) -> WireError {
    WireError::new(ErrorCode::BadPrompt, message.to_string())
}
