//! SmolLM's rule: each number character is a word of its own; GPT-2's rule splits what lies between.

use super::class::Class;
use super::{PreTokenizer, gpt2};

pub(super) const SMOLLM: PreTokenizer = PreTokenizer {
    names: &["smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b", "mellum2"],
    split,
    whole_words_first: false,
    add_bos: false,
};

fn split(text: &str, sink: &mut dyn FnMut(&str)) {
    let mut start = 0;
    for (at, char) in text.char_indices() {
        if Class::of(char) == Class::Number {
            let end = at + char.len_utf8();
            gpt2::split(&text[start..at], sink);
            sink(&text[at..end]);
            start = end;
        }
    }
    gpt2::split(&text[start..], sink);
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn numbers_stand_alone_and_take_no_space() {
        let cases: [(&str, &[&str]); 4] = [
            ("in 2024, ok", &["in", " ", "2", "0", "2", "4", ",", " ok"]),
            ("a  1", &["a", "  ", "1"]),
            ("x½³b", &["x", "½", "³", "b"]),
            ("1'd", &["1", "'d"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(&SMOLLM, text), expected, "{text:?}");
        }
    }
}
