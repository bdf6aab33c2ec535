//! The rules of DeepSeek's models.

use super::class::{Class, class_run, run};
use super::cut;
use super::llama3::{line_ends, space};

/// `\s?[A-Za-zµÀ-Ö…]+`: letters of alphabets that have cases.
pub(super) fn cased_letters(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(|text| behind_space(text, is_cased_letter), text, sink);
}

/// `\s?[!-/:-~！-／：-～‘-‟　-。]+`
pub(super) fn ascii_and_wide_signs(text: &str, sink: &mut dyn FnMut(&str)) {
    let is =
        |char| matches!(char, '!'..='/' | ':'..='~' | '！'..='／' | '：'..='～' | '‘'..='‟' | '、'..='。');
    cut::words(|text| behind_space(text, is), text, sink);
}

/// `[一-龥ࠀ-一가-퟿]+`
pub(super) fn asian(text: &str, sink: &mut dyn FnMut(&str)) {
    let is = |char| {
        matches!(char, '\u{800}'..='\u{9fa5}' | '\u{ac00}'..='\u{d7ff}') && Class::of(char) != Class::Space
    };
    cut::words(|text| run(text, is), text, sink);
}

/// Scripts of East and South-East Asia in which words aren't parted: Han, Kana, Thai, Lao, Khmer, Burmese, Hangul.
pub(super) fn scripts_without_spaces(text: &str, sink: &mut dyn FnMut(&str)) {
    let is = |char| {
        matches!(
            char,
            '\u{e40}'..='\u{eff}'
                | '\u{1000}'..='\u{109f}'
                | '\u{1100}'..='\u{11ff}'
                | '\u{1780}'..='\u{17ff}'
                | '\u{2f00}'..='\u{2fdf}'
                | '\u{3040}'..='\u{30ff}'
                | '\u{3400}'..='\u{4dbf}'
                | '\u{4e00}'..='\u{9fff}'
                // Meant to begin at U+F900, which normalises to this: so llama.cpp has it.
                | '\u{8c48}'..='\u{faff}'
                | '\u{ff65}'..='\u{ff9f}'
        )
    };
    cut::words(|text| run(text, is), text, sink);
}

/// `\s?\p{L}+`
pub(super) fn letters(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(|text| behind_space(text, |char| Class::of(char) == Class::Letter), text, sink);
}

/// `\s?\p{P}+`
pub(super) fn punctuation(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(|text| behind_space(text, |char| Class::of(char) == Class::Punctuation), text, sink);
}

/// `[一-龥぀-ゟ゠-ヿ]+`
pub(super) fn han_and_kana(text: &str, sink: &mut dyn FnMut(&str)) {
    let is = |char| matches!(char, '\u{4e00}'..='\u{9fa5}' | '\u{3040}'..='\u{30ff}');
    cut::words(|text| run(text, is), text, sink);
}

/// The third of DeepSeek V3's: a sign of ASCII with the ASCII letters behind it,
/// `[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+`, ` ?[\p{P}\p{S}]+[\r\n]*`, and white space.
pub(super) fn v3(text: &str, sink: &mut dyn FnMut(&str)) {
    cut::words(v3_word_len, text, sink);
}

fn v3_word_len(text: &str) -> usize {
    let Some(first) = text.chars().next() else { return 0 };
    let after = &text[first.len_utf8()..];
    if first.is_ascii_punctuation() {
        let letters = run(after, |char| char.is_ascii_alphabetic());
        if letters > 0 {
            return 1 + letters;
        }
    }
    let class = Class::of(first);
    let is_letter = |class| matches!(class, Class::Letter | Class::Mark);
    let is_sign = |class| matches!(class, Class::Punctuation | Class::Symbol);
    let letters = class_run(after, is_letter);
    let may_precede = !matches!(first, '\r' | '\n') && !is_sign(class);
    if is_letter(class) || (may_precede && letters > 0) {
        return first.len_utf8() + letters;
    }
    let signs = text.strip_prefix(' ').unwrap_or(text);
    match class_run(signs, is_sign) {
        0 => space(text),
        run => {
            let end = text.len() - signs.len() + run;
            end + line_ends(&text[end..])
        }
    }
}

/// `\s?[…]+`
fn behind_space(text: &str, is: impl Fn(char) -> bool) -> usize {
    let first = text.chars().next().filter(|&char| Class::of(char) == Class::Space);
    let space = first.map_or(0, char::len_utf8);
    match run(&text[space..], is) {
        0 => 0,
        run => space + run,
    }
}

fn is_cased_letter(char: char) -> bool {
    let code = u32::from(char);
    let after = CASED_LETTERS.partition_point(|&(first, _)| first <= code);
    CASED_LETTERS[..after].last().is_some_and(|&(_, last)| code <= last)
}

/// The first and the last of each range in the models' `tokenizer.json`, ascending.
#[rustfmt::skip]
const CASED_LETTERS: [(u32, u32); 84] = [
    (0x41, 0x5A), (0x61, 0x7A), (0xB5, 0xB5), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x1BA), (0x1BC, 0x1BF), (0x1C4,
    0x293), (0x295, 0x2AF), (0x370, 0x373), (0x376, 0x377), (0x37B, 0x37D), (0x37F, 0x37F), (0x386, 0x386),
    (0x388, 0x38A), (0x38C, 0x38C), (0x38E, 0x3A1), (0x3A3, 0x3F5), (0x3F7, 0x481), (0x48A, 0x52F), (0x531,
    0x556), (0x10A0, 0x10C5), (0x13A0, 0x13F5), (0x13F8, 0x13FD), (0x1C90, 0x1CBA), (0x1CBD, 0x1CBF), (0x1D00,
    0x1D2B), (0x1D6B, 0x1D77), (0x1D79, 0x1D9A), (0x1E00, 0x1F15), (0x1F18, 0x1F1D), (0x1F20, 0x1F45), (0x1F48,
    0x1F4D), (0x1F50, 0x1F57), (0x1F59, 0x1F59), (0x1F5B, 0x1F5B), (0x1F5D, 0x1F5D), (0x1F5F, 0x1F7D), (0x1F80,
    0x1FB4), (0x1FB6, 0x1FBC), (0x1FBE, 0x1FBE), (0x1FC2, 0x1FC4), (0x1FC6, 0x1FCC), (0x1FD0, 0x1FD3), (0x1FD6,
    0x1FDB), (0x1FE0, 0x1FEC), (0x1FF2, 0x1FF4), (0x1FF6, 0x1FFC), (0x2102, 0x2102), (0x2107, 0x2107), (0x210A,
    0x2113), (0x2115, 0x2115), (0x2119, 0x211D), (0x2124, 0x2124), (0x2126, 0x2126), (0x2128, 0x2128), (0x212A,
    0x212D), (0x212F, 0x2134), (0x2139, 0x2139), (0x213C, 0x213F), (0x2145, 0x2149), (0x214E, 0x214E), (0x2183,
    0x2184), (0x2C00, 0x2C7B), (0x2C7E, 0x2CE4), (0x2CEB, 0x2CEE), (0x2CF2, 0x2CF3), (0xA640, 0xA66D), (0xA680,
    0xA69B), (0xA722, 0xA76F), (0xA771, 0xA787), (0xA78B, 0xA78E), (0xAB70, 0xABBF), (0xFB00, 0xFB06), (0xFB13,
    0xFB17), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A), (0x10400, 0x1044F), (0x104B0, 0x104D3), (0x104D8, 0x104FB),
    (0x10C80, 0x10CB2), (0x10CC0, 0x10CF2), (0x118A0, 0x118DF), (0x1E900, 0x1E943)
];

#[cfg(test)]
mod tests {
    use super::super::pieces;
    use super::*;

    /// Expected splits follow from the rules.
    #[test]
    fn splits_as_the_regular_expressions_do() {
        assert_eq!(pieces(&[cased_letters], "a bé日"), ["a", " bé", "日"]);
        assert_eq!(pieces(&[ascii_and_wide_signs], "é (。1"), ["é", " (。", "1"]);
        assert_eq!(pieces(&[asian], "a日本b"), ["a", "日本", "b"]);
        assert_eq!(pieces(&[v3], "x.foo  (a1)\n"), ["x", ".foo", " ", " (", "a", "1", ")\n"]);
        assert_eq!(pieces(&[v3], "e\u{301} 1a"), ["e\u{301}", " ", "1a"]);
    }
}
