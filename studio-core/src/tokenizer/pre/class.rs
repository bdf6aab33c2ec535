//! What pre-tokenizers ask of a character: is it a letter, a number, white space or something else?

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The class of a character, by Unicode 15.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `\p{L}`
    Letter,
    /// `\p{N}`
    Number,
    /// `\s`
    Space,
    /// All else: marks, punctuation, symbols, control and unassigned characters.
    Other,
}

impl Class {
    pub(super) fn of(char: char) -> Self {
        if char.is_ascii() {
            return match char {
                'a'..='z' | 'A'..='Z' => Class::Letter,
                '0'..='9' => Class::Number,
                '\t'..='\r' | ' ' => Class::Space,
                _ => Class::Other,
            };
        }
        if char.is_whitespace() {
            return Class::Space;
        }
        match char.general_category_group() {
            GeneralCategoryGroup::Letter => Class::Letter,
            GeneralCategoryGroup::Number => Class::Number,
            GeneralCategoryGroup::Mark
            | GeneralCategoryGroup::Other
            | GeneralCategoryGroup::Punctuation
            | GeneralCategoryGroup::Separator
            | GeneralCategoryGroup::Symbol => Class::Other,
        }
    }

    /// The class of the first character, if there is one.
    pub(super) fn first(text: &str) -> Option<Self> {
        text.chars().next().map(Class::of)
    }

    /// How many bytes at the start of `text` are characters of this class.
    pub(super) fn run(self, text: &str) -> usize {
        text.char_indices().find(|&(_, char)| Class::of(char) != self).map_or(text.len(), |(at, _)| at)
    }
}

/// The length of the white space that `text` starts with, as the regular expression `\s+(?!\S)|\s+` takes it:
/// the last white-space character before a word is left to that word, unless it is the only one.
pub(super) fn space_before_word(text: &str) -> usize {
    let run = Class::Space.run(text);
    let last = text[..run].chars().next_back().map_or(0, char::len_utf8);
    if run < text.len() && last < run { run - last } else { run }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_at_the_edges() {
        let cases = [
            ('é', Class::Letter),
            ('日', Class::Letter),
            ('ª', Class::Letter),
            ('½', Class::Number),
            ('٣', Class::Number),
            ('Ⅷ', Class::Number),
            ('\u{85}', Class::Space),
            ('\u{a0}', Class::Space),
            ('\u{3000}', Class::Space),
            ('\u{200b}', Class::Other),
            ('\u{301}', Class::Other),
            ('\u{feff}', Class::Other),
            ('\u{1c}', Class::Other),
            ('🙂', Class::Other),
            // Assigned in Unicode 15.1 and in 16: llama.cpp's tables know the first only.
            ('\u{2ebf0}', Class::Letter),
            ('\u{10d4a}', Class::Other),
        ];
        for (char, class) in cases {
            assert_eq!(Class::of(char), class, "{char:?}");
        }
    }
}
