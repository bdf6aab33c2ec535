//! The vocabulary as the file has it: each token's text and type, checked, and ids by text.
//!
//! It borrows from the metadata and lives only while a tokenizer is built.

use foldhash::{HashMap, HashMapExt};
use gguf_file::{Metadata, ValueArray};
use serde::{Deserialize, Serialize};

use super::spm::ESCAPED_SPACE;
use super::{TokenizerError, byte_chars};

const TOKENS: &str = "tokenizer.ggml.tokens";
const TOKEN_TYPES: &str = "tokenizer.ggml.token_type";

/// What a token is for, numbered as in `tokenizer.ggml.token_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenType {
    /// Text, in the model's own alphabet.
    Normal,
    /// Stands for what has no token.
    Unknown,
    /// Marks up a conversation or a text; never text itself.
    Control,
    /// Text taken as one token before anything else is split.
    UserDefined,
    /// Never used.
    Unused,
    /// One byte, written `<0xXX>`.
    Byte,
    /// A number that isn't one of the above.
    Undefined,
}

impl TokenType {
    fn from_number(number: i32) -> Self {
        match number {
            1 => TokenType::Normal,
            2 => TokenType::Unknown,
            3 => TokenType::Control,
            4 => TokenType::UserDefined,
            5 => TokenType::Unused,
            6 => TokenType::Byte,
            _ => TokenType::Undefined,
        }
    }
}

/// Texts and types of all tokens. Texts are distinct, except that several may be empty; there are at least one
/// and at most `u32::MAX`.
pub(super) struct Vocabulary<'m> {
    texts: Vec<&'m [u8]>,
    types: Vec<TokenType>,
    ids: HashMap<&'m [u8], u32>,
}

impl<'m> Vocabulary<'m> {
    pub(super) fn from_metadata(metadata: &'m Metadata) -> Result<Self, TokenizerError> {
        let texts: Vec<&[u8]> = match metadata.array(TOKENS)? {
            ValueArray::Bytes(tokens) => tokens.iter().map(Vec::as_slice).collect(),
            _ => metadata.strings(TOKENS)?.iter().map(String::as_bytes).collect(),
        };
        if texts.is_empty() {
            return Err(TokenizerError::EmptyVocabulary);
        }
        if u32::try_from(texts.len()).is_err() {
            return Err(TokenizerError::VocabularyTooLarge { count: texts.len() });
        }
        let types = match metadata.opt_i32s(TOKEN_TYPES)? {
            None => vec![TokenType::Normal; texts.len()],
            Some(numbers) if numbers.len() != texts.len() => {
                return Err(TokenizerError::TypeCount { types: numbers.len(), tokens: texts.len() });
            }
            Some(numbers) => numbers.into_iter().map(TokenType::from_number).collect(),
        };
        let mut ids = HashMap::with_capacity(texts.len());
        for (id, &text) in (0..).zip(&texts) {
            if text.is_empty() {
                continue;
            }
            if let Some(first) = ids.insert(text, id) {
                let text = String::from_utf8_lossy(text).into_owned();
                return Err(TokenizerError::DuplicateToken { first, second: id, text });
            }
        }
        Ok(Vocabulary { texts, types, ids })
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn id(&self, text: &[u8]) -> Option<u32> {
        self.ids.get(text).copied()
    }

    pub(super) fn types(&self) -> &[TokenType] {
        &self.types
    }

    /// Makes a token a control token, as its text says it is whatever the file says.
    pub(super) fn set_type(&mut self, id: u32, ty: TokenType) {
        self.types[id as usize] = ty;
    }

    /// Every token in the order of ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &'m [u8], TokenType)> {
        (0..).zip(&self.texts).zip(&self.types).map(|((id, &text), &ty)| (id, text, ty))
    }
}

/// How texts of normal tokens are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Bytes as GPT-2's characters.
    ByteLevel,
    /// As they are, spaces as `▁`.
    EscapedSpaces,
}

impl Alphabet {
    /// The bytes that a token stands for in text.
    pub(super) fn bytes(self, text: &[u8], ty: TokenType) -> Vec<u8> {
        match (ty, self) {
            (TokenType::Normal, Alphabet::ByteLevel) => {
                byte_chars::bytes_of(text).unwrap_or_else(|| text.to_vec())
            }
            (TokenType::Normal, Alphabet::EscapedSpaces) => with_spaces(text),
            (TokenType::Unknown | TokenType::Control | TokenType::UserDefined, _) => text.to_vec(),
            (TokenType::Byte, _) => hex_byte(text).into_iter().collect(),
            (TokenType::Unused | TokenType::Undefined, _) => Vec::new(),
        }
    }
}

fn with_spaces(text: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(text) {
        Ok(text) => text.replace(ESCAPED_SPACE, " ").into_bytes(),
        Err(_) => text.to_vec(),
    }
}

fn hex_byte(text: &[u8]) -> Option<u8> {
    let digits = text.strip_prefix(b"<0x")?.strip_suffix(b">")?;
    if digits.len() != 2 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
