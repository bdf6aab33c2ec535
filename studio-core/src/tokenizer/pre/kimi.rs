//! The rule of Kimi K2: Han characters apart, other letters with a sign before them and a contraction behind them,
//! `\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.

use super::class::{Class, class_run, run};
use super::cut;
use super::llama3::{contraction, digits, line_ends, space};

pub(super) fn k2(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(word_len, text, sink);
}

fn word_len(text: &str) -> usize {
    let Some(first) = text.chars().next() else { return 0 };
    let han = run(text, is_han);
    if han > 0 {
        return han;
    }
    let class = Class::of(first);
    let after = &text[first.len_utf8()..];
    let letters = run(after, is_letter);
    let may_precede = class != Class::Number && !matches!(first, '\r' | '\n');
    if is_letter(first) || (may_precede && letters > 0) {
        let end = first.len_utf8() + letters;
        return end + contraction(&text[end..]).unwrap_or(0);
    }
    if class == Class::Number {
        return digits(text, 3);
    }
    let signs = text.strip_prefix(' ').unwrap_or(text);
    match class_run(signs, Class::is_sign) {
        0 => space(text),
        run => {
            let end = text.len() - signs.len() + run;
            end + line_ends(&text[end..])
        }
    }
}

/// A letter that isn't Han.
fn is_letter(char: char) -> bool {
    Class::of(char) == Class::Letter && !is_han(char)
}

/// Unified and compatibility ideographs, up to extension F.
fn is_han(char: char) -> bool {
    matches!(
        char,
        '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{2a6df}'
            | '\u{2a700}'..='\u{2ebef}'
            | '\u{2f800}'..='\u{2fa1f}'
    )
}

#[cfg(test)]
mod tests {
    use super::super::pieces;
    use super::*;

    /// Expected splits follow from the rule.
    #[test]
    fn han_stands_apart_from_other_letters() {
        let cases: [(&str, &[&str]); 4] = [
            ("abc日本def", &["abc", "日本", "def"]),
            (" 日本's", &[" ", "日本", "'s"]),
            ("it's 12345!\n", &["it's", " ", "123", "45", "!\n"]),
            ("。かな漢", &["。かな", "漢"]),
        ];
        for (text, expected) in cases {
            assert_eq!(pieces(&[k2], text), expected, "{text:?}");
        }
    }
}
