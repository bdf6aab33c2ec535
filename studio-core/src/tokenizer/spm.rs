//! SentencePiece's BPE, which `tokenizer.ggml.model` calls `llama`: a text starts as its characters, and of all
//! neighbours that together are a token, those of the highest score are joined, leftmost first, until none are left.
//!
//! There are no words: spaces are written as `▁` and merged like letters. What is no token in the end is written as the
//! tokens of its bytes.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use foldhash::{HashMap, HashMapExt};
use gguf_file::{Metadata, Value, ValueArray};

use super::TokenizerError;
use super::vocabulary::Vocabulary;

const SCORES: &str = "tokenizer.ggml.scores";
const ADD_SPACE_PREFIX: &str = "tokenizer.ggml.add_space_prefix";

/// What a space is written as.
pub(super) const ESCAPED_SPACE: char = '\u{2581}';

/// The vocabulary, by text.
#[derive(Debug)]
pub(super) struct Spm {
    pieces: HashMap<Box<[u8]>, Piece>,
    /// Bytes of the longest token's text.
    longest: usize,
    /// The token of each byte.
    bytes: Box<[Option<u32>; 256]>,
    /// What stands for a byte without a token.
    unknown: Option<u32>,
    /// Whether a space is put before a text and after each special token.
    add_space_prefix: bool,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    id: u32,
    score: f32,
}

impl Spm {
    pub(super) fn from_metadata(
        metadata: &Metadata,
        vocabulary: &Vocabulary<'_>,
        unknown: Option<u32>,
    ) -> Result<Self, TokenizerError> {
        let scores = scores(metadata, vocabulary.len())?;
        let mut pieces = HashMap::with_capacity(vocabulary.len());
        let mut longest = 0;
        for ((id, text, _), score) in vocabulary.iter().zip(scores) {
            longest = longest.max(text.len());
            pieces.insert(text.into(), Piece { id, score });
        }
        let mut bytes = Box::new([None; 256]);
        for (byte, token) in (0..=u8::MAX).zip(bytes.iter_mut()) {
            *token = vocabulary.id(format!("<0x{byte:02X}>").as_bytes()).or_else(|| vocabulary.id(&[byte]));
        }
        let add_space_prefix = metadata.opt_bool(ADD_SPACE_PREFIX)?.unwrap_or(true);
        Ok(Spm { pieces, longest, bytes, unknown, add_space_prefix })
    }

    /// Appends the tokens of `text`, which must be shorter than 4 GiB. `starts` says that it stands at the start or
    /// after a special token.
    pub(super) fn encode(&self, text: &str, starts: bool, tokens: &mut Vec<u32>) {
        let mut escaped = String::with_capacity(text.len() + text.len() / 4);
        if starts && self.add_space_prefix {
            escaped.push(ESCAPED_SPACE);
        }
        escaped.extend(text.chars().map(|char| if char == ' ' { ESCAPED_SPACE } else { char }));
        let mut symbols = Symbols::new(&escaped);
        symbols.merge(self);
        for piece in symbols.pieces() {
            match self.pieces.get(piece) {
                Some(piece) => tokens.push(piece.id),
                None => tokens
                    .extend(piece.iter().filter_map(|&byte| self.bytes[usize::from(byte)].or(self.unknown))),
            }
        }
    }

    fn score(&self, text: &[u8]) -> Option<f32> {
        if text.len() > self.longest { None } else { self.pieces.get(text).map(|piece| piece.score) }
    }
}

/// A score for each of `count` tokens.
fn scores(metadata: &Metadata, count: usize) -> Result<Vec<f32>, TokenizerError> {
    let scores = match metadata.get(SCORES) {
        None => return Ok(vec![0.0; count]),
        Some(Value::Array(ValueArray::I32(scores))) => scores.iter().map(|&score| score as f32).collect(),
        Some(_) => metadata.f32s(SCORES)?,
    };
    if scores.len() < count {
        return Err(TokenizerError::ScoreCount { scores: scores.len(), tokens: count });
    }
    Ok(scores)
}

/// A text while its characters are merged.
struct Symbols<'t> {
    text: &'t [u8],
    symbols: Vec<Symbol>,
    queue: BinaryHeap<Candidate>,
}

/// A piece of the text in a list that is linked both ways, as merging takes symbols out of its middle.
struct Symbol {
    start: u32,
    /// 0 once it is merged into its left neighbour.
    len: u32,
    previous: u32,
    next: u32,
}

const NONE: u32 = u32::MAX;

/// Two neighbours that may be merged. It is outdated when they are not of that length any more.
struct Candidate {
    score: f32,
    left: u32,
    right: u32,
    len: u32,
}

/// The greatest is merged first: the one with the highest score, of these the leftmost.
impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        // Adding zero makes both zeros one, which `total_cmp` tells apart.
        (self.score + 0.0).total_cmp(&(other.score + 0.0)).then(other.left.cmp(&self.left))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

impl<'t> Symbols<'t> {
    fn new(text: &'t str) -> Self {
        let mut symbols: Vec<Symbol> = (0u32..)
            .zip(text.char_indices())
            .map(|(at, (start, char))| Symbol {
                start: start as u32,
                len: char.len_utf8() as u32,
                previous: at.wrapping_sub(1),
                next: at + 1,
            })
            .collect();
        if let Some(last) = symbols.last_mut() {
            last.next = NONE;
        }
        Symbols { text: text.as_bytes(), symbols, queue: BinaryHeap::new() }
    }

    fn merge(&mut self, spm: &Spm) {
        for at in 0..self.symbols.len() as u32 {
            self.offer(at, spm);
        }
        while let Some(Candidate { left, right, len, .. }) = self.queue.pop() {
            let (left_len, right_len) = (self.symbols[left as usize].len, self.symbols[right as usize].len);
            if left_len == 0 || right_len == 0 || left_len + right_len != len {
                continue;
            }
            let after = self.symbols[right as usize].next;
            self.symbols[right as usize].len = 0;
            self.symbols[left as usize].len = len;
            self.symbols[left as usize].next = after;
            if after != NONE {
                self.symbols[after as usize].previous = left;
            }
            self.offer(self.symbols[left as usize].previous, spm);
            self.offer(left, spm);
        }
    }

    /// Queues the symbol `left` and its right neighbour if they are a token together.
    fn offer(&mut self, left: u32, spm: &Spm) {
        let Some(symbol) = self.symbols.get(left as usize) else { return };
        let (start, right) = (symbol.start as usize, symbol.next);
        let Some(neighbour) = self.symbols.get(right as usize) else { return };
        let len = symbol.len + neighbour.len;
        if let Some(score) = spm.score(&self.text[start..start + len as usize]) {
            self.queue.push(Candidate { score, left, right, len });
        }
    }

    fn pieces(&self) -> impl Iterator<Item = &'t [u8]> {
        let text = self.text;
        self.symbols
            .iter()
            .filter(|symbol| symbol.len > 0)
            .map(move |symbol| &text[symbol.start as usize..(symbol.start + symbol.len) as usize])
    }
}
