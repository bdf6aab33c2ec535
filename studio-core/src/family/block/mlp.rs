//! The feed-forward part of a layer.

use super::linear::linear;
use crate::family::decoder::Layer;
use crate::graph::{Activation, FunctionBuilder, GraphError, Role, Unary, Val};

/// `down(silu(gate(x)) · up(x))`
pub(in crate::family) fn gated_silu(
    f: &mut FunctionBuilder<'_>,
    input: Val,
    layer: &Layer,
) -> Result<Val, GraphError> {
    let gate = linear(f, "gate_proj", input, &layer.gate)?;
    let up = linear(f, "up_proj", input, &layer.up)?;
    let gated = f.role(|f| {
        let logistic = f.unary(Unary::Logistic, gate)?;
        let silu = f.multiply(gate, logistic)?;
        let gated = f.multiply(silu, up)?;
        let output = f.named("gated", gated);
        Ok((output, Role::GatedActivation { gate, up, activation: Activation::Silu, output }))
    })?;
    linear(f, "down_proj", gated, &layer.down)
}
