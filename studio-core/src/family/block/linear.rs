//! Matrix products.

use crate::family::decoder::Linear;
use crate::graph::{ElementType, FunctionBuilder, GraphError, ParamSpec, Val};

/// `[M, K]` times `[K, N]`, plus the bias if there is one: `[M, N]`.
pub(in crate::family) fn linear(
    f: &mut FunctionBuilder<'_>,
    scope: &str,
    input: Val,
    linear: &Linear,
) -> Result<Val, GraphError> {
    f.scoped(scope, |f| {
        let product = matrix_product(f, input, &linear.weight)?;
        let Some(bias) = &linear.bias else { return Ok(product) };
        let bias = f.parameter(bias.clone())?;
        let bias = f.broadcast(bias, &f.shape(product), &[1])?;
        f.add(product, bias)
    })
}

/// `[M, K]` times `[K, N]`.
pub(in crate::family) fn matrix_product(
    f: &mut FunctionBuilder<'_>,
    input: Val,
    weight: &ParamSpec,
) -> Result<Val, GraphError> {
    let weight = f.parameter(weight.clone())?;
    let weight = f.convert(weight, ElementType::F32)?;
    f.dot(input, weight, &[], &[[1, 0]])
}
