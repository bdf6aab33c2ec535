//! MLIR's syntax: lines and indentation, identifiers, strings, numbers.

use crate::graph::{Argument, Constant, Function, Handle, Op, Value};
use std::collections::HashMap;
use std::fmt::{self, Display, Write};

/// Text that is written line by line.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// Writes a line.
    pub(super) fn line(&mut self, line: impl Display) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        // Writing to a string can't fail.
        let _ok: fmt::Result = writeln!(self.text, "{line}");
    }

    /// Writes an empty line.
    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// Writes `head {`, what `body` writes, further in, and `}` with `tail` behind it.
    pub(super) fn block(&mut self, head: impl Display, tail: impl Display, body: impl FnOnce(&mut Self)) {
        self.line(format_args!("{head} {{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line(format_args!("}}{tail}"));
    }

    /// All that was written.
    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// A symbol: `@main`, `@"blk.0.attn_q.weight"`.
pub(super) struct Symbol<'a>(pub(super) &'a str);

impl Display for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !self.0.is_empty()
            && !self.0.starts_with(|c: char| c.is_ascii_digit())
            && self.0.chars().all(plain)
        {
            write!(f, "@{}", self.0)
        } else {
            write!(f, "@{}", Quoted(self.0))
        }
    }
}

/// A string literal.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for byte in self.0.bytes() {
            match byte {
                b'"' | b'\\' => write!(f, "\\{}", char::from(byte))?,
                b' '..=b'~' => f.write_char(char::from(byte))?,
                // The lexer takes any other byte as two hexadecimal digits.
                other => write!(f, "\\{other:02X}")?,
            }
        }
        f.write_char('"')
    }
}

/// Items with commas between them.
pub(super) struct List<I>(pub(super) I);

impl<I: Clone + IntoIterator<Item: Display>> Display for List<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.clone().into_iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            item.fmt(f)?;
        }
        Ok(())
    }
}

/// The element of a constant. Floats are written so that they read back as the same bits.
pub(super) struct Literal(pub(super) Constant);

impl Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Constant::I32(value) => write!(f, "{value}"),
            Constant::F32(value) if !value.is_finite() => write!(f, "0x{:08X}", value.to_bits()),
            // The lexer wants a point before an exponent.
            Constant::F32(value) => match format!("{value:?}").split_once('e') {
                Some((mantissa, exponent)) if !mantissa.contains('.') => write!(f, "{mantissa}.0e{exponent}"),
                Some(_) | None => write!(f, "{value:?}"),
            },
        }
    }
}

/// What follows the name of an operation with two results, to name the second.
pub(super) const SECOND_RESULT: &str = "#1";

/// The names of a function's values: what a value is called in the graph, or its operation's name, numbered where
/// that repeats. Different values have different names; the value of an argument has the argument's.
pub(super) struct Names {
    by_value: Vec<String>,
}

impl Names {
    /// Names all values of a function.
    pub(super) fn new(function: &Function) -> Self {
        let mut seen: HashMap<&str, u32> =
            function.arguments.iter().map(|argument| (argument.name.as_str(), 1)).collect();
        let by_value = function.values.iter().map(|(_, value)| {
            if let Op::Argument { index } = value.op {
                return Self::argument(&function.arguments[index]);
            }
            let base = value.name.unwrap_or_else(|| value.op.name());
            let count = seen.entry(base).or_default();
            *count += 1;
            // Printed as a reduction of two tensors, the second being indices.
            let result = if let Op::ArgMax { .. } = value.op { SECOND_RESULT } else { "" };
            match *count {
                1 => format!("%{base}{result}"),
                // The dot keeps `q.2` apart from a value that is called `q2`.
                number => format!("%{base}.{number}{result}"),
            }
        });
        Self { by_value: by_value.collect() }
    }

    /// The name of an argument, with its `%`.
    pub(super) fn argument(argument: &Argument) -> String {
        format!("%{}", argument.name)
    }

    /// The name of a value, with its `%`.
    pub(super) fn of(&self, value: Handle<Value>) -> &str {
        &self.by_value[value.index()]
    }
}

/// An argument in a function's head.
pub(super) fn argument(argument: &Argument) -> String {
    let attributes = if argument.consumed { " {iree.abi.consume}" } else { "" };
    format!("{}: {}{attributes}", Names::argument(argument), argument.ty)
}
