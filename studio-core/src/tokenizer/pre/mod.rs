//! Pre-tokenizers: how text is split into words, which byte-pair merges never cross.
//!
//! One file for each rule, with the names that `tokenizer.ggml.pre` gives it. The rules are written by hand
//! and not as regular expressions: they run in time linear in the text and agree with llama.cpp's own
//! hand-written ones, its table of Unicode 15.1 categories included.

mod class;
mod gpt2;
mod llama3;
mod smollm;

use super::TokenizerError;

/// Hands the words of a text to a sink.
type Split = fn(&str, &mut dyn FnMut(&str));

/// A rule for splitting text, and what comes with it in llama.cpp's reading of `tokenizer.ggml.pre`.
#[derive(Debug)]
pub(super) struct PreTokenizer {
    /// Values of `tokenizer.ggml.pre`.
    names: &'static [&'static str],
    /// Hands the words of a text to the sink in order. Put together they are the text; none is empty.
    pub(super) split: Split,
    /// A word that is a token as it stands is taken as that token, whatever the merges would make of it.
    pub(super) whole_words_first: bool,
    /// Whether texts start with the BOS token if the file says nothing of it.
    pub(super) add_bos: bool,
}

const ALL: [&PreTokenizer; 4] = [&gpt2::GPT2, &smollm::SMOLLM, &llama3::LLAMA3, &llama3::QWEN2];

/// The rule that files call `name`.
pub(super) fn find(name: &str) -> Result<&'static PreTokenizer, TokenizerError> {
    ALL.into_iter().find(|pre| pre.names.contains(&name)).ok_or_else(|| TokenizerError::UnsupportedPre {
        pre: name.to_owned(),
        supported: ALL.iter().flat_map(|pre| pre.names).copied().collect::<Vec<_>>().join(", "),
    })
}

/// Splits by a function that gives the length of the word a text starts with.
fn split_by(word_len: impl Fn(&str) -> usize, text: &str, sink: &mut dyn FnMut(&str)) {
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(word_len(rest));
        sink(word);
        rest = after;
    }
}

#[cfg(test)]
fn words<'t>(pre: &PreTokenizer, text: &'t str) -> Vec<&'t str> {
    let mut lens = Vec::new();
    (pre.split)(text, &mut |word| lens.push(word.len()));
    let mut rest = text;
    lens.into_iter()
        .map(|len| {
            let (word, after) = rest.split_at(len);
            rest = after;
            word
        })
        .collect()
}
