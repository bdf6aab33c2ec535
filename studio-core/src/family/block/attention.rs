//! Grouped-query attention.

use super::linear::linear;
use super::rope::rotate;
use crate::family::decoder::Layer;
use crate::family::hyper::Hyper;
use crate::graph::{Binary, ElementType, FunctionBuilder, GraphError, Reduction, Relation, Unary, Val};

/// What all layers of a call share.
pub(in crate::family) struct Positions {
    /// The rotations of the call's M positions.
    pub(in crate::family) rotation: Val,
    /// Which of the T positions that could be seen each of the M sees: `i1`, `[M, T]`.
    pub(in crate::family) visible: Val,
    /// Which of the T positions hold a value: `i1`, `[T]`. `None` if all do.
    pub(in crate::family) written: Option<Val>,
}

/// Where keys and values are found.
pub(in crate::family) enum Memory {
    /// In the call itself: all positions are there at once.
    Call,
    /// In a cache of `[layers, 2 · kv heads, T, head_dim]`: a layer's key heads, then its value heads.
    Cache {
        /// The cache as it is now.
        cache: Val,
        /// The call's first position: `tensor<i32>`.
        position: Val,
    },
}

/// Attention of M positions: `[M, D]` to `[M, D]`. Adds the call's keys and values to the cache.
pub(in crate::family) fn attention(
    f: &mut FunctionBuilder<'_>,
    input: Val,
    layer: &Layer,
    index: u64,
    hyper: &Hyper,
    positions: &Positions,
    memory: &mut Memory,
) -> Result<Val, GraphError> {
    let [rows, _] = f.dims(input)?;
    let (head_dim, kv_heads) = (hyper.head_dim, hyper.kv_head_count);
    let query = linear(f, "q_proj", input, &layer.query)?;
    let query = f.reshape(query, &[rows, hyper.head_count, head_dim])?;
    let query = rotate(f, "q_rope", query, positions.rotation)?;
    let key = linear(f, "k_proj", input, &layer.key)?;
    let key = f.reshape(key, &[rows, kv_heads, head_dim])?;
    let key = rotate(f, "k_rope", key, positions.rotation)?;
    let value = linear(f, "v_proj", input, &layer.value)?;
    let value = f.reshape(value, &[rows, kv_heads, head_dim])?;
    let (key, value) = f.scoped("cache", |f| remember(f, key, value, index, memory))?;
    let mixed = f.scoped("mix", |f| mix(f, query, key, value, hyper, positions))?;
    let mixed = f.reshape(mixed, &[rows, hyper.head_count * head_dim])?;
    linear(f, "o_proj", mixed, &layer.attention_output)
}

/// All keys and values that a layer can see, `[kv heads, T, head_dim]` each, from the call's own `[M, kv heads, head_dim]`.
fn remember(
    f: &mut FunctionBuilder<'_>,
    key: Val,
    value: Val,
    layer: u64,
    memory: &mut Memory,
) -> Result<(Val, Val), GraphError> {
    match memory {
        Memory::Call => Ok((f.transpose(key, &[1, 0, 2])?, f.transpose(value, &[1, 0, 2])?)),
        Memory::Cache { cache, position } => {
            let both = f.concatenate(&[key, value], 1)?;
            let both = f.transpose(both, &[1, 0, 2])?;
            let [_, heads, positions, head_dim] = f.dims(*cache)?;
            let [rows, _, _] = f.dims(key)?;
            let update = f.convert(both, f.ty(*cache).element_type)?;
            let update = f.reshape(update, &[1, heads, rows, head_dim])?;
            let zero = f.i32(0)?;
            let layer_index = f.i32(layer as i32)?;
            let updated = f.dynamic_update(*cache, update, &[layer_index, zero, *position, zero])?;
            *cache = f.named("cache", updated);
            let of_layer = f.slice(*cache, 0, layer..layer + 1)?;
            let mut half = |range| {
                let part = f.slice(of_layer, 1, range)?;
                let part = f.reshape(part, &[heads / 2, positions, head_dim])?;
                f.convert(part, ElementType::F32)
            };
            Ok((half(0..heads / 2)?, half(heads / 2..heads)?))
        }
    }
}

/// Softmax over what each position sees, and the values weighted by it: `[M, heads, head_dim]`.
fn mix(
    f: &mut FunctionBuilder<'_>,
    query: Val,
    key: Val,
    value: Val,
    hyper: &Hyper,
    positions: &Positions,
) -> Result<Val, GraphError> {
    let [rows, seen] = f.dims(positions.visible)?;
    let (kv_heads, group, head_dim) = (hyper.kv_head_count, hyper.group_size(), hyper.head_dim);
    let scale = f.f32(1.0 / (head_dim as f32).sqrt(), &[rows, hyper.head_count, head_dim])?;
    let query = f.multiply(query, scale)?;
    // The queries that share a key head are the rows of one product with it.
    let query = f.reshape(query, &[rows, kv_heads, group, head_dim])?;
    let query = f.transpose(query, &[1, 0, 2, 3])?;
    let query = f.reshape(query, &[kv_heads, rows * group, head_dim])?;
    let scores = f.dot(query, key, &[[0, 0]], &[[2, 2]])?;
    let grouped = [kv_heads, rows, group, seen];
    let scores = f.reshape(scores, &grouped)?;
    let visible = f.broadcast(positions.visible, &grouped, &[1, 3])?;
    let nothing = f.f32(f32::NEG_INFINITY, &grouped)?;
    let scores = f.select(visible, scores, nothing)?;
    let scores = f.named("scores", scores);
    let weights = softmax_numerators(f, scores)?;
    let sums = f.reduce(Reduction::Sum, weights, 3)?;
    let weights = f.reshape(weights, &[kv_heads, rows * group, seen])?;
    let value = blank_unwritten(f, value, positions)?;
    let mixed = f.dot(weights, value, &[[0, 0]], &[[2, 1]])?;
    let sums = f.reshape(sums, &[kv_heads, rows * group])?;
    let sums = f.broadcast(sums, &[kv_heads, rows * group, head_dim], &[0, 1])?;
    let mixed = f.binary(Binary::Divide, mixed, sums)?;
    let mixed = f.reshape(mixed, &[kv_heads, rows, group, head_dim])?;
    let mixed = f.transpose(mixed, &[1, 0, 2, 3])?;
    f.reshape(mixed, &[rows, hyper.head_count, head_dim])
}

/// eˣ⁻ᵐ along the last dimension, where m is the greatest x. What isn't seen, −∞, becomes 0.
fn softmax_numerators(f: &mut FunctionBuilder<'_>, scores: Val) -> Result<Val, GraphError> {
    let shape = f.shape(scores);
    let greatest = f.reduce(Reduction::Maximum, scores, shape.len() - 1)?;
    let kept: Vec<usize> = (0..shape.len() - 1).collect();
    let greatest = f.broadcast(greatest, &shape, &kept)?;
    let shifted = f.binary(Binary::Subtract, scores, greatest)?;
    let weights = f.unary(Unary::Exponential, shifted)?;
    Ok(f.named("weights", weights))
}

/// Values that were never written may be anything: their weight is 0, but 0 times NaN is NaN.
fn blank_unwritten(
    f: &mut FunctionBuilder<'_>,
    value: Val,
    positions: &Positions,
) -> Result<Val, GraphError> {
    let Some(written) = positions.written else { return Ok(value) };
    let shape = f.shape(value);
    let written = f.broadcast(written, &shape, &[1])?;
    let zero = f.f32(0.0, &shape)?;
    f.select(written, value, zero)
}

/// The positions of a call of `rows` positions over a memory of `seen`, from `first` on (`tensor<i32>`) or from 0.
pub(in crate::family) fn positions(
    f: &mut FunctionBuilder<'_>,
    rotation: Val,
    [rows, seen]: [u64; 2],
    first: Option<Val>,
) -> Result<Positions, GraphError> {
    f.scoped("mask", |f| {
        let shape = [rows, seen];
        let mut row = f.iota(&shape, 0)?;
        if let Some(first) = first {
            let first = f.broadcast(first, &shape, &[])?;
            row = f.add(row, first)?;
        }
        let column = f.iota(&shape, 1)?;
        let visible = f.compare(Relation::LessOrEqual, column, row)?;
        let visible = f.named("visible", visible);
        let written = match first {
            None => None,
            Some(first) => {
                let end = f.i32(rows as i32)?;
                let end = f.add(first, end)?;
                let end = f.broadcast(end, &[seen], &[])?;
                let column = f.iota(&[seen], 0)?;
                let written = f.compare(Relation::Less, column, end)?;
                Some(f.named("written", written))
            }
        };
        Ok(Positions { rotation, visible, written })
    })
}
