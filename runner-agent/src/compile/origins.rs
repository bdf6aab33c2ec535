//! Where dispatches come from, read off the compiler's own text.
//!
//! After its phase `flow` the compiler has formed all dispatches and given them the names that the module will have. A
//! line of that text says what is dispatched and where in the graph that came from:
//!
//! ```text
//! %6 = flow.dispatch @exec::@name(%2) : … loc(callsite(fused["layer 0 / mlp", "layer 0"] at "model.mlir":276:3))
//! ```
//!
//! Names in a location that are followed by a line and a column are files; the others are scopes.

use std::collections::HashMap;
use std::io::{self, BufRead};
use studio_protocol::{DispatchSite, FunctionOrigins, Origins};

/// Dispatches outside of functions: what is made once, when a module is loaded.
const INITIALIZER: &str = "initializer";

/// Reads the text, line by line. What isn't understood is left out.
pub(super) fn read(text: impl BufRead) -> io::Result<Origins> {
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.take(&line?);
    }
    Ok(reader.origins)
}

#[derive(Default)]
struct Reader {
    origins: Origins,
    scopes: HashMap<String, u32>,
    dispatches: HashMap<String, u32>,
    functions: HashMap<String, usize>,
    /// The function whose lines are read.
    current: String,
}

impl Reader {
    fn take(&mut self, line: &str) {
        let words = line.trim_start();
        if words.starts_with("util.initializer") {
            INITIALIZER.clone_into(&mut self.current);
        } else if words.starts_with("util.func") {
            let name = words.find('@').and_then(|at| symbol(&words[at + 1..]));
            // What is called without waiting for it is the compiler's own half of a function.
            self.current =
                name.map(|(name, _)| name.trim_end_matches("$async").to_owned()).unwrap_or_default();
        } else if let Some((_, dispatch)) = line.split_once("flow.dispatch ") {
            self.dispatch(dispatch);
        }
    }

    fn dispatch(&mut self, words: &str) {
        let entry = words.split_once("::@").and_then(|(_, rest)| symbol(rest));
        let Some((entry, rest)) = entry else { return };
        let scopes = rest.rsplit_once(" loc(").map(|(_, location)| scopes(location)).unwrap_or_default();
        let dispatch = number(&mut self.dispatches, &mut self.origins.dispatches, entry);
        let scopes = scopes
            .into_iter()
            .map(|scope| number(&mut self.scopes, &mut self.origins.scopes, scope))
            .collect();
        let functions = &mut self.origins.functions;
        let function = *self.functions.entry(self.current.clone()).or_insert_with(|| {
            functions.push(FunctionOrigins { name: self.current.clone(), sites: Vec::new() });
            functions.len() - 1
        });
        functions[function].sites.push(DispatchSite { dispatch, scopes });
    }
}

/// The number of a name, given when it is first seen.
fn number(numbers: &mut HashMap<String, u32>, names: &mut Vec<String>, name: String) -> u32 {
    *numbers.entry(name).or_insert_with_key(|name| {
        names.push(name.clone());
        names.len() as u32 - 1
    })
}

/// The symbol that a text begins with, behind its `@`, and what follows it.
fn symbol(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        return string(quoted);
    }
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_$.-".contains(c))).unwrap_or(text.len());
    (end > 0).then(|| (text[..end].to_owned(), &text[end..]))
}

/// A string behind its opening quote, and what follows it: `\22` and such are bytes in hexadecimal.
fn string(text: &str) -> Option<(String, &str)> {
    let mut bytes = Vec::new();
    let mut rest = text;
    loop {
        let at = rest.find(['"', '\\'])?;
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        if rest.as_bytes()[at] == b'"' {
            return Some((String::from_utf8_lossy(&bytes).into_owned(), &rest[at + 1..]));
        }
        rest = &rest[at + 1..];
        let escaped = rest.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (byte, length) = match (escaped, *rest.as_bytes().first()?) {
            (Some(byte), _) => (byte, 2),
            (None, b'n') => (b'\n', 1),
            (None, b't') => (b'\t', 1),
            (None, other) if other.is_ascii() => (other, 1),
            (None, _) => return None,
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
}

/// The names in a location that are no files, each once.
fn scopes(location: &str) -> Vec<String> {
    let mut scopes = Vec::new();
    let mut rest = location;
    while let Some((_, quoted)) = rest.split_once('"') {
        let Some((name, behind)) = string(quoted) else { break };
        rest = behind;
        let place =
            behind.strip_prefix(':').is_some_and(|place| place.starts_with(|c: char| c.is_ascii_digit()));
        if !place && !scopes.contains(&name) {
            scopes.push(name);
        }
    }
    scopes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines as `iree-compile --compile-to=flow --mlir-print-debuginfo` printed them, shortened.
    const FLOW: &str = r#"
      util.initializer attributes {x} {
        %0 = flow.dispatch @_initializer_0_dispatch_0::@_initializer_0_dispatch_0_slow_memcpy() : () -> tensor<4xf32> loc("m.mlir":2:3)
      util.func private @decode$async(%arg0: i32 loc("m.mlir":276:3)) -> tensor<i32> {
        %6 = flow.dispatch @decode_dispatch_1::@decode_dispatch_1_elementwise_i32(%2) : (i32) -> tensor<i32> loc(callsite("mask" at "m.mlir":276:3))
        %7 = flow.dispatch @decode_dispatch_1::@decode_dispatch_1_elementwise_i32[%c1](%2) : (i32) -> tensor<i32> loc(callsite(fused["layer 0 / mlp", "a \22b\22", "mask", "mask"] at "m.mlir":276:3))
        %8:3 = flow.dispatch @kernels::@"a b"(%2) : (i32) -> tensor<i32> loc("layer 1"("m.mlir":3:1))
        %9 = flow.dispatch nonsense
    "#;

    #[test]
    fn each_dispatch_is_told_with_the_scopes_of_its_places() {
        let origins = read(FLOW.as_bytes()).unwrap();
        let told: serde_json::Value = serde_json::to_value(origins).unwrap();
        assert_eq!(
            told,
            serde_json::json!({
                "scopes": ["mask", "layer 0 / mlp", "a \"b\"", "layer 1"],
                "dispatches": ["_initializer_0_dispatch_0_slow_memcpy", "decode_dispatch_1_elementwise_i32", "a b"],
                "functions": [
                    {"name": "initializer", "sites": [{"dispatch": 0}]},
                    {"name": "decode", "sites": [
                        {"dispatch": 1, "scopes": [0]},
                        {"dispatch": 1, "scopes": [1, 2, 0]},
                        {"dispatch": 2, "scopes": [3]},
                    ]},
                ],
            })
        );
    }

    #[test]
    fn broken_text_is_no_fault() {
        for text in [
            "flow.dispatch @a::@",
            "flow.dispatch @a::@b() loc(\"",
            "flow.dispatch @a::@\"\\",
            "flow.dispatch @a::@b loc(\"\\é\")",
        ] {
            assert!(read(text.as_bytes()).is_ok(), "{text}");
        }
    }
}
