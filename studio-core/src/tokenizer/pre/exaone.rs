//! The rule of EXAONE's mixture of experts, whose words go on over single spaces:
//! `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+`

use super::class::{Class, class_run};
use super::cut;
use super::llama3::{contraction, space};
use super::parts::first_len;

pub(super) fn moe(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(word_len, text, sink);
}

fn word_len(text: &str) -> usize {
    if let Some(len) = contraction(text) {
        return len;
    }
    let Some(first) = text.chars().next() else { return 0 };
    let class = Class::of(first);
    // Of a character before the letters and none, the first is tried first.
    let may_precede = !matches!(class, Class::Letter | Class::Number) && !matches!(first, '\r' | '\n');
    let prefix = if may_precede { first.len_utf8() } else { 0 };
    let letters = phrase_len(&text[prefix..]);
    if letters > 0 {
        return prefix + letters;
    }
    if class == Class::Number {
        return first.len_utf8();
    }
    let signs = text.strip_prefix(' ').unwrap_or(text);
    match class_run(signs, Class::is_sign) {
        0 => space(text),
        run => {
            let end = text.len() - signs.len() + run;
            end + first_len(&text[end..], |char| matches!(char, '\r' | '\n' | '/'))
        }
    }
}

/// `(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+`: letters with their marks, single spaces between some of them.
fn phrase_len(text: &str) -> usize {
    let letter = |text: &str| match first_len(text, |char| Class::of(char) == Class::Letter) {
        0 => 0,
        letter => letter + class_run(&text[letter..], |class| class == Class::Mark),
    };
    let mut len = letter(text);
    while len > 0 {
        let rest = &text[len..];
        let next = match (letter(rest), rest.strip_prefix(' ').map(letter)) {
            (0, None | Some(0)) => break,
            (0, Some(behind_space)) => 1 + behind_space,
            (next, _) => next,
        };
        len += next;
    }
    len
}

#[cfg(test)]
mod tests {
    use super::super::pieces;
    use super::*;

    /// Expected splits follow from the rule.
    #[test]
    fn words_go_on_over_single_spaces() {
        let cases: [(&str, &[&str]); 4] = [
            ("the old man  sat 12", &["the old man", " ", " sat", " ", "1", "2"]),
            ("it's", &["it", "'s"]),
            ("e\u{301}a b", &["e\u{301}a b"]),
            ("ok!//\n\nx", &["ok", "!//\n", "\n", "x"]),
        ];
        for (text, expected) in cases {
            assert_eq!(pieces(&[moe], text), expected, "{text:?}");
        }
    }
}
