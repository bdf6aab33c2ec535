//! Functions of single numbers.

use crate::graph::{Activation, FunctionBuilder, GraphError, Role, Unary, Val};

/// `activation(input)`, as a role of its own.
pub(super) fn activate(
    f: &mut FunctionBuilder<'_>,
    input: Val,
    activation: Activation,
) -> Result<Val, GraphError> {
    f.role(|f| {
        let output = apply(f, input, activation)?;
        let output = f.named("activated", output);
        Ok((output, Role::Activate { input, activation, output }))
    })
}

/// `activation(input)`, as part of the role at hand.
pub(super) fn apply(
    f: &mut FunctionBuilder<'_>,
    input: Val,
    activation: Activation,
) -> Result<Val, GraphError> {
    match activation {
        Activation::Silu => {
            let logistic = f.unary(Unary::Logistic, input)?;
            f.multiply(input, logistic)
        }
        Activation::GeluTanh => gelu(f, input),
    }
}

/// ½ x (1 + tanh(√(2/π) (x + 0.044715 x³)))
fn gelu(f: &mut FunctionBuilder<'_>, input: Val) -> Result<Val, GraphError> {
    let shape = f.shape(input);
    let cubic = f.f32(0.044_715, &shape)?;
    let linear = f.f32((2.0 / std::f64::consts::PI).sqrt() as f32, &shape)?;
    let [one, half] = [f.f32(1.0, &shape)?, f.f32(0.5, &shape)?];
    let square = f.multiply(input, input)?;
    let square = f.multiply(square, cubic)?;
    let inner = f.add(square, one)?;
    let inner = f.multiply(inner, input)?;
    let inner = f.multiply(inner, linear)?;
    let tanh = f.unary(Unary::Tanh, inner)?;
    let share = f.add(tanh, one)?;
    let share = f.multiply(share, half)?;
    f.multiply(input, share)
}

/// `cap · tanh(input / cap)`, as part of the role at hand.
pub(super) fn soft_cap(f: &mut FunctionBuilder<'_>, input: Val, cap: f32) -> Result<Val, GraphError> {
    let shape = f.shape(input);
    let [inverse, cap] = [f.f32(1.0 / cap, &shape)?, f.f32(cap, &shape)?];
    let small = f.multiply(input, inverse)?;
    let tanh = f.unary(Unary::Tanh, small)?;
    f.multiply(tanh, cap)
}
