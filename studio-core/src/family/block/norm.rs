//! Normalisation.

use crate::family::decoder::{Norm, NormKind};
use crate::graph::{Binary, FunctionBuilder, GraphError, Reduction, Role, Unary, Val};

/// Each row along the last dimension normalised: `[M, D]`, or `[M, heads, head_dim]` with a gain for each place of a
/// head or for each of all heads.
pub(in crate::family) fn norm(
    f: &mut FunctionBuilder<'_>,
    scope: &str,
    input: Val,
    norm: &Norm,
) -> Result<Val, GraphError> {
    f.scoped(scope, |f| f.role(|f| normed(f, input, norm, After::Anything)))
}

/// The same for rows that are then cut into heads. IREE 3.13.0, when it packs operands, can't compile a norm of one row
/// together with the cut.
pub(in crate::family) fn norm_before_cut(
    f: &mut FunctionBuilder<'_>,
    scope: &str,
    input: Val,
    norm: &Norm,
) -> Result<Val, GraphError> {
    f.scoped(scope, |f| f.role(|f| normed(f, input, norm, After::Barrier)))
}

/// What may follow a norm in the same kernel of a compiler.
#[derive(Clone, Copy, PartialEq)]
enum After {
    Anything,
    Barrier,
}

/// The same if there is one; else the input itself.
pub(in crate::family) fn opt_norm(
    f: &mut FunctionBuilder<'_>,
    scope: &str,
    input: Val,
    norm: Option<&Norm>,
) -> Result<Val, GraphError> {
    match norm {
        Some(norm) => self::norm(f, scope, input, norm),
        None => Ok(input),
    }
}

fn normed(
    f: &mut FunctionBuilder<'_>,
    input: Val,
    norm: &Norm,
    after: After,
) -> Result<(Val, Role), GraphError> {
    let (centred, epsilon) = match norm.kind {
        NormKind::Rms { epsilon } => (input, epsilon),
        NormKind::Layer { epsilon } => {
            let mean = mean(f, input)?;
            let mean = along_rows(f, mean, &f.shape(input))?;
            (f.binary(Binary::Subtract, input, mean)?, epsilon)
        }
    };
    let squares = f.multiply(centred, centred)?;
    let mean = mean(f, squares)?;
    let added = f.f32(epsilon, &f.shape(mean))?;
    let mean = f.add(mean, added)?;
    let scale = f.unary(Unary::Rsqrt, mean)?;
    let scale = along_rows(f, scale, &f.shape(input))?;
    let scaled = f.multiply(centred, scale)?;
    let gain = f.parameter(norm.gain.clone())?;
    let gains = for_each_row(f, gain, &f.shape(input))?;
    let mut output = f.multiply(scaled, gains)?;
    let bias = norm.bias.clone().map(|bias| f.parameter(bias)).transpose()?;
    if let Some(bias) = bias {
        let biases = for_each_row(f, bias, &f.shape(input))?;
        output = f.add(output, biases)?;
    }
    if after == After::Barrier {
        output = f.barrier(output)?;
    }
    let output = f.named("normed", output);
    let role = match norm.kind {
        NormKind::Rms { epsilon } => Role::RmsNorm { input, gain, epsilon, output },
        NormKind::Layer { epsilon } => Role::LayerNorm { input, gain, bias, epsilon, output },
    };
    Ok((output, role))
}

/// The mean along the last dimension, which vanishes.
fn mean(f: &mut FunctionBuilder<'_>, values: Val) -> Result<Val, GraphError> {
    let shape = f.shape(values);
    let last = shape.len().saturating_sub(1);
    let sum = f.reduce(Reduction::Sum, values, last)?;
    let length = shape.last().copied().unwrap_or(1);
    let reciprocal = f.f32(1.0 / length as f32, &shape[..last])?;
    f.multiply(sum, reciprocal)
}

/// A number for each row, repeated along the last dimension.
fn along_rows(f: &mut FunctionBuilder<'_>, values: Val, shape: &[u64]) -> Result<Val, GraphError> {
    let dimensions: Vec<usize> = (0..shape.len() - 1).collect();
    f.broadcast(values, shape, &dimensions)
}

/// A vector for all rows; or for all rows of each head, if it is that long.
fn for_each_row(f: &mut FunctionBuilder<'_>, vector: Val, shape: &[u64]) -> Result<Val, GraphError> {
    let last = shape.len() - 1;
    let length = f.shape(vector).iter().product::<u64>();
    match shape {
        [_, heads, head_dim] if length == heads * head_dim && *heads > 1 => {
            let by_head = f.reshape(vector, &[*heads, *head_dim])?;
            f.broadcast(by_head, shape, &[1, 2])
        }
        _ => f.broadcast(vector, shape, &[last]),
    }
}
