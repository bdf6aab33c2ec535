//! Words and signs.

use super::ParseError;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `%x`, `%0#1`
    Value,
    /// `@x`, `@"x"`
    Symbol,
    /// `^bb0`
    Block,
    /// `#loc1`, `#stablehlo`
    Hash,
    /// A name, a number, or a shape: `stablehlo.add`, `1.0e-5`, `4x8xf32`.
    Word,
    /// A string with its quotes.
    Text,
    /// `->`
    Arrow,
    /// `::`
    Path,
    /// Any other sign.
    Sign(u8),
    /// The end.
    End,
}

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether nothing stands before it on its line.
    pub(super) first: bool,
}

impl Token {
    pub(super) fn text<'s>(&self, source: &'s str) -> &'s str {
        source.get(self.start..self.end).unwrap_or_default()
    }

    pub(super) fn is(&self, sign: u8) -> bool {
        self.kind == Kind::Sign(sign)
    }
}

/// Reads tokens one after the other.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'s> {
    source: &'s str,
    at: usize,
    first: bool,
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, at: 0, first: true }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.source.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    pub(super) fn next(&mut self) -> Result<Token, ParseError> {
        self.skip_blank();
        let (start, first) = (self.at, std::mem::take(&mut self.first));
        let byte = self.byte(0);
        let kind = match byte {
            0 if self.at >= self.source.len() => Kind::End,
            b'"' => {
                self.string()?;
                Kind::Text
            }
            b'%' | b'^' | b'#' | b'!' if in_word(self.byte(1)) => {
                self.at += 1;
                self.word();
                if byte == b'%' && self.byte(0) == b'#' {
                    self.at += 1;
                    self.word();
                }
                match byte {
                    b'%' => Kind::Value,
                    b'^' => Kind::Block,
                    b'#' => Kind::Hash,
                    _ => Kind::Word,
                }
            }
            b'@' => {
                self.at += 1;
                if self.byte(0) == b'"' {
                    self.string()?
                } else {
                    self.word()
                }
                Kind::Symbol
            }
            b'-' if self.byte(1) == b'>' => {
                self.at += 2;
                Kind::Arrow
            }
            b':' if self.byte(1) == b':' => {
                self.at += 2;
                Kind::Path
            }
            byte if in_word(byte) => {
                self.word();
                Kind::Word
            }
            byte => {
                // A character that is no sign of MLIR is one sign all the same: what it stands in is judged later.
                self.at += self.source[self.at..].chars().next().map_or(1, char::len_utf8);
                Kind::Sign(byte)
            }
        };
        Ok(Token { kind, start, end: self.at, first })
    }

    fn word(&mut self) {
        let start = self.at;
        while in_word(self.byte(0)) {
            self.at += 1;
            let exponent = matches!(self.source.as_bytes()[self.at - 1], b'e' | b'E')
                && self.source.as_bytes()[start].is_ascii_digit()
                && matches!(self.byte(0), b'+' | b'-')
                && self.byte(1).is_ascii_digit();
            self.at += usize::from(exponent);
        }
    }

    fn string(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        self.at += 1;
        let bytes = self.source.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b'"') => break self.at += 1,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => return Err(ParseError::at(self.source, start, "this string has no end")),
            }
        }
        // What follows a backslash may be part of a longer character only in text that isn't MLIR.
        while !self.source.is_char_boundary(self.at.min(self.source.len())) {
            self.at += 1;
        }
        Ok(())
    }

    /// Spaces, comments, and the resources behind a module, which no graph shows.
    fn skip_blank(&mut self) {
        loop {
            match self.byte(0) {
                b'\n' => {
                    self.at += 1;
                    self.first = true;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.byte(1) == b'/' => {
                    let end =
                        self.source[self.at..].find('\n').map_or(self.source.len(), |end| self.at + end);
                    self.at = end;
                }
                b'{' if self.source[self.at..].starts_with("{-#") => {
                    let end =
                        self.source[self.at..].find("#-}").map_or(self.source.len(), |end| self.at + end + 3);
                    self.at = end;
                }
                _ => return,
            }
        }
    }
}
