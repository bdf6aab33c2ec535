//! Small rules that others are put together from. Each takes some pieces out; what lies between them stays together.

use super::class::{Class, class_run, run};
use super::cut;

/// `\p{N}`
pub(super) fn number(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(|text| first_len(text, |char| Class::of(char) == Class::Number), text, sink);
}

/// `\p{N}+`
pub(super) fn numbers(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(|text| class_run(text, |class| class == Class::Number), text, sink);
}

/// `\p{N}{1,3}`
pub(super) fn three_numbers(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(|text| super::llama3::digits(text, 3), text, sink);
}

/// `[0-9][0-9][0-9]`
pub(super) fn three_digits(text: &str, sink: &mut dyn FnMut(&str)) {
    let len = |text: &str| {
        let three = text.as_bytes().first_chunk::<3>();
        if three.is_some_and(|digits| digits.iter().all(u8::is_ascii_digit)) { 3 } else { 0 }
    };
    cut::words(len, text, sink);
}

/// Numbers by three from their last digit on. What stands before a number goes with its first group, where that is shorter
/// than three and where it isn't: so llama.cpp has it, and rules that follow part them.
pub(super) fn numbers_by_three(text: &str, sink: &mut dyn FnMut(&str)) {
    let is_number = |char| Class::of(char) == Class::Number;
    let mut rest = text;
    while let Some(begin) = rest.find(is_number) {
        let count = rest[begin..].chars().take_while(|&char| is_number(char)).count();
        let group = |text: &str, count: usize| text.chars().take(count).map(char::len_utf8).sum::<usize>();
        let mut left = count;
        let mut before = begin;
        while left > 0 {
            let len = match left % 3 {
                0 => 3,
                odd => odd,
            };
            let end = before + group(&rest[before..], len);
            sink(&rest[..end]);
            (rest, before, left) = (&rest[end..], 0, left - len);
        }
    }
    if !rest.is_empty() {
        sink(rest);
    }
}

/// `(?=(\d{3})+(?!\d))`: ASCII digits by three from the last of them on; what stands before them stays with none.
pub(super) fn before_three_digits(text: &str, sink: &mut dyn FnMut(&str)) {
    let begins = |at: &usize| {
        let digits = run(&text[*at..], |char| char.is_ascii_digit());
        digits > 0 && digits.is_multiple_of(3)
    };
    let mut from = 0;
    for at in text.char_indices().map(|(at, _)| at).filter(|at| *at > 0).filter(begins) {
        sink(&text[from..at]);
        from = at;
    }
    if from < text.len() {
        sink(&text[from..]);
    }
}

/// `[\r\n]`
pub(super) fn line_end(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(|text| first_len(text, |char| matches!(char, '\r' | '\n')), text, sink);
}

/// `[^\n]+|[\n]+`
pub(super) fn lines(text: &str, sink: &mut dyn FnMut(&str)) {
    let len = |text: &str| match text.starts_with('\n') {
        true => run(text, |char| char == '\n'),
        false => run(text, |char| char != '\n'),
    };
    cut::words(len, text, sink);
}

/// `\s+$`
pub(super) fn space_at_the_end(text: &str, sink: &mut dyn FnMut(&str)) {
    let kept = text.trim_end_matches(|char| Class::of(char) == Class::Space);
    for piece in [kept, &text[kept.len()..]] {
        if !piece.is_empty() {
            sink(piece);
        }
    }
}

/// ``[\p{P}\$\+<=>\^~\|`]+``
pub(super) fn falcon_punctuation(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(|text| run(text, |char| char == '`' || is_default_punctuation(char)), text, sink);
}

/// `[\p{P}\$\+<=>\^~\|]+`
pub(super) fn default_punctuation(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(|text| run(text, is_default_punctuation), text, sink);
}

fn is_default_punctuation(char: char) -> bool {
    Class::of(char) == Class::Punctuation || matches!(char, '$' | '+' | '<'..='>' | '^' | '~' | '|')
}

/// ` ?[^(\s|.,!?…。，、।۔،)]+`, which is all of Bloom's rule.
pub(super) fn bloom(text: &str, sink: &mut dyn FnMut(&str)) {
    let in_word = |char| {
        Class::of(char) != Class::Space
            && !matches!(
                char,
                '(' | '|' | '.' | ',' | '!' | '?' | '…' | '。' | '，' | '、' | '।' | '۔' | '،' | ')'
            )
    };
    let len = |text: &str| match run(text.strip_prefix(' ').unwrap_or(text), in_word) {
        0 => 0,
        word => word + usize::from(text.starts_with(' ')),
    };
    cut::words(len, text, sink);
}

/// The length of the first character if `is` holds for it.
pub(super) fn first_len(text: &str, is: impl Fn(char) -> bool) -> usize {
    text.chars().next().filter(|&char| is(char)).map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::super::pieces;
    use super::*;

    #[test]
    fn what_lies_between_stays_together() {
        assert_eq!(pieces(&[number], "in 24x"), ["in ", "2", "4", "x"]);
        assert_eq!(pieces(&[numbers], "in 24½x"), ["in ", "24½", "x"]);
        assert_eq!(pieces(&[three_digits], "a1234567"), ["a", "123", "456", "7"]);
        assert_eq!(pieces(&[numbers_by_three], "a1234x123y"), ["a1", "234", "x123", "y"]);
        assert_eq!(pieces(&[before_three_digits], "a1234567½12"), ["a1", "234", "567½12"]);
        assert_eq!(pieces(&[lines], "a\n\nb c"), ["a", "\n\n", "b c"]);
        assert_eq!(pieces(&[space_at_the_end], "a b  "), ["a b", "  "]);
        assert_eq!(pieces(&[falcon_punctuation], "a+`b"), ["a", "+`", "b"]);
        assert_eq!(pieces(&[default_punctuation], "a+`b"), ["a", "+", "`b"]);
        assert_eq!(pieces(&[bloom], "a b,  c"), ["a", " b", ", ", " c"]);
    }
}
