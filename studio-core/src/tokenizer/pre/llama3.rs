//! Llama 3's rule,
//! `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
//! and those that differ from it in a detail.

use super::class::{Class, class_run, run, space_before_word};
use super::cut;

/// In which details a rule differs.
struct Rule {
    /// Whether `'s` and the like are words.
    contractions: bool,
    /// How many digits go together at most.
    digits: usize,
    /// Whether marks count as letters.
    marks: bool,
    /// Whether signs take the line ends behind them.
    line_ends: bool,
}

const LLAMA3: Rule = Rule { contractions: true, digits: 3, marks: false, line_ends: true };
const QWEN2: Rule = Rule { digits: 1, ..LLAMA3 };

pub(super) fn llama3(text: &str, sink: &mut dyn FnMut(&str)) {
    LLAMA3.cut(text, sink);
}

/// Each digit is a word.
pub(super) fn qwen2(text: &str, sink: &mut dyn FnMut(&str)) {
    QWEN2.cut(text, sink);
}

/// … and marks go with their letters.
pub(super) fn qwen35(text: &str, sink: &mut dyn FnMut(&str)) {
    Rule { marks: true, ..QWEN2 }.cut(text, sink);
}

/// … and line ends stand alone.
pub(super) fn seed_coder(text: &str, sink: &mut dyn FnMut(&str)) {
    Rule { line_ends: false, ..QWEN2 }.cut(text, sink);
}

/// … and an apostrophe starts no word of its own: Turkish has suffixes behind it.
pub(super) fn ufakzeka(text: &str, sink: &mut dyn FnMut(&str)) {
    Rule { contractions: false, ..QWEN2 }.cut(text, sink);
}

/// All digits go together.
pub(super) fn minicpm5(text: &str, sink: &mut dyn FnMut(&str)) {
    Rule { digits: usize::MAX, ..LLAMA3 }.cut(text, sink);
}

impl Rule {
    fn cut(&self, text: &str, sink: &mut dyn FnMut(&str)) {
        cut::words(|text| self.word_len(text), text, sink);
    }

    fn word_len(&self, text: &str) -> usize {
        if self.contractions
            && let Some(len) = contraction(text)
        {
            return len;
        }
        let Some(first) = text.chars().next() else { return 0 };
        let letter = |class| class == Class::Letter || (self.marks && class == Class::Mark);
        let class = Class::of(first);
        let after = &text[first.len_utf8()..];
        if class == Class::Number {
            return digits(text, self.digits);
        }
        // Any character but these may go before letters, and a mark that counts as a letter, too.
        if !matches!(first, '\r' | '\n')
            && (letter(class) || after.chars().next().map(Class::of).is_some_and(letter))
        {
            return first.len_utf8() + class_run(after, letter);
        }
        let sign = |class: Class| class.is_sign() && !letter(class);
        let signs = text.strip_prefix(' ').unwrap_or(text);
        if signs.chars().next().map(Class::of).is_some_and(sign) {
            let end = text.len() - signs.len() + class_run(signs, sign);
            return if self.line_ends { end + line_ends(&text[end..]) } else { end };
        }
        space(text)
    }
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
pub(super) fn contraction(text: &str) -> Option<usize> {
    let letters = text.strip_prefix('\'')?.as_bytes();
    let starts =
        |with: &[u8]| letters.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let letters =
        [&b"s"[..], b"t", b"m", b"d", b"re", b"ve", b"ll"].into_iter().find(|letters| starts(letters))?;
    Some(1 + letters.len())
}

/// `\p{N}{1,most}`
pub(super) fn digits(text: &str, most: usize) -> usize {
    text.chars().take(most).take_while(|&char| Class::of(char) == Class::Number).map(char::len_utf8).sum()
}

/// `[\r\n]*`
pub(super) fn line_ends(text: &str) -> usize {
    run(text, |char| matches!(char, '\r' | '\n'))
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`
pub(super) fn space(text: &str) -> usize {
    let space = &text[..class_run(text, |class| class == Class::Space)];
    match space.rfind(['\r', '\n']) {
        Some(at) => at + 1,
        None => space_before_word(text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::pieces;
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
            assert_eq!(pieces(&[llama3], text), expected, "{text:?}");
        }
        assert_eq!(pieces(&[qwen2], "a 12"), ["a", " ", "1", "2"]);
        assert_eq!(pieces(&[qwen2], "e\u{301}!"), ["e", "\u{301}!"]);
        assert_eq!(pieces(&[qwen35], "e\u{301}! \u{301}a"), ["e\u{301}", "!", " \u{301}a"]);
        assert_eq!(pieces(&[seed_coder], "!\n\n"), ["!", "\n\n"]);
        assert_eq!(pieces(&[ufakzeka], "Ali'm"), ["Ali", "'m"]);
        assert_eq!(pieces(&[ufakzeka], "Ali'de"), ["Ali", "'de"]);
        assert_eq!(pieces(&[minicpm5], "12345"), ["12345"]);
    }
}
