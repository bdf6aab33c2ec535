//! A text's tokens laid out for people: each with its text and bytes, and how many there are of what.

use super::{TokenType, Tokenizer};
use serde::{Deserialize, Serialize};

/// A token of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenPiece {
    /// Its id.
    pub id: u32,
    /// What it is for.
    #[serde(rename = "type")]
    pub ty: TokenType,
    /// What it adds to the text; absent where its bytes are a part of a character only.
    pub text: Option<String>,
    /// The bytes that it adds to the text, two hexadecimal digits each.
    pub bytes: String,
}

/// How many there are of what, in a text and its tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenCounts {
    /// All tokens.
    pub tokens: u64,
    /// Of these, control tokens.
    pub control: u64,
    /// Of these, tokens that stand for what the vocabulary has no token for.
    pub unknown: u64,
    /// Of these, different ones.
    pub distinct: u64,
    /// The text's bytes in UTF-8.
    pub bytes: u64,
    /// The text's characters.
    pub characters: u64,
    /// The text's words: what white space separates.
    pub words: u64,
}

impl TokenCounts {
    /// Bytes of the text for each token; nothing where there is no token.
    pub fn bytes_a_token(&self) -> Option<f64> {
        (self.tokens > 0).then(|| self.bytes as f64 / self.tokens as f64)
    }

    /// Tokens for each word; nothing where there is no word.
    pub fn tokens_a_word(&self) -> Option<f64> {
        (self.words > 0).then(|| self.tokens as f64 / self.words as f64)
    }
}

impl Tokenizer {
    /// A token as people see it. `None` if there is no such token.
    pub fn piece(&self, id: u32) -> Option<TokenPiece> {
        let bytes = self.token_bytes(id)?;
        Some(TokenPiece {
            id,
            ty: *self.types.get(id as usize)?,
            text: std::str::from_utf8(bytes).ok().map(str::to_owned),
            bytes: bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }

    /// How many there are of what, in a text and the tokens it was encoded to.
    pub fn counts(&self, text: &str, tokens: &[u32]) -> TokenCounts {
        let of = |ty: TokenType| {
            tokens.iter().filter(|id| self.types.get(**id as usize) == Some(&ty)).count() as u64
        };
        let mut distinct = tokens.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        TokenCounts {
            tokens: tokens.len() as u64,
            control: of(TokenType::Control),
            unknown: of(TokenType::Unknown),
            distinct: distinct.len() as u64,
            bytes: text.len() as u64,
            characters: text.chars().count() as u64,
            words: text.split_whitespace().count() as u64,
        }
    }
}
