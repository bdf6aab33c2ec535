//! The characters that GPT-2 vocabularies write for bytes.
//!
//! Such vocabularies are text, so that each of the 256 bytes is given a printable character: bytes that are
//! printable in Latin-1 stand for themselves, the others are numbered upward from U+0100 in byte order.

/// The character for `byte`.
pub(super) fn char_of(byte: u8) -> char {
    match byte {
        0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => char::from(byte),
        0x00..=0x20 => shifted(u32::from(byte)),
        0x7F..=0xA0 => shifted(u32::from(byte) - 0x7F + 0x21),
        0xAD => shifted(0x43),
    }
}

/// The character for the `nth` byte that isn't printable.
fn shifted(nth: u32) -> char {
    char::from_u32(0x100 + nth).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte that `char` is written for, if it is one of the 256.
fn byte_of(char: char) -> Option<u8> {
    let nth = match u32::from(char) {
        code @ (0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF) => code,
        code @ 0x100..=0x120 => code - 0x100,
        code @ 0x121..=0x142 => code - 0x121 + 0x7F,
        0x143 => 0xAD,
        _ => return None,
    };
    u8::try_from(nth).ok()
}

/// The bytes that a token's text stands for; `None` if some of it stands for none.
pub(super) fn bytes_of(text: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(text).ok()?.chars().map(byte_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_characters_of_the_gpt2_alphabet() {
        let known =
            [(b' ', 'Ġ'), (b'\n', 'Ċ'), (b'\t', 'ĉ'), (0, 'Ā'), (0x7F, 'ġ'), (0xA0, 'ł'), (0xAD, 'Ń')];
        for (byte, char) in known {
            assert_eq!(char_of(byte), char, "byte {byte:#04x}");
        }
        assert_eq!(char_of(b'a'), 'a');
        assert_eq!(char_of(0xE9), 'é');
    }

    #[test]
    fn each_byte_has_a_character_of_its_own() {
        for byte in 0..=255 {
            assert_eq!(bytes_of(char_of(byte).to_string().as_bytes()), Some(vec![byte]));
        }
    }

    #[test]
    fn text_outside_the_alphabet_stands_for_no_bytes() {
        for text in [&b"a b"[..], "日".as_bytes(), b"\xff"] {
            assert_eq!(bytes_of(text), None);
        }
    }
}
