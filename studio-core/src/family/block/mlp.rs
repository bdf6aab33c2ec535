//! The feed-forward part of a layer.

use super::linear::linear;
use crate::family::decoder::Layer;
use crate::graph::{FunctionBuilder, GraphError, Unary, Val};

/// `down(silu(gate(x)) · up(x))`
pub(in crate::family) fn gated_silu(
    f: &mut FunctionBuilder<'_>,
    input: Val,
    layer: &Layer,
) -> Result<Val, GraphError> {
    let gate = linear(f, "gate_proj", input, &layer.gate)?;
    let up = linear(f, "up_proj", input, &layer.up)?;
    let logistic = f.unary(Unary::Logistic, gate)?;
    let silu = f.multiply(gate, logistic)?;
    let gated = f.multiply(silu, up)?;
    let gated = f.named("gated", gated);
    linear(f, "down_proj", gated, &layer.down)
}
