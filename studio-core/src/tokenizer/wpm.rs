//! WordPiece, which `tokenizer.ggml.model` calls `bert`: words are normalised and then taken apart from the left, always
//! by the longest token. A word that can't be is the unknown token.
//!
//! A token that starts a word is written with `▁` before it in such files, and those that go on without the `##` of
//! BERT's own lists.

use foldhash::{HashMap, HashMapExt};
use gguf_file::Metadata;

use super::TokenizerError;
use super::bert_words::BertWords;
use super::spm::ESCAPED_SPACE;
use super::vocabulary::Vocabulary;

/// The vocabulary, by text, and how words are normalised.
#[derive(Debug)]
pub(super) struct Wpm {
    ids: HashMap<Box<[u8]>, u32>,
    /// Bytes of the longest token's text.
    longest: usize,
    unknown: Option<u32>,
    words: BertWords,
}

impl Wpm {
    pub(super) fn from_metadata(
        metadata: &Metadata,
        vocabulary: &Vocabulary<'_>,
        unknown: Option<u32>,
    ) -> Result<Self, TokenizerError> {
        let mut ids = HashMap::with_capacity(vocabulary.len());
        let mut longest = 0;
        for (id, text, _) in vocabulary.iter() {
            longest = longest.max(text.len());
            ids.insert(text.into(), id);
        }
        Ok(Wpm { ids, longest, unknown, words: BertWords::from_metadata(metadata)? })
    }

    /// Appends the tokens of `text`.
    pub(super) fn encode(&self, text: &str, tokens: &mut Vec<u32>) {
        let mut marked = String::new();
        self.words.split(text, &mut |word| {
            marked.clear();
            marked.push(ESCAPED_SPACE);
            marked.push_str(word);
            let before = tokens.len();
            let mut rest = marked.as_bytes();
            while !rest.is_empty() {
                let longest = (1..=rest.len().min(self.longest + 1)).rev();
                let Some((len, id)) =
                    longest.filter_map(|len| Some((len, *self.ids.get(&rest[..len])?))).next()
                else {
                    tokens.truncate(before);
                    break;
                };
                tokens.push(id);
                rest = &rest[len..];
            }
            if tokens.len() == before {
                tokens.extend(self.unknown);
            }
        });
    }
}
