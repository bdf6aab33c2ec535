//! Normalisation.

use crate::graph::{FunctionBuilder, GraphError, ParamSpec, Reduction, Unary, Val};

/// Each row divided by its root mean square, then scaled by `gain`: `[M, D]`.
pub(in crate::family) fn rms_norm(
    f: &mut FunctionBuilder<'_>,
    scope: &str,
    input: Val,
    gain: &ParamSpec,
    epsilon: f32,
) -> Result<Val, GraphError> {
    f.scoped(scope, |f| {
        let [rows, length] = f.dims(input)?;
        let squares = f.multiply(input, input)?;
        let sum = f.reduce(Reduction::Sum, squares, 1)?;
        let reciprocal = f.f32(1.0 / length as f32, &[rows])?;
        let mean = f.multiply(sum, reciprocal)?;
        let epsilon = f.f32(epsilon, &[rows])?;
        let mean = f.add(mean, epsilon)?;
        let scale = f.unary(Unary::Rsqrt, mean)?;
        let scale = f.broadcast(scale, &[rows, length], &[0])?;
        let scaled = f.multiply(input, scale)?;
        let gain = f.parameter(gain.clone())?;
        let gain = f.broadcast(gain, &[rows, length], &[1])?;
        let normed = f.multiply(scaled, gain)?;
        Ok(f.named("normed", normed))
    })
}
