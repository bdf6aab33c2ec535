//! A real text for measurements: the beginning of Alice's Adventures in Wonderland (Lewis Carroll, 1865), which belongs
//! to everybody.

use crate::{Source, engine::Language};
use studio_protocol::{ErrorCode, WireError};

const TEXT: &str = include_str!("alice.txt");

/// The first `count` tokens of a text, this one where none is given.
pub(crate) fn tokens(source: &Source, text: Option<&str>, count: usize) -> Result<Vec<u32>, WireError> {
    let mut tokens = all(source, text)?;
    if tokens.len() < count {
        return Err(WireError::new(
            ErrorCode::BadPrompt,
            format!("the text has {} tokens, and {count} are asked for", tokens.len()),
        )
        .hint("Ask for fewer, or give a longer text"));
    }
    tokens.truncate(count);
    Ok(tokens)
}

/// So many tokens of the text, over and over: how long they take does not depend on what they say.
pub(crate) fn tokens_repeated(source: &Source, count: usize) -> Result<Vec<u32>, WireError> {
    Ok(all(source, None)?.into_iter().cycle().take(count).collect())
}

fn all(source: &Source, text: Option<&str>) -> Result<Vec<u32>, WireError> {
    let language = Language::of(source)?;
    let bad = |message: String| WireError::new(ErrorCode::BadPrompt, message);
    let tokens = language
        .tokenizer
        .encode(text.unwrap_or(TEXT), true, false)
        .map_err(|error| bad(error.to_string()))?;
    if tokens.is_empty() {
        return Err(bad("the text is empty".to_owned()));
    }
    Ok(tokens)
}
