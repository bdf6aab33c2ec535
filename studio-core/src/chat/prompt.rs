//! A conversation as a model reads it: its template's text, and that text's tokens.

use super::{ChatError, ChatMessage, ChatOptions, ChatTemplate};
use crate::tokenizer::Tokenizer;

/// A rendered conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatPrompt {
    /// What the template wrote, control tokens as text.
    pub text: String,
    /// Its tokens. One that starts each text is first, also where the template doesn't write it.
    pub tokens: Vec<u32>,
}

impl ChatTemplate {
    /// Renders a conversation and encodes it, as llama.cpp and Hugging Face's `apply_chat_template` do.
    /// `add_generation_prompt` and `now` are [`ChatOptions`]'. Fails as [`ChatTemplate::render`] does.
    pub fn prompt(
        &self,
        tokenizer: &Tokenizer,
        messages: &[ChatMessage],
        add_generation_prompt: bool,
        now: Option<u64>,
    ) -> Result<ChatPrompt, ChatError> {
        let text_of = |id: Option<u32>| {
            let bytes = id.and_then(|id| tokenizer.token_bytes(id)).unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        let (bos_token, eos_token) = (text_of(tokenizer.bos_id()), text_of(tokenizer.eos_id()));
        let options =
            ChatOptions { add_generation_prompt, bos_token: &bos_token, eos_token: &eos_token, now };
        let text = self.render(messages, options)?;
        let has_bos = !bos_token.is_empty() && text.starts_with(&bos_token);
        let tokens = tokenizer.encode(&text, !has_bos, true)?;
        Ok(ChatPrompt { text, tokens })
    }
}
