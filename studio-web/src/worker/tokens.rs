//! The tokens of a text, or of a conversation.

use super::Model;
use crate::messages::{Problem, TOKENS_AT_ONCE, TokenAnswer, TokenQuestion};
use std::rc::Rc;
use studio_core::chat::{ChatMessage, ChatTemplate};
use studio_core::tokenizer::Tokenizer;

/// What becomes of it, laid out from the token at place `first` on.
pub(super) fn answer(model: &Model, question: &TokenQuestion, first: u64) -> Result<TokenAnswer, Problem> {
    let tokenizer = tokenizer(model)?;
    let (text, tokens, is_chat) = match question {
        TokenQuestion::Text { text, add_special, parse_special } => {
            let tokens = tokenizer.encode(text, *add_special, *parse_special);
            (text.clone(), tokens.map_err(|error| Problem::new(error.to_string()))?, false)
        }
        TokenQuestion::Chat { messages, answer } => {
            let template = ChatTemplate::from_metadata(model.gguf.metadata())
                .map_err(|error| Problem::new(error.to_string()))?
                .ok_or_else(|| Problem::new("This model has no chat template (tokenizer.chat_template)"))?;
            let turns: Vec<_> =
                messages.iter().map(|turn| ChatMessage::new(&*turn.role, &*turn.content)).collect();
            let now = js_sys::Date::now() / 1000.0;
            let prompt = template
                .prompt(&tokenizer, &turns, *answer, Some(now as u64))
                .map_err(|error| Problem::new(error.to_string()))?;
            (prompt.text, prompt.tokens, true)
        }
    };
    // A text that became shorter has nothing where the page was.
    let first = usize::try_from(first).ok().filter(|first| *first < tokens.len()).unwrap_or(0);
    let pieces =
        tokens.iter().skip(first).take(TOKENS_AT_ONCE).filter_map(|id| tokenizer.piece(*id)).collect();
    Ok(TokenAnswer {
        counts: tokenizer.counts(&text, &tokens),
        first: first as u64,
        pieces,
        vocabulary_size: tokenizer.vocabulary_size() as u64,
        rendered: is_chat.then_some(text),
    })
}

/// The model's tokenizer, built when it is first asked for.
fn tokenizer(model: &Model) -> Result<Rc<Tokenizer>, Problem> {
    let build = || match Tokenizer::from_metadata(model.gguf.metadata()) {
        Ok(tokenizer) => Ok(Rc::new(tokenizer)),
        Err(error) => Err(Problem::new(error.to_string())),
    };
    model.tokenizer.get_or_init(build).clone()
}
