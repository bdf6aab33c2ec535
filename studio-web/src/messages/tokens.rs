//! What page and worker say about a text's tokens.

use serde::{Deserialize, Serialize};
use studio_core::tokenizer::{TokenCounts, TokenPiece};
use studio_protocol::ChatMessage;

/// Tokens that an answer has at most: more would take the page longer to show than a person to type.
pub const TOKENS_AT_ONCE: usize = 2_000;

/// What is to be encoded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum TokenQuestion {
    /// A text.
    Text {
        /// The text.
        text: String,
        /// Whether the tokens are added that the model wants before and after a text.
        add_special: bool,
        /// Whether control tokens written in the text become those tokens.
        parse_special: bool,
    },
    /// A conversation, in the model's chat template.
    Chat {
        /// Its turns.
        messages: Vec<ChatMessage>,
        /// Whether the assistant's answer begins.
        answer: bool,
    },
}

/// A text's tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenAnswer {
    /// What the chat template wrote, of a conversation.
    pub rendered: Option<String>,
    /// How many there are of what, in all.
    pub counts: TokenCounts,
    /// The place of the first of `pieces` among all tokens, counted from 0.
    pub first: u64,
    /// The tokens from there on, at most [`TOKENS_AT_ONCE`].
    pub pieces: Vec<TokenPiece>,
    /// Tokens in the vocabulary.
    pub vocabulary_size: u64,
}
