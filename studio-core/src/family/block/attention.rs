//! Grouped-query attention.

use super::cache::Cache;
use super::linear::linear;
use super::rope::rotate;
use crate::family::decoder::Layer;
use crate::family::hyper::Hyper;
use crate::graph::{
    Attention, AttentionMemory, Binary, FunctionBuilder, GraphError, Reduction, Relation, Role, Unary, Val,
};

/// What all layers of a call share.
pub(in crate::family) struct Positions {
    /// The rotations of the call's M positions.
    pub(in crate::family) rotation: Val,
    /// Which of the T positions that are remembered each of the M sees: `i1`, `[M, T]`.
    pub(in crate::family) visible: Val,
}

/// Where keys and values are found.
pub(in crate::family) enum Memory {
    /// In the call itself: all positions are there at once.
    Call,
    /// In a cache, which is added to.
    Cache(Cache),
}

/// Attention of M positions: `[M, D]` to `[M, D]`.
pub(in crate::family) fn attention(
    f: &mut FunctionBuilder<'_>,
    input: Val,
    (index, layer): (i32, &Layer),
    hyper: &Hyper,
    positions: &Positions,
    memory: &mut Memory,
) -> Result<Val, GraphError> {
    let [rows, _] = f.dims(input)?;
    let query = linear(f, "q_proj", input, &layer.query)?;
    let query = f.reshape(query, &[rows, hyper.head_count, hyper.head_dim])?;
    let query = rotate(f, "q_rope", query, positions.rotation)?;
    let key = linear(f, "k_proj", input, &layer.key)?;
    let key = f.reshape(key, &[rows, hyper.kv_head_count, hyper.head_dim])?;
    let key = rotate(f, "k_rope", key, positions.rotation)?;
    let value = linear(f, "v_proj", input, &layer.value)?;
    let value = f.reshape(value, &[rows, hyper.kv_head_count, hyper.head_dim])?;
    let mixed = f.role(|f| {
        let ([keys, values], memory) = f.scoped("cache", |f| recall(f, index, [key, value], memory))?;
        let scale = 1.0 / (hyper.head_dim as f32).sqrt();
        let mask = positions.visible;
        let output = f.scoped("mix", |f| mix(f, query, keys, values, mask, scale))?;
        let layer = u64::from(index.unsigned_abs());
        let (window, softcap) = (None, None);
        let role = Attention { query, key, value, mask, layer, memory, scale, window, softcap, output };
        Ok::<(Val, Role), GraphError>((output, Role::Attention(role)))
    })?;
    let mixed = f.reshape(mixed, &[rows, hyper.head_count * hyper.head_dim])?;
    linear(f, "o_proj", mixed, &layer.attention_output)
}

/// The keys and values that a layer sees, `[kv heads, T, head_dim]` each, and what was done to the cache. Those of the
/// call are `[M, kv heads, head_dim]` each.
fn recall(
    f: &mut FunctionBuilder<'_>,
    layer: i32,
    [key, value]: [Val; 2],
    memory: &mut Memory,
) -> Result<([Val; 2], Option<AttentionMemory>), GraphError> {
    let key = f.transpose(key, &[1, 0, 2])?;
    let value = f.transpose(value, &[1, 0, 2])?;
    match memory {
        Memory::Call => Ok(([key, value], None)),
        Memory::Cache(cache) => {
            let before = cache.value();
            let seen = cache.remember(f, layer, key, value)?;
            Ok((seen, Some(cache.role(before))))
        }
    }
}

/// For each query, `[M, heads, head_dim]`, the values of the positions that it sees, weighted by the softmax of how its
/// keys fit, `[kv heads, T, head_dim]` each.
fn mix(
    f: &mut FunctionBuilder<'_>,
    query: Val,
    keys: Val,
    values: Val,
    visible: Val,
    scale: f32,
) -> Result<Val, GraphError> {
    let [rows, heads, head_dim] = f.dims(query)?;
    let [kv_heads, seen, _] = f.dims(keys)?;
    let group = heads / kv_heads;
    // The queries that share a key head are the rows of one product with it.
    let query = f.reshape(query, &[rows, kv_heads, group, head_dim])?;
    let query = f.transpose(query, &[1, 0, 2, 3])?;
    let query = f.reshape(query, &[kv_heads, rows * group, head_dim])?;
    let scores = f.dot(query, keys, &[[0, 0]], &[[2, 2]])?;
    let scores = f.reshape(scores, &[kv_heads, rows, group, seen])?;
    let scores = scale_and_mask(f, scores, visible, scale)?;
    let weights = softmax_numerators(f, scores)?;
    let sums = f.reduce(Reduction::Sum, weights, 3)?;
    let weights = f.reshape(weights, &[kv_heads, rows * group, seen])?;
    let mixed = f.dot(weights, values, &[[0, 0]], &[[2, 1]])?;
    let sums = f.reshape(sums, &[kv_heads, rows * group])?;
    let sums = f.broadcast(sums, &[kv_heads, rows * group, head_dim], &[0, 1])?;
    let mixed = f.binary(Binary::Divide, mixed, sums)?;
    let mixed = f.reshape(mixed, &[kv_heads, rows, group, head_dim])?;
    let mixed = f.transpose(mixed, &[1, 0, 2, 3])?;
    f.reshape(mixed, &[rows, heads, head_dim])
}

/// What isn't visible becomes −∞, whatever it was.
fn scale_and_mask(
    f: &mut FunctionBuilder<'_>,
    scores: Val,
    visible: Val,
    scale: f32,
) -> Result<Val, GraphError> {
    let shape = f.shape(scores);
    let scale = f.f32(scale, &shape)?;
    let scores = f.multiply(scores, scale)?;
    let visible = f.broadcast(visible, &shape, &[1, 3])?;
    let nothing = f.f32(f32::NEG_INFINITY, &shape)?;
    let scores = f.select(visible, scores, nothing)?;
    Ok(f.named("scores", scores))
}

/// eˣ⁻ᵐ along the last dimension, where m is the greatest x. −∞ becomes 0.
fn softmax_numerators(f: &mut FunctionBuilder<'_>, scores: Val) -> Result<Val, GraphError> {
    let shape = f.shape(scores);
    let kept: Vec<usize> = (0..shape.len() - 1).collect();
    let greatest = f.reduce(Reduction::Maximum, scores, kept.len())?;
    let greatest = f.broadcast(greatest, &shape, &kept)?;
    let shifted = f.binary(Binary::Subtract, scores, greatest)?;
    let weights = f.unary(Unary::Exponential, shifted)?;
    Ok(f.named("weights", weights))
}

/// Which of T positions each of M consecutive ones sees, all up to itself: `[M, T]`. The first of the M is `first`
/// (`tensor<i32>`), or 0.
pub(in crate::family) fn causal_mask(
    f: &mut FunctionBuilder<'_>,
    shape: [u64; 2],
    first: Option<Val>,
) -> Result<Val, GraphError> {
    f.scoped("mask", |f| {
        f.role(|f| {
            let mut row = f.iota(&shape, 0)?;
            if let Some(first) = first {
                let first = f.broadcast(first, &shape, &[])?;
                row = f.add(row, first)?;
            }
            let column = f.iota(&shape, 1)?;
            let visible = f.compare(Relation::LessOrEqual, column, row)?;
            let output = f.named("visible", visible);
            Ok((output, Role::CausalMask { first, output }))
        })
    })
}
