//! The rule of GPT-4o and Mistral's Tekken: words also end where an upper-case letter follows a lower-case one.
//!
//! llama.cpp writes it with ASCII cases only, so that other letters count as both:
//! `[^\r\n\p{L}\p{N}]?U*L+C?|[^\r\n\p{L}\p{N}]?U+L*C?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
//! with U for letters but a–z, L for letters but A–Z, and C for contractions.

use super::class::{Class, class_run, run};
use super::cut;
use super::llama3::{contraction, digits, space};

/// In which details a rule differs.
struct Rule {
    /// Whether a word takes `'s` and the like with it.
    contractions: bool,
    /// How many digits go together at most.
    digits: usize,
    /// Whether marks count as letters of either case.
    marks: bool,
}

pub(super) fn gpt4o(text: &str, sink: &mut dyn FnMut(&str)) {
    Rule { contractions: true, digits: 3, marks: false }.cut(text, sink);
}

pub(super) fn tekken(text: &str, sink: &mut dyn FnMut(&str)) {
    Rule { contractions: false, digits: 1, marks: false }.cut(text, sink);
}

pub(super) fn granite_embedding(text: &str, sink: &mut dyn FnMut(&str)) {
    Rule { contractions: true, digits: 3, marks: true }.cut(text, sink);
}

impl Rule {
    fn cut(&self, text: &str, sink: &mut dyn FnMut(&str)) {
        cut::words(|text| self.word_len(text), text, sink);
    }

    fn word_len(&self, text: &str) -> usize {
        let Some(first) = text.chars().next() else { return 0 };
        let class = Class::of(first);
        if class == Class::Number {
            return digits(text, self.digits);
        }
        if let Some(word) = self.letters_len(text, first, class) {
            let contraction = if self.contractions { contraction(&text[word..]) } else { None };
            return word + contraction.unwrap_or(0);
        }
        let signs = text.strip_prefix(' ').unwrap_or(text);
        if signs.chars().next().map(Class::of).is_some_and(Class::is_sign) {
            let end = text.len() - signs.len() + class_run(signs, Class::is_sign);
            return end + run(&text[end..], |char| matches!(char, '\r' | '\n' | '/'));
        }
        space(text)
    }

    /// `[^\r\n\p{L}\p{N}]?U*L+|[^\r\n\p{L}\p{N}]?U+L*`
    fn letters_len(&self, text: &str, first: char, class: Class) -> Option<usize> {
        let prefix = first.len_utf8();
        let may_precede = class != Class::Letter && !matches!(first, '\r' | '\n');
        let behind_prefix = may_precede.then(|| self.cased_len(&text[prefix..])).flatten();
        // Each alternative is tried with the character before the letters first, then without.
        let tried = [behind_prefix.map(|(len, case)| (prefix + len, case)), self.cased_len(text)];
        let found = || tried.iter().flatten();
        found().find(|(_, case)| *case == Case::Ends).or_else(|| found().next()).map(|&(len, _)| len)
    }

    /// The letters that `text` starts with, up to where a lower-case run ends.
    fn cased_len(&self, text: &str) -> Option<(usize, Case)> {
        let letter = |char| match Class::of(char) {
            Class::Letter => true,
            Class::Mark => self.marks,
            _ => false,
        };
        let is_upper = |char: char| letter(char) && !char.is_ascii_lowercase();
        let is_lower = |char: char| letter(char) && !char.is_ascii_uppercase();
        let upper = run(text, is_upper);
        let lower = run(&text[upper..], is_lower);
        if lower > 0 {
            return Some((upper + lower, Case::Ends));
        }
        // No lower-case letter follows: the last of the upper-case run that counts as lower-case, too, ends it.
        match text[..upper].rfind(is_lower) {
            Some(at) => Some((at + text[at..].chars().next().map_or(0, char::len_utf8), Case::Ends)),
            None => (upper > 0).then_some((upper, Case::OnlyUpper)),
        }
    }
}

/// Which alternative letters match.
#[derive(PartialEq, Eq)]
enum Case {
    /// `U*L+`
    Ends,
    /// `U+L*`
    OnlyUpper,
}

#[cfg(test)]
mod tests {
    use super::super::pieces;
    use super::*;

    /// Expected splits follow from the rule.
    #[test]
    fn splits_as_the_regular_expressions_do() {
        let cases: [(&str, &[&str]); 7] = [
            ("HelloWorld", &["Hello", "World"]),
            ("HTTPServer", &["HTTPServer"]),
            ("ABC_DEFg's", &["ABC", "_DEFg's"]),
            ("ÄBC", &["Ä", "BC"]),
            ("12345/a//\n", &["123", "45", "/a", "//\n"]),
            (" (x) ", &[" (", "x", ")", " "]),
            ("e\u{301}a", &["e", "\u{301}a"]),
        ];
        for (text, expected) in cases {
            assert_eq!(pieces(&[gpt4o], text), expected, "{text:?}");
        }
        assert_eq!(pieces(&[tekken], "it's 12"), ["it", "'s", " ", "1", "2"]);
        assert_eq!(pieces(&[granite_embedding], "e\u{301}a"), ["e\u{301}a"]);
    }
}
