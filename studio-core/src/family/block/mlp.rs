//! The feed-forward part of a layer.

use super::linear::linear;
use super::{activation, experts};
use crate::family::decoder::{Gated, Mlp};
use crate::graph::{FunctionBuilder, GraphError, Role, Val};

/// What a feed-forward makes of a normed hidden state: `[M, D]` to `[M, D]`.
pub(in crate::family) fn mlp(f: &mut FunctionBuilder<'_>, input: Val, mlp: &Mlp) -> Result<Val, GraphError> {
    match mlp {
        Mlp::Gated(parts) => gated(f, input, parts),
        Mlp::Plain(parts) => {
            let up = linear(f, "up_proj", input, &parts.up)?;
            let activated = activation::activate(f, up, parts.activation)?;
            linear(f, "down_proj", activated, &parts.down)
        }
        Mlp::Experts(parts) => experts::experts(f, input, parts),
    }
}

/// `down(activation(gate(x)) · up(x))`
pub(super) fn gated(f: &mut FunctionBuilder<'_>, input: Val, parts: &Gated) -> Result<Val, GraphError> {
    let gate = linear(f, "gate_proj", input, &parts.gate)?;
    let up = linear(f, "up_proj", input, &parts.up)?;
    let gated = f.role(|f| {
        let activated = activation::apply(f, gate, parts.activation)?;
        let gated = f.multiply(activated, up)?;
        let output = f.named("gated", gated);
        let activation = parts.activation;
        Ok::<(Val, Role), GraphError>((output, Role::GatedActivation { gate, up, activation, output }))
    })?;
    linear(f, "down_proj", gated, &parts.down)
}
