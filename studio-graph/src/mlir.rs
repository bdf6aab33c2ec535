//! Reads graphs from MLIR text: StableHLO as this workspace, JAX and torch's exporters print it, in the pretty form and
//! in the generic one.
//!
//! Each operation has a syntax of its own, and new ones come with each release, so none is known here. What all have in
//! common is read: results, operation, operands, attributes, regions, types, location. Regions become scopes, calls of
//! functions of the same text are put in place, names of locations become scopes. What is no text of MLIR is refused
//! with its line and column; nothing here recurses deeper than a small limit or grows faster than the text.

mod ast;
mod attributes;
mod cost;
mod lexer;
mod locations;
mod lower;
mod parser;

use crate::module::Module;

/// The longest text that is read.
pub const MAX_BYTES: usize = 64 << 20;

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl ParseError {
    fn at(source: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = source.get(..offset).unwrap_or(source);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }
}

/// Reads all functions with bodies that no other function of the text calls.
pub fn parse(source: &str) -> Result<Module, ParseError> {
    if source.len() > MAX_BYTES {
        let words = format!("the text has {} bytes, where at most {MAX_BYTES} are read", source.len());
        return Err(ParseError::at(source, 0, words));
    }
    let text = parser::parse(source)?;
    lower::lower(source, &text)
}
