//! Matrix products.

use crate::family::decoder::Linear;
use crate::graph::{ElementType, FunctionBuilder, GraphError, ParamSpec, Role, Val};

/// `[M, K]` times `[K, N]`, plus the bias if there is one: `[M, N]`.
pub(in crate::family) fn linear(
    f: &mut FunctionBuilder<'_>,
    scope: &str,
    input: Val,
    linear: &Linear,
) -> Result<Val, GraphError> {
    f.scoped(scope, |f| product_with_bias(f, input, &linear.weight, linear.bias.as_ref()))
}

/// The same in the scope at hand.
pub(super) fn product_with_bias(
    f: &mut FunctionBuilder<'_>,
    input: Val,
    weight: &ParamSpec,
    bias: Option<&ParamSpec>,
) -> Result<Val, GraphError> {
    f.role(|f| {
        let weight = f.parameter(weight.clone())?;
        let numbers = f.convert(weight, ElementType::F32)?;
        let product = f.dot(input, numbers, &[], &[[1, 0]])?;
        let Some(bias) = bias else {
            return Ok((product, Role::Linear { input, weight, bias: None, output: product }));
        };
        let bias = f.parameter(bias.clone())?;
        let rows = f.broadcast(bias, &f.shape(product), &[1])?;
        let output = f.add(product, rows)?;
        Ok((output, Role::Linear { input, weight, bias: Some(bias), output }))
    })
}
