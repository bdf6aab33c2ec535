//! Normalisation.

use crate::graph::{FunctionBuilder, GraphError, ParamSpec, Reduction, Role, Unary, Val};

/// Each row divided by its root mean square, then scaled by `gain`: `[M, D]`.
pub(in crate::family) fn rms_norm(
    f: &mut FunctionBuilder<'_>,
    scope: &str,
    input: Val,
    gain: &ParamSpec,
    epsilon: f32,
) -> Result<Val, GraphError> {
    f.scoped(scope, |f| {
        f.role(|f| {
            let [rows, length] = f.dims(input)?;
            let squares = f.multiply(input, input)?;
            let sum = f.reduce(Reduction::Sum, squares, 1)?;
            let reciprocal = f.f32(1.0 / length as f32, &[rows])?;
            let mean = f.multiply(sum, reciprocal)?;
            let added = f.f32(epsilon, &[rows])?;
            let mean = f.add(mean, added)?;
            let scale = f.unary(Unary::Rsqrt, mean)?;
            let scale = f.broadcast(scale, &[rows, length], &[0])?;
            let scaled = f.multiply(input, scale)?;
            let gain = f.parameter(gain.clone())?;
            let gains = f.broadcast(gain, &[rows, length], &[1])?;
            let normed = f.multiply(scaled, gains)?;
            let output = f.named("normed", normed);
            Ok((output, Role::RmsNorm { input, gain, epsilon, output }))
        })
    })
}
