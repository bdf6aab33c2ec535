//! Llama 3's rule and Qwen 2's, which differ in how many digits go together:
//! `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.

use super::class::{Class, space_before_word};
use super::{PreTokenizer, split_by};

pub(super) const LLAMA3: PreTokenizer = PreTokenizer {
    names: &["llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"],
    split: |text, sink| split_by(|text| word_len(text, 3), text, sink),
    whole_words_first: true,
    add_bos: true,
};

pub(super) const QWEN2: PreTokenizer = PreTokenizer {
    names: &[
        "qwen2",
        "deepseek-r1-qwen",
        "kormo",
        "f2llmv2",
        "megrez",
        "stablelm2",
        "hunyuan",
        "solar-open",
        "grok-2",
    ],
    split: |text, sink| split_by(|text| word_len(text, 1), text, sink),
    whole_words_first: false,
    add_bos: false,
};

/// The length of the word that `text` starts with, at most `digits` number characters in it.
fn word_len(text: &str, digits: usize) -> usize {
    if let Some(len) = contraction(text) {
        return len;
    }
    let Some(first) = text.chars().next() else { return 0 };
    let after = &text[first.len_utf8()..];
    match Class::of(first) {
        Class::Letter => return Class::Letter.run(text),
        Class::Number => return digits_len(text, digits),
        Class::Space | Class::Other => {}
    }
    if !matches!(first, '\r' | '\n') && Class::first(after) == Some(Class::Letter) {
        return first.len_utf8() + Class::Letter.run(after);
    }
    let signs = text.strip_prefix(' ').unwrap_or(text);
    if Class::first(signs) == Some(Class::Other) {
        let end = text.len() - signs.len() + Class::Other.run(signs);
        return end + line_ends(&text[end..]);
    }
    let space = &text[..Class::Space.run(text)];
    match space.rfind(['\r', '\n']) {
        Some(at) => at + 1,
        None => space_before_word(text),
    }
}

fn contraction(text: &str) -> Option<usize> {
    let letters = text.strip_prefix('\'')?.as_bytes();
    let starts =
        |with: &[u8]| letters.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let letters =
        [&b"s"[..], b"t", b"m", b"d", b"re", b"ve", b"ll"].into_iter().find(|letters| starts(letters))?;
    Some(1 + letters.len())
}

fn digits_len(text: &str, most: usize) -> usize {
    text.chars().take(most).take_while(|&char| Class::of(char) == Class::Number).map(char::len_utf8).sum()
}

fn line_ends(text: &str) -> usize {
    text.len() - text.trim_start_matches(['\r', '\n']).len()
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    /// Expected splits follow from the rule; those of whole texts, in tests/tokenizer, are llama.cpp's.
    #[test]
    fn splits_as_the_regular_expressions_do() {
        let cases: [(&str, &[&str]); 6] = [
            ("I'M (Bob)'s", &["I", "'M", " (", "Bob", ")'", "s"]),
            ("\tx\n\ny \n z", &["\tx", "\n\n", "y", " \n", " z"]),
            ("wow!!\r\n\r\nok", &["wow", "!!\r\n\r\n", "ok"]),
            ("12345 6", &["123", "45", " ", "6"]),
            ("a   b  \n  c", &["a", "  ", " b", "  \n", " ", " c"]),
            ("'ſ", &["'ſ"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(&LLAMA3, text), expected, "{text:?}");
        }
        assert_eq!(words(&QWEN2, "a 12"), ["a", " ", "1", "2"]);
    }
}
