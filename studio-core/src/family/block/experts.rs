//! A feed-forward of experts, of which each position has a few.

use super::activation;
use super::linear::linear;
use super::mlp;
use crate::family::decoder::{Experts, SharedExpert};
use crate::graph::{
    self, Activation, Binary, ElementType, FunctionBuilder, GraphError, Reduction, Relation, Role, Unary, Val,
};

/// The chosen experts' sum, and that of the expert that every position has: `[M, D]` to `[M, D]`.
pub(super) fn experts(f: &mut FunctionBuilder<'_>, input: Val, parts: &Experts) -> Result<Val, GraphError> {
    let router_logits = linear(f, "router", input, &parts.router)?;
    let chosen = f.scoped("experts", |f| {
        f.role(|f| {
            let [gate, up, down] = [&parts.gate, &parts.up, &parts.down].map(Clone::clone);
            let [gate, up, down] = [f.parameter(gate)?, f.parameter(up)?, f.parameter(down)?];
            let choice = choose(f, router_logits, parts)?;
            let output = mix(f, input, &choice, [gate, up, down], parts.activation)?;
            let output = f.named("mixed", output);
            let role = graph::Experts {
                input,
                router_logits,
                gate,
                up,
                down,
                used: parts.used,
                activation: parts.activation,
                normalised: parts.normalised,
                scale: 1.0,
                output,
            };
            Ok::<(Val, Role), GraphError>((output, Role::Experts(role)))
        })
    })?;
    let Some(shared) = &parts.shared else { return Ok(chosen) };
    let shared = f.scoped("shared_expert", |f| shared_expert(f, input, shared))?;
    f.role(|f| {
        let output = f.add(chosen, shared)?;
        Ok((output, Role::Residual { input: chosen, branch: shared, scale: 1.0, output }))
    })
}

/// What the router chose: for each of the `used` ranks, the experts' indices and shares, `[M]` each.
struct Choice {
    indices: Vec<Val>,
    shares: Vec<Val>,
}

/// The experts of the greatest logits, the first of equals.
fn choose(f: &mut FunctionBuilder<'_>, logits: Val, parts: &Experts) -> Result<Choice, GraphError> {
    let [rows, count] = f.dims(logits)?;
    let mut left = softmax(f, logits)?;
    let nothing = f.f32(f32::NEG_INFINITY, &[rows, count])?;
    let (mut indices, mut shares) = (Vec::new(), Vec::new());
    for _ in 0..parts.used {
        let index = f.arg_max(left, 1)?;
        indices.push(index);
        shares.push(f.reduce(Reduction::Maximum, left, 1)?);
        let taken = is_expert(f, index, count)?;
        left = f.select(taken, nothing, left)?;
    }
    if parts.normalised {
        // At least used / experts: far from zero.
        let mut sum = shares[0];
        for &share in &shares[1..] {
            sum = f.add(sum, share)?;
        }
        for share in &mut shares {
            *share = f.binary(Binary::Divide, *share, sum)?;
        }
    }
    Ok(Choice { indices, shares })
}

fn softmax(f: &mut FunctionBuilder<'_>, logits: Val) -> Result<Val, GraphError> {
    let shape = f.shape(logits);
    let greatest = f.reduce(Reduction::Maximum, logits, 1)?;
    let greatest = f.broadcast(greatest, &shape, &[0])?;
    let shifted = f.binary(Binary::Subtract, logits, greatest)?;
    let numerators = f.unary(Unary::Exponential, shifted)?;
    let sum = f.reduce(Reduction::Sum, numerators, 1)?;
    let sum = f.broadcast(sum, &shape, &[0])?;
    let shares = f.binary(Binary::Divide, numerators, sum)?;
    Ok(f.named("shares", shares))
}

/// Which of `count` experts an index is: `[M]` of `i32` to `[M, count]` of `i1`.
fn is_expert(f: &mut FunctionBuilder<'_>, index: Val, count: u64) -> Result<Val, GraphError> {
    let [rows] = f.dims(index)?;
    let experts = f.iota(&[rows, count], 1)?;
    let index = f.broadcast(index, &[rows, count], &[0])?;
    f.compare(Relation::Equal, experts, index)
}

/// The sum of the chosen experts, each times its share. Where few are chosen of many, only their matrices are read;
/// else every expert is computed for all positions.
fn mix(
    f: &mut FunctionBuilder<'_>,
    input: Val,
    choice: &Choice,
    matrices: [Val; 3],
    activation: Activation,
) -> Result<Val, GraphError> {
    let [rows, width] = f.dims(input)?;
    let [stacked, _] = f.dims(matrices[2])?;
    let count = stacked / width.max(1);
    let used = choice.indices.len() as u64;
    let (matrices, shares, inputs) = if rows * used < count {
        let flat = |f: &mut FunctionBuilder<'_>, lists: &[Val]| -> Result<Val, GraphError> {
            let mut columns = Vec::new();
            for &list in lists {
                columns.push(f.reshape(list, &[rows, 1])?);
            }
            let together = if let [one] = columns[..] { one } else { f.concatenate(&columns, 1)? };
            f.reshape(together, &[rows * used])
        };
        let indices = flat(f, &choice.indices)?;
        let shares = flat(f, &choice.shares)?;
        let repeated = f.broadcast(input, &[rows, used, width], &[0, 2])?;
        let inputs = f.reshape(repeated, &[rows * used, 1, width])?;
        let mut taken = matrices;
        for matrix in &mut taken {
            *matrix = take_experts(f, *matrix, indices, count)?;
        }
        (taken, f.reshape(shares, &[rows * used, 1])?, inputs)
    } else {
        let mut all = matrices;
        for matrix in &mut all {
            *matrix = by_expert(f, *matrix, count)?;
        }
        let shares = spread(f, choice, count)?;
        (all, f.transpose(shares, &[1, 0])?, f.broadcast(input, &[count, rows, width], &[1, 2])?)
    };
    // [experts, positions, hidden], one position for each expert that was taken.
    let gate = expert_products(f, inputs, matrices[0])?;
    let up = expert_products(f, inputs, matrices[1])?;
    let activated = activation::apply(f, gate, activation)?;
    let gated = f.multiply(activated, up)?;
    let shares = f.broadcast(shares, &f.shape(gated), &[0, 1])?;
    let gated = f.multiply(gated, shares)?;
    let given = expert_products(f, gated, matrices[2])?;
    if rows * used < count {
        let given = f.reshape(given, &[rows, used, width])?;
        return f.reduce(Reduction::Sum, given, 1);
    }
    f.reduce(Reduction::Sum, given, 0)
}

/// Each expert's rows times its matrix: `[experts, M, K]` by `[experts, N, K]` to `[experts, M, N]`.
fn expert_products(f: &mut FunctionBuilder<'_>, inputs: Val, matrices: Val) -> Result<Val, GraphError> {
    let matrices = f.convert(matrices, ElementType::F32)?;
    f.dot(inputs, matrices, &[[0, 0]], &[[2, 2]])
}

/// The matrices of all experts, `[count · N, K]`, apart: `[count, N, K]`.
fn by_expert(f: &mut FunctionBuilder<'_>, stacked: Val, count: u64) -> Result<Val, GraphError> {
    let [rows, columns] = f.dims(stacked)?;
    f.reshape(stacked, &[count, rows / count.max(1), columns])
}

/// The matrices of some experts: `[count · N, K]` to `[indices, N, K]`.
fn take_experts(
    f: &mut FunctionBuilder<'_>,
    stacked: Val,
    indices: Val,
    count: u64,
) -> Result<Val, GraphError> {
    let [rows, columns] = f.dims(stacked)?;
    let [taken] = f.dims(indices)?;
    let rows = rows / count.max(1);
    let table = f.reshape(stacked, &[count, rows * columns])?;
    let matrices = f.take(table, indices, 0)?;
    f.reshape(matrices, &[taken, rows, columns])
}

/// The shares of all experts, 0 for those that weren't chosen: `[M, count]`.
fn spread(f: &mut FunctionBuilder<'_>, choice: &Choice, count: u64) -> Result<Val, GraphError> {
    let [rows] = f.dims(choice.shares[0])?;
    let shape = [rows, count];
    let mut spread = f.f32(0.0, &shape)?;
    for (&index, &share) in choice.indices.iter().zip(&choice.shares) {
        let chosen = is_expert(f, index, count)?;
        let share = f.broadcast(share, &shape, &[0])?;
        spread = f.select(chosen, share, spread)?;
    }
    Ok(spread)
}

/// The expert that every position has, times its own gate.
fn shared_expert(f: &mut FunctionBuilder<'_>, input: Val, shared: &SharedExpert) -> Result<Val, GraphError> {
    let given = mlp::gated(f, input, &shared.mlp)?;
    let Some(gate) = &shared.gate else { return Ok(given) };
    let logits = linear(f, "gate", input, gate)?;
    f.role(|f| {
        let [rows, _] = f.dims(given)?;
        let share = f.unary(Unary::Logistic, logits)?;
        let share = f.reshape(share, &[rows])?;
        let share = f.broadcast(share, &f.shape(given), &[0])?;
        let output = f.multiply(given, share)?;
        Ok((output, Role::RowGate { input: given, logits, output }))
    })
}
