//! BERT's words: what its normaliser and pre-tokenizer make of a text, as llama.cpp does it.

use gguf_file::Metadata;
use unicode_normalization::char::decompose_canonical;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::TokenizerError;

const LOWERCASE: &str = "tokenizer.ggml.normalizer.lowercase";
const STRIP_ACCENTS: &str = "tokenizer.ggml.normalizer.strip_accents";

/// What is done to words.
#[derive(Debug)]
pub(super) struct BertWords {
    lowercase: bool,
    strip_accents: bool,
}

impl BertWords {
    pub(super) fn from_metadata(metadata: &Metadata) -> Result<Self, TokenizerError> {
        let lowercase = metadata.opt_bool(LOWERCASE)?.unwrap_or(true);
        let strip_accents = metadata.opt_bool(STRIP_ACCENTS)?.unwrap_or(lowercase);
        Ok(BertWords { lowercase, strip_accents })
    }

    /// Hands the words to the sink. A sign and a Chinese character is a word each; white space is in none, control
    /// characters and what the options strip are left out. None is empty.
    pub(super) fn split(&self, text: &str, sink: &mut dyn FnMut(&str)) {
        let mut word = String::new();
        let mut finish = |word: &mut String| {
            if !word.is_empty() {
                sink(word);
                word.clear();
            }
        };
        for char in text.chars() {
            let char = if self.strip_accents { base(char) } else { char };
            if char.is_whitespace() {
                finish(&mut word);
                continue;
            }
            let group = char.general_category_group();
            if is_left_out(char, group) || (self.strip_accents && group == GeneralCategoryGroup::Mark) {
                continue;
            }
            let alone = group == GeneralCategoryGroup::Punctuation
                || (group == GeneralCategoryGroup::Symbol && char < '\u{7f}')
                || is_chinese(char);
            if alone {
                finish(&mut word);
            }
            word.push(if self.lowercase { lower(char) } else { char });
            if alone {
                finish(&mut word);
            }
        }
        finish(&mut word);
    }
}

/// Control characters and what stands for none. Unassigned ones stay.
fn is_left_out(char: char, group: GeneralCategoryGroup) -> bool {
    char == char::REPLACEMENT_CHARACTER
        || (group == GeneralCategoryGroup::Other && char.general_category() != GeneralCategory::Unassigned)
}

/// The first character of the canonical decomposition, which is all that llama.cpp keeps: a letter without its accents,
/// but of a Hangul syllable only its first consonant.
fn base(char: char) -> char {
    let mut first = None;
    if is_known(char) {
        decompose_canonical(char, |part| {
            first.get_or_insert(part);
        });
    }
    first.unwrap_or(char)
}

/// The first character of the lower-case form.
fn lower(char: char) -> char {
    match is_known(char) {
        true => char.to_lowercase().next().unwrap_or(char),
        false => char,
    }
}

/// Whether Unicode 15.1 has the character. Newer tables than llama.cpp's would decompose what it knows nothing of.
fn is_known(char: char) -> bool {
    char.is_ascii() || char.general_category() != GeneralCategory::Unassigned
}

fn is_chinese(char: char) -> bool {
    matches!(
        char,
        '\u{4e00}'..='\u{9fff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{20000}'..='\u{2a6df}'
            | '\u{2a700}'..='\u{2b73f}'
            | '\u{2b740}'..='\u{2b81f}'
            // Not from U+2B820: Hugging Face's tokenizers leave out a hundred, and so does llama.cpp.
            | '\u{2b920}'..='\u{2ceaf}'
            | '\u{f900}'..='\u{faff}'
            | '\u{2f800}'..='\u{2fa1f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(lowercase: bool, strip_accents: bool, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        BertWords { lowercase, strip_accents }.split(text, &mut |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn signs_and_chinese_characters_stand_alone() {
        assert_eq!(
            words(true, true, " It's\u{a0}3日本 a_b"),
            ["it", "'", "s", "3", "日", "本", "a", "_", "b"]
        );
        assert_eq!(words(true, true, "1€+2"), ["1€", "+", "2"]);
    }

    #[test]
    fn cases_and_accents_go_as_the_options_say() {
        assert_eq!(words(true, true, "Ångström e\u{301}"), ["angstrom", "e"]);
        assert_eq!(words(true, false, "Ångström e\u{301}"), ["ångström", "e\u{301}"]);
        assert_eq!(words(false, false, "Ångström"), ["Ångström"]);
        assert_eq!(words(false, true, "Ångström"), ["Angstrom"]);
    }

    #[test]
    fn control_characters_are_left_out() {
        assert_eq!(words(true, true, "a\u{0}b\u{fffd}c\u{200b}d \u{7f}"), ["abcd"]);
        assert!(words(true, true, "").is_empty());
    }
}
