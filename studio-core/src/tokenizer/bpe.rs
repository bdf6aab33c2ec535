//! Byte-pair encoding as GPT-2 does it: a word starts as its bytes, and of all neighbours that a merge rule
//! names, those of the lowest rank are joined, leftmost first, until none are left.
//!
//! The results are llama.cpp's for any vocabulary, odd ones included: merges may make pieces that are no
//! tokens, from which other merges go on; a piece that is none in the end is written as its characters'
//! tokens, and what has no token is left out.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foldhash::{HashMap, HashMapExt};
use gguf_file::Metadata;

use super::TokenizerError;
use super::byte_chars::char_of;
use super::pre::PreTokenizer;
use super::vocabulary::Vocabulary;

const MERGES: &str = "tokenizer.ggml.merges";

/// A string that merges take or make. Those that are tokens have the token's id, others come after.
type Piece = u32;

/// Byte-level BPE with its rule for words.
#[derive(Debug)]
pub(super) struct Bpe {
    pre: &'static PreTokenizer,
    bytes: Box<[Piece; 256]>,
    merges: HashMap<(Piece, Piece), Merge>,
    token_count: u32,
    /// For each piece that is no token, the tokens it is written as.
    spelled: Vec<Vec<u32>>,
    /// Tokens by their text in the byte alphabet, if whole words come first.
    words: HashMap<Box<[u8]>, u32>,
}

#[derive(Clone, Copy, Debug)]
struct Merge {
    rank: u32,
    result: Piece,
}

impl Bpe {
    pub(super) fn from_metadata(
        metadata: &Metadata,
        vocabulary: &Vocabulary<'_>,
        pre: &'static PreTokenizer,
    ) -> Result<Self, TokenizerError> {
        let mut pieces = Pieces { vocabulary, others: HashMap::new(), spelled: Vec::new() };
        let mut bytes = Box::new([0; 256]);
        for (byte, piece) in (0..=u8::MAX).zip(bytes.iter_mut()) {
            *piece = pieces.id(char_of(byte).encode_utf8(&mut [0; 4]).as_bytes());
        }
        let rules = metadata.strings(MERGES)?;
        let mut merges = HashMap::with_capacity(rules.len());
        for (rank, rule) in (0..).zip(rules) {
            // Without a space after the first character the rule joins nothing that can occur.
            let Some((left, right)) = separate(rule.as_bytes()) else { continue };
            let result = pieces.id(&[left, right].concat());
            let merge = Merge { rank, result };
            merges.entry((pieces.id(left), pieces.id(right))).or_insert(merge);
        }
        let spelled = pieces.spelled;
        let words = if pre.whole_words_first {
            vocabulary.iter().map(|(id, text, _)| (text.into(), id)).collect()
        } else {
            HashMap::new()
        };
        // The count was checked to fit when the vocabulary was read.
        let token_count = vocabulary.len() as u32;
        Ok(Bpe { pre, bytes, merges, token_count, spelled, words })
    }

    /// Whether [`Bpe::from_metadata`] finds what it needs.
    pub(super) fn check(metadata: &Metadata) -> Result<(), TokenizerError> {
        metadata.strings(MERGES)?;
        Ok(())
    }

    /// Appends the tokens of `text`, which must be shorter than 4 GiB.
    pub(super) fn encode(&self, text: &str, tokens: &mut Vec<u32>) {
        let mut word = Word::default();
        self.pre.split(text, &mut |text| self.encode_word(text, &mut word, tokens));
    }

    fn encode_word(&self, text: &str, word: &mut Word, tokens: &mut Vec<u32>) {
        if self.pre.whole_words_first {
            let spelled: String = text.bytes().map(char_of).collect();
            if let Some(&id) = self.words.get(spelled.as_bytes()) {
                tokens.push(id);
                return;
            }
        }
        word.start(text.bytes().map(|byte| self.bytes[usize::from(byte)]));
        word.merge(&self.merges);
        for piece in word.pieces() {
            match piece.checked_sub(self.token_count) {
                None => tokens.push(piece),
                Some(other) => tokens.extend(&self.spelled[other as usize]),
            }
        }
    }
}

/// Splits a merge rule at the first space after its first byte.
fn separate(rule: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = 1 + rule.get(1..)?.iter().position(|&byte| byte == b' ')?;
    Some((&rule[..at], &rule[at + 1..]))
}

/// Numbers pieces.
struct Pieces<'v, 'm> {
    vocabulary: &'v Vocabulary<'m>,
    others: HashMap<Vec<u8>, Piece>,
    spelled: Vec<Vec<u32>>,
}

impl Pieces<'_, '_> {
    fn id(&mut self, text: &[u8]) -> Piece {
        if let Some(id) = self.vocabulary.id(text).or_else(|| self.others.get(text).copied()) {
            return id;
        }
        // Tokens and merges lie in memory already, three pieces a merge: their number fits 32 bits by far
        // where it doesn't exhaust memory first.
        let piece = (self.vocabulary.len() + self.others.len()) as Piece;
        self.others.insert(text.to_vec(), piece);
        self.spelled.push(text.chunks(1).filter_map(|byte| self.vocabulary.id(byte)).collect());
        piece
    }
}

/// A word while its pieces are merged; kept from word to word for its allocations.
#[derive(Default)]
struct Word {
    symbols: Vec<Symbol>,
    queue: BinaryHeap<Reverse<Candidate>>,
}

/// A piece in a list that is linked both ways, as merging takes symbols out of its middle.
struct Symbol {
    /// `GONE` once it is merged into its left neighbour.
    piece: Piece,
    previous: u32,
    next: u32,
}

const NONE: u32 = u32::MAX;
const GONE: Piece = Piece::MAX;

/// Two neighbours that may be merged, in the order in which they are. It is outdated when either is no longer
/// the piece it was.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    rank: u32,
    at: u32,
    left: Piece,
    right: Piece,
    result: Piece,
}

impl Word {
    fn start(&mut self, pieces: impl Iterator<Item = Piece>) {
        self.symbols.clear();
        self.symbols.extend((0u32..).zip(pieces).map(|(at, piece)| Symbol {
            piece,
            previous: at.wrapping_sub(1),
            next: at + 1,
        }));
        if let Some(last) = self.symbols.last_mut() {
            last.next = NONE;
        }
    }

    fn merge(&mut self, merges: &HashMap<(Piece, Piece), Merge>) {
        for at in 0..self.symbols.len() as u32 {
            self.offer(at, merges);
        }
        while let Some(Reverse(candidate)) = self.queue.pop() {
            let at = candidate.at as usize;
            let next = self.symbols[at].next;
            let current = next != NONE
                && self.symbols[at].piece == candidate.left
                && self.symbols[next as usize].piece == candidate.right;
            if !current {
                continue;
            }
            let after = self.symbols[next as usize].next;
            self.symbols[next as usize].piece = GONE;
            self.symbols[at].piece = candidate.result;
            self.symbols[at].next = after;
            if after != NONE {
                self.symbols[after as usize].previous = candidate.at;
            }
            self.offer(self.symbols[at].previous, merges);
            self.offer(candidate.at, merges);
        }
    }

    /// Queues the symbol at `at` and its right neighbour if a rule merges them.
    fn offer(&mut self, at: u32, merges: &HashMap<(Piece, Piece), Merge>) {
        let Some(symbol) = self.symbols.get(at as usize) else { return };
        let Some(neighbour) = self.symbols.get(symbol.next as usize) else { return };
        let (left, right) = (symbol.piece, neighbour.piece);
        if let Some(&Merge { rank, result }) = merges.get(&(left, right)) {
            self.queue.push(Reverse(Candidate { rank, at, left, right, result }));
        }
    }

    fn pieces(&self) -> impl Iterator<Item = Piece> {
        self.symbols.iter().map(|symbol| symbol.piece).filter(|&piece| piece != GONE)
    }
}
