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
    /// `\p{M}`
    Mark,
    /// `\p{P}`
    Punctuation,
    /// `\p{S}`
    Symbol,
    /// All else: control and unassigned characters.
    Other,
}

impl Class {
    pub(super) fn of(char: char) -> Self {
        if char.is_ascii() {
            return match char {
                'a'..='z' | 'A'..='Z' => Class::Letter,
                '0'..='9' => Class::Number,
                '\t'..='\r' | ' ' => Class::Space,
                '$' | '+' | '<'..='>' | '^' | '`' | '|' | '~' => Class::Symbol,
                '!'..='~' => Class::Punctuation,
                _ => Class::Other,
            };
        }
        if char.is_whitespace() {
            return Class::Space;
        }
        match char.general_category_group() {
            GeneralCategoryGroup::Letter => Class::Letter,
            GeneralCategoryGroup::Number => Class::Number,
            GeneralCategoryGroup::Mark => Class::Mark,
            GeneralCategoryGroup::Punctuation => Class::Punctuation,
            GeneralCategoryGroup::Symbol => Class::Symbol,
            GeneralCategoryGroup::Other | GeneralCategoryGroup::Separator => Class::Other,
        }
    }

    /// `[^\s\p{L}\p{N}]`
    pub(super) fn is_sign(self) -> bool {
        !matches!(self, Class::Letter | Class::Number | Class::Space)
    }
}

/// How many bytes at the start of `text` are characters that `is` holds for.
pub(super) fn run(text: &str, is: impl Fn(char) -> bool) -> usize {
    text.find(|char| !is(char)).unwrap_or(text.len())
}

/// How many bytes at the start of `text` are characters of a class that `is` holds for.
pub(super) fn class_run(text: &str, is: impl Fn(Class) -> bool) -> usize {
    run(text, |char| is(Class::of(char)))
}

/// The length of the white space that `text` starts with, as the regular expression `\s+(?!\S)|\s+` takes it:
/// the last white-space character before a word is left to that word, unless it is the only one.
pub(super) fn space_before_word(text: &str) -> usize {
    let run = class_run(text, |class| class == Class::Space);
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
            ('\u{301}', Class::Mark),
            ('_', Class::Punctuation),
            ('~', Class::Symbol),
            ('、', Class::Punctuation),
            ('\u{feff}', Class::Other),
            ('\u{1c}', Class::Other),
            ('🙂', Class::Symbol),
            // Assigned in Unicode 15.1 and in 16: llama.cpp's tables know the first only.
            ('\u{2ebf0}', Class::Letter),
            ('\u{10d4a}', Class::Other),
        ];
        for (char, class) in cases {
            assert_eq!(Class::of(char), class, "{char:?}");
        }
    }

    #[test]
    fn ascii_is_what_unicode_says() {
        for char in (0..128u8).map(char::from).filter(|char| !char.is_ascii_control()) {
            let expected = match char.general_category_group() {
                GeneralCategoryGroup::Letter => Class::Letter,
                GeneralCategoryGroup::Number => Class::Number,
                GeneralCategoryGroup::Punctuation => Class::Punctuation,
                GeneralCategoryGroup::Symbol => Class::Symbol,
                GeneralCategoryGroup::Separator => Class::Space,
                GeneralCategoryGroup::Mark | GeneralCategoryGroup::Other => Class::Other,
            };
            assert_eq!(Class::of(char), expected, "{char:?}");
        }
    }
}
