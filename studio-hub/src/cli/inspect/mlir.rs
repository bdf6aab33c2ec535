//! MLIR text: the signatures of its functions.

use super::Report;
use serde_json::json;
use std::{fmt::Write, path::Path};

/// The longest text that is read.
const MAX_BYTES: u64 = 256 << 20;

pub(super) fn inspect(path: &Path) -> anyhow::Result<Report> {
    let size_bytes = std::fs::metadata(path)?.len();
    anyhow::ensure!(size_bytes <= MAX_BYTES, "{size_bytes} bytes, where at most {MAX_BYTES} are read");
    let source = String::from_utf8(std::fs::read(path)?)?;
    let functions = functions(&source);
    let lines = source.lines().count();
    let mut text = format!("MLIR, {lines} lines, {} functions\n\n", functions.len());
    let mut list = Vec::new();
    for function in &functions {
        writeln!(
            text,
            "{}{} {}",
            if function.public { "" } else { "private " },
            function.name,
            function.signature
        )?;
        list.push(json!({"name": function.name, "public": function.public, "signature": function.signature}));
    }
    let json = json!({"format": "mlir", "size_bytes": size_bytes, "lines": lines, "functions": list});
    Ok(Report::of(text, json))
}

#[derive(Debug, PartialEq)]
struct Function<'a> {
    name: &'a str,
    public: bool,
    /// From the first parenthesis to before the body.
    signature: &'a str,
}

/// The functions of `func` and `util` in a text, in its order.
fn functions(source: &str) -> Vec<Function<'_>> {
    source.lines().filter_map(|line| function(line.trim_start())).collect()
}

/// The function that a line begins. The whole signature is expected on that line, as IREE and the exporter
/// print it.
fn function(line: &str) -> Option<Function<'_>> {
    let rest = line.strip_prefix("func.func ").or_else(|| line.strip_prefix("util.func "))?;
    let (public, rest) = match rest.strip_prefix("private ") {
        Some(rest) => (false, rest),
        None => (true, rest.strip_prefix("public ").unwrap_or(rest)),
    };
    let rest = rest.strip_prefix('@')?;
    let (name, _) = rest.split_once('(')?;
    let signature = &rest[name.len()..];
    let signature = signature.strip_suffix('{').unwrap_or(signature);
    Some(Function { name, public, signature: signature.trim_end() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_come_without_bodies() {
        let source = "module @m {\n  func.func @main(%a: tensor<1x8xi32>) -> tensor<8xi32> {\n  }\n  \
                      func.func private @f() attributes {a = 1} {\n  util.func public @g(%x: i32)\n}\n";
        let found = functions(source);
        let row = |function: &Function<'_>| {
            (function.name.to_owned(), function.public, function.signature.to_owned())
        };
        assert_eq!(
            found.iter().map(row).collect::<Vec<_>>(),
            [
                ("main".to_owned(), true, "(%a: tensor<1x8xi32>) -> tensor<8xi32>".to_owned()),
                ("f".to_owned(), false, "() attributes {a = 1}".to_owned()),
                ("g".to_owned(), true, "(%x: i32)".to_owned()),
            ]
        );
    }
}
