//! Finding special tokens in text, before anything else is split.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::TokenizerError;
use super::vocabulary::{TokenType, Vocabulary};

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fragment<'t> {
    /// Ordinary text, not empty.
    Text(&'t str),
    /// A special token that the text has here.
    Token(u32),
}

/// The tokens that are looked for in text. Where they overlap, the longest is taken first, wherever it is;
/// then the one with the lowest id, then the leftmost.
#[derive(Debug)]
pub(super) struct AddedTokens {
    search: AhoCorasick,
    /// By the searcher's pattern numbers.
    tokens: Vec<AddedToken>,
}

#[derive(Debug)]
struct AddedToken {
    id: u32,
    /// Found only when special tokens are parsed.
    markup: bool,
}

impl AddedTokens {
    /// Takes control, unknown and user-defined tokens. Those that are not UTF-8 are in no text.
    pub(super) fn new(vocabulary: &Vocabulary<'_>) -> Result<Self, TokenizerError> {
        let (mut texts, mut tokens) = (Vec::new(), Vec::new());
        for (id, text, ty) in vocabulary.iter() {
            let markup = match ty {
                TokenType::Control | TokenType::Unknown => true,
                TokenType::UserDefined => false,
                TokenType::Normal | TokenType::Unused | TokenType::Byte | TokenType::Undefined => continue,
            };
            if !text.is_empty() && std::str::from_utf8(text).is_ok() {
                texts.push(text);
                tokens.push(AddedToken { id, markup });
            }
        }
        // The automatic choice may be a table of a kilobyte for each byte of the tokens, which a file decides.
        let search = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(texts)
            .map_err(TokenizerError::SpecialTokens)?;
        Ok(AddedTokens { search, tokens })
    }

    /// Cuts `text` at its special tokens; control and unknown tokens count only if `parse_special`.
    pub(super) fn partition<'t>(&self, text: &'t str, parse_special: bool) -> Vec<Fragment<'t>> {
        let mut fragments = Vec::new();
        let mut start = 0;
        for (at, found) in self.find(text, parse_special) {
            if start < at {
                fragments.push(Fragment::Text(&text[start..at]));
            }
            fragments.push(Fragment::Token(found.id));
            start = found.end;
        }
        if start < text.len() {
            fragments.push(Fragment::Text(&text[start..]));
        }
        fragments
    }

    /// The tokens taken, by where they start.
    fn find(&self, text: &str, parse_special: bool) -> BTreeMap<usize, Found> {
        let mut candidates: Vec<_> = self
            .search
            .find_overlapping_iter(text)
            .filter_map(|found| {
                let token = &self.tokens[found.pattern()];
                (parse_special || !token.markup).then(|| (Reverse(found.len()), token.id, found.start()))
            })
            .collect();
        candidates.sort_unstable();
        let mut taken: BTreeMap<usize, Found> = BTreeMap::new();
        for (Reverse(len), id, start) in candidates {
            let end = start + len;
            let free = taken.range(..end).next_back().is_none_or(|(_, before)| before.end <= start);
            if free {
                taken.insert(start, Found { end, id });
            }
        }
        taken
    }
}

struct Found {
    end: usize,
    id: u32,
}
