//! Words for people: types, sizes, names of values.

use crate::module::{Function, Module, Node, NodeId, NodeKind};

/// A number of bytes, to three digits: `331 kB`.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    scaled(bytes, &["B", "kB", "MB", "GB", "TB", "PB", "EB"])
}

/// A number of things, to three digits: `1.27 G`.
#[must_use]
pub fn count(count: u64) -> String {
    scaled(count, &["", "k", "M", "G", "T", "P", "E"]).trim_end().to_owned()
}

/// Nanoseconds, to three digits: `1.27 ms`.
#[must_use]
pub fn time(nanos: u64) -> String {
    scaled(nanos, &["ns", "µs", "ms", "s"])
}

fn scaled(number: u64, units: &[&str]) -> String {
    let (mut value, mut unit) = (number as f64, 0);
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = if unit == 0 || value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {}", units[unit])
}

/// `4x576xf32` as `4×576 f32`; other types as they are, shortened.
pub(crate) fn type_words(ty: &str) -> String {
    let dims = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || c == '?');
    let short = |text: &str| shortened(text, 30);
    match ty.rsplit_once('x') {
        Some((shape, element)) if shape.split('x').all(dims) => {
            format!("{} {}", shape.replace('x', "×"), short(element))
        }
        _ => short(ty),
    }
}

/// At most so many characters; what is left out shows as `…`.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// The short name of an operation: without its dialect.
pub(crate) fn op_words(op: &str) -> &str {
    for dialect in ["stablehlo.", "util.", "tensor.", "arith.", "chlo.", "mhlo.", "func."] {
        if let Some(rest) = op.strip_prefix(dialect) {
            return rest;
        }
    }
    op
}

/// Operations whose value people take for what it was made of.
const SAME: [&str; 5] = ["scalar_to_tensor", "from_elements", "convert", "reshape", "extract"];

/// What a value is called: its name, or that of what it was made of, or its operation's.
pub(crate) fn value_name<'m>(module: &'m Module, function: &'m Function, id: NodeId) -> &'m str {
    let mut id = id;
    for _ in 0..8 {
        let node = function.node(id);
        if let Some(name) = node.name {
            return module.text(name);
        }
        let op = op_words(module.text(node.op));
        match node.operands[..] {
            [operand] if SAME.contains(&op) => id = operand.node,
            _ => return op,
        }
    }
    op_words(module.text(function.node(id).op))
}

/// A tensor's name without the layer, which the box around it says.
pub(crate) fn tensor_words(name: &str) -> &str {
    let Some((layer, rest)) = name.strip_prefix("blk.").and_then(|rest| rest.split_once('.')) else {
        return name;
    };
    if layer.chars().all(|c| c.is_ascii_digit()) { rest } else { name }
}

/// What a constant is, in a word.
pub(crate) fn constant_words(module: &Module, node: &Node) -> String {
    let attribute = |wanted: &str| {
        node.attributes
            .iter()
            .find(|(name, _)| module.text(*name) == wanted)
            .map(|(_, value)| module.text(*value))
    };
    match attribute("value") {
        Some(value) => shortened(value, 24),
        None => op_words(module.text(node.op)).to_owned(),
    }
}

/// Whether a node is drawn without emphasis.
pub(crate) fn is_quiet(module: &Module, node: &Node) -> bool {
    node.kind == NodeKind::Constant || crate::analysis::is_shape(module.text(node.op))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_sizes_read_well() {
        assert_eq!(type_words("4x576xf32"), "4×576 f32");
        assert_eq!(type_words("?x8xi1"), "?×8 i1");
        assert_eq!(type_words("f32"), "f32");
        assert_eq!(type_words("!stablehlo.token"), "!stablehlo.token");
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(331_776), "332 kB");
        assert_eq!(bytes(999_999), "1.00 MB");
        assert_eq!(count(1_274_000_000), "1.27 G");
        assert_eq!(count(42), "42");
        assert_eq!(tensor_words("blk.12.attn_q.weight"), "attn_q.weight");
        assert_eq!(tensor_words("output_norm.weight"), "output_norm.weight");
    }
}
