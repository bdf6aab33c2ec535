//! Finding special tokens in text, before anything else is split.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::TokenizerError;
use super::vocabulary::{TokenType, Vocabulary};

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    strip: Strip,
}

/// Whether a token takes the white space around it with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Strip {
    pub(super) left: bool,
    pub(super) right: bool,
}

impl AddedTokens {
    /// Takes control, unknown and user-defined tokens. Those that are not UTF-8 are in no text. `strip` says by a
    /// token's text what it does to the white space around it.
    pub(super) fn new(
        vocabulary: &Vocabulary<'_>,
        strip: impl Fn(&[u8]) -> Strip,
    ) -> Result<Self, TokenizerError> {
        let (mut texts, mut tokens) = (Vec::new(), Vec::new());
        for (id, text, ty) in vocabulary.iter() {
            let markup = match ty {
                TokenType::Control | TokenType::Unknown => true,
                TokenType::UserDefined => false,
                TokenType::Normal | TokenType::Unused | TokenType::Byte | TokenType::Undefined => continue,
            };
            if !text.is_empty() && std::str::from_utf8(text).is_ok() {
                texts.push(text);
                tokens.push(AddedToken { id, markup, strip: strip(text) });
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
        for (at, taken) in self.find(text, parse_special) {
            if start < at {
                fragments.push(Fragment::Text(&text[start..at]));
            }
            fragments.push(Fragment::Token(taken.id));
            start = taken.end;
        }
        if start < text.len() {
            fragments.push(Fragment::Text(&text[start..]));
        }
        fragments
    }

    /// The tokens taken, by where they and the white space that they take start.
    fn find(&self, text: &str, parse_special: bool) -> BTreeMap<usize, Taken> {
        let mut candidates: Vec<_> = self
            .search
            .find_overlapping_iter(text)
            .filter_map(|found| {
                let token = &self.tokens[found.pattern()];
                let wanted = parse_special || !token.markup;
                wanted.then(|| (Reverse(found.len()), token.id, found.start(), token.strip))
            })
            .collect();
        candidates.sort_unstable_by_key(|&(len, id, start, _)| (len, id, start));
        let mut taken: BTreeMap<usize, Taken> = BTreeMap::new();
        for (Reverse(len), id, start, strip) in candidates {
            let end = start + len;
            let before = taken.range(..end).next_back().map_or(0, |(_, before)| before.end);
            if before > start {
                continue;
            }
            let after = taken.range(end..).next().map_or(text.len(), |(&after, _)| after);
            let left = if strip.left {
                text[before..start].trim_end_matches(is_space).len()
            } else {
                start - before
            };
            let kept =
                if strip.right { text[end..after].trim_start_matches(is_space).len() } else { after - end };
            taken.insert(before + left, Taken { end: after - kept, id });
        }
        taken
    }
}

/// C's `isspace`.
fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t'..='\r')
}

struct Taken {
    end: usize,
    id: u32,
}
