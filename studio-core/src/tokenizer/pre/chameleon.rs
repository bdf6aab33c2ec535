//! The rules of Chameleon, which writes pictures as text. GPT-2's rule follows them.

use super::class::{Class, run};
use super::cut;
use super::parts::first_len;

/// `<sentinel:[0-9]+>`
pub(super) fn sentinels(text: &str, sink: &mut dyn FnMut(&str)) {
    const BEGIN: &str = "<sentinel:";
    let len = |text: &str| {
        let Some(rest) = text.strip_prefix(BEGIN) else { return 0 };
        let digits = run(rest, |char| char.is_ascii_digit());
        if digits > 0 && rest[digits..].starts_with('>') { BEGIN.len() + digits + 1 } else { 0 }
    };
    cut::words(len, text, sink);
}

/// `IMGIMG[A-I]{1,4}Z`
pub(super) fn images(text: &str, sink: &mut dyn FnMut(&str)) {
    const BEGIN: &str = "IMGIMG";
    let len = |text: &str| {
        let Some(rest) = text.strip_prefix(BEGIN) else { return 0 };
        let letters = run(rest, |char| matches!(char, 'A'..='I'));
        if (1..=4).contains(&letters) && rest[letters..].starts_with('Z') {
            BEGIN.len() + letters + 1
        } else {
            0
        }
    };
    cut::words(len, text, sink);
}

/// `[\t\n]|    |  `: tabs and line feeds one by one, spaces by four or two.
pub(super) fn blanks(text: &str, sink: &mut dyn FnMut(&str)) {
    let len = |text: &str| match text.as_bytes() {
        [b'\t' | b'\n', ..] => 1,
        [b' ', b' ', b' ', b' ', ..] => 4,
        [b' ', b' ', ..] => 2,
        _ => 0,
    };
    cut::words(len, text, sink);
}

/// ``[\p{P}!-/:-@\[-`{-~]``: each sign by itself.
pub(super) fn sign(text: &str, sink: &mut dyn FnMut(&str)) {
    let is = |char: char| char.is_ascii_punctuation() || Class::of(char) == Class::Punctuation;
    cut::words(|text| first_len(text, is), text, sink);
}

#[cfg(test)]
mod tests {
    use super::super::pieces;
    use super::*;

    #[test]
    fn pictures_and_blanks_stand_apart() {
        assert_eq!(pieces(&[sentinels], "a<sentinel:12><sentinel:>"), ["a", "<sentinel:12>", "<sentinel:>"]);
        assert_eq!(pieces(&[images], "IMGIMGABZIMGIMGABCDEZ"), ["IMGIMGABZ", "IMGIMGABCDEZ"]);
        assert_eq!(pieces(&[blanks], "a       b\n\n"), ["a", "    ", "  ", " b", "\n", "\n"]);
        assert_eq!(pieces(&[sign], "a!?“b"), ["a", "!", "?", "“", "b"]);
    }
}
