//! GPT-2's rule:
//! `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`.

use super::class::{Class, class_run, space_before_word};
use super::cut;

pub(super) fn words(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(word_len, text, sink);
}

const CONTRACTIONS: [&str; 7] = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"];

fn word_len(text: &str) -> usize {
    if let Some(contraction) = CONTRACTIONS.into_iter().find(|contraction| text.starts_with(contraction)) {
        return contraction.len();
    }
    let word = text.strip_prefix(' ').unwrap_or(text);
    let run = match word.chars().next().map(Class::of) {
        None | Some(Class::Space) => return space_before_word(text),
        Some(class) if class.is_sign() => class_run(word, Class::is_sign),
        Some(class) => class_run(word, |other| other == class),
    };
    text.len() - word.len() + run
}

#[cfg(test)]
mod tests {
    use super::super::pieces;
    use super::*;

    /// Expected splits follow from the rule; those of whole texts, in tests/tokenizer, are llama.cpp's.
    #[test]
    fn splits_as_the_regular_expression_does() {
        let cases: [(&str, &[&str]); 9] = [
            ("", &[]),
            ("I'm here, they'll see'em", &["I", "'m", " here", ",", " they", "'ll", " see", "'", "em"]),
            ("I'M", &["I", "'", "M"]),
            ("a  b   c \n d ", &["a", " ", " b", "  ", " c", " \n", " d", " "]),
            ("x 1234.5", &["x", " 1234", ".", "5"]),
            ("\u{a0}a\u{3000}\u{3000}b", &["\u{a0}", "a", "\u{3000}", "\u{3000}", "b"]),
            ("f(x)--> {}", &["f", "(", "x", ")-->", " {}"]),
            ("e\u{301}a", &["e", "\u{301}", "a"]),
            ("  ", &["  "]),
        ];
        for (text, expected) in cases {
            assert_eq!(pieces(&[words], text), expected, "{text:?}");
        }
    }
}
