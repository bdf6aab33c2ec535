//! What operations cost and parameters take, as far as their types tell.

use super::ast::Operation;

/// Operations that compute one number from the numbers at one place.
const ELEMENTWISE: [&str; 30] = [
    "abs",
    "add",
    "and",
    "atan2",
    "cbrt",
    "ceil",
    "clamp",
    "compare",
    "cosine",
    "divide",
    "exponential",
    "exponential_minus_one",
    "floor",
    "log",
    "log_plus_one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "or",
    "power",
    "remainder",
    "rsqrt",
    "select",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tanh",
];

/// How many elements a type has, if all of its dimensions are known.
pub(super) fn elements(ty: &str) -> Option<u64> {
    dims(ty)?.into_iter().try_fold(1_u64, u64::checked_mul)
}

fn dims(ty: &str) -> Option<Vec<u64>> {
    match ty.rsplit_once('x') {
        None => Some(Vec::new()),
        Some((shape, _)) => shape.split('x').map(|dim| dim.parse().ok()).collect(),
    }
}

/// Bytes of a type's elements.
pub(super) fn bytes(ty: &str) -> u64 {
    let element = ty.rsplit('x').next().unwrap_or(ty);
    let bits: u64 = element
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect::<String>()
        .parse()
        .unwrap_or(0);
    elements(ty).unwrap_or(0).saturating_mul(bits.div_ceil(8))
}

/// Multiplications, additions and the like; 0 where nothing is known.
pub(super) fn flops(operation: &Operation<'_>, operand_types: &[&str]) -> u64 {
    let op = operation.op.rsplit('.').next().unwrap_or(operation.op);
    let result = operation.types.first().copied().and_then(elements).unwrap_or(0);
    if ELEMENTWISE.contains(&op) {
        return result;
    }
    let input = operand_types.first().copied().unwrap_or_default();
    match op {
        "reduce" => elements(input).unwrap_or(0),
        "dot_general" | "dot" => {
            let lhs = dims(input).unwrap_or_default();
            let summed = contracted(operation).map_or_else(
                || lhs.last().copied().unwrap_or(1),
                |dims| {
                    dims.iter()
                        .filter_map(|&dim| lhs.get(dim))
                        .fold(1_u64, |all, &dim| all.saturating_mul(dim))
                },
            );
            result.saturating_mul(summed).saturating_mul(2)
        }
        _ => 0,
    }
}

/// The left operand's dimensions that are summed over: `contracting_dims = [1] x [0]`, or in the generic form
/// `lhs_contracting_dimensions = [1]`.
fn contracted(operation: &Operation<'_>) -> Option<Vec<usize>> {
    let of = |name: &str| {
        operation.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    };
    let list = of("contracting_dims").or_else(|| {
        let numbers = of("dot_dimension_numbers")?;
        Some(numbers.split_once("lhs_contracting_dimensions")?.1)
    })?;
    let (_, rest) = list.split_once('[')?;
    let (inner, _) = rest.split_once(']')?;
    inner.split(',').map(|dim| dim.trim().parse().ok()).collect()
}
