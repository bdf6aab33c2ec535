//! Grouped-query attention.

use super::activation::soft_cap;
use super::cache::Cache;
use super::linear::linear;
use super::norm;
use super::positions::Positions;
use super::rope::rotate;
use crate::family::decoder::{self, Linear, ProjectionNorm, ProjectionRows};
use crate::graph::{
    Attention, AttentionMemory, Binary, FunctionBuilder, GraphError, Reduction, Role, Unary, Val,
};

/// Where keys and values are found.
pub(in crate::family) enum Memory {
    /// In the call itself: all positions are there at once.
    Call,
    /// In a cache, which is added to.
    Cache(Cache),
}

/// The sizes of an attention's heads.
#[derive(Debug, Clone, Copy)]
pub(in crate::family) struct Heads {
    /// Query heads.
    pub(in crate::family) queries: u64,
    /// Key heads, and as many value heads.
    pub(in crate::family) keys: u64,
    /// Numbers of a head.
    pub(in crate::family) dim: u64,
}

/// Attention of M positions: `[M, D]` to `[M, D]`. `index` is the layer's.
pub(in crate::family) fn attention(
    f: &mut FunctionBuilder<'_>,
    input: Val,
    (index, parts): (i32, &decoder::Attention),
    heads: Heads,
    positions: &Positions,
    memory: &mut Memory,
) -> Result<Val, GraphError> {
    let [rows, _] = f.dims(input)?;
    let rotation = parts.rope.map(|rope| positions.rotation(rope));
    let turned = |f: &mut FunctionBuilder<'_>, scope: &str, heads: Val| match rotation {
        Some(rotation) => rotate(f, scope, heads, rotation),
        None => Ok(heads),
    };
    let sizes = [rows, heads.queries, heads.dim];
    let query = projected(f, ["q_proj", "q_norm"], input, (&parts.query, parts.query_norm.as_ref()), sizes)?;
    let query = turned(f, "q_rope", query)?;
    let sizes = [rows, heads.keys, heads.dim];
    let key = projected(f, ["k_proj", "k_norm"], input, (&parts.key, parts.key_norm.as_ref()), sizes)?;
    let key = turned(f, "k_rope", key)?;
    let value = projected(f, ["v_proj", "v_norm"], input, (&parts.value, None), sizes)?;
    let mask = positions.mask(parts.window);
    let mixed = f.role(|f| {
        let ([keys, values], memory) = f.scoped("cache", |f| recall(f, index, [key, value], memory))?;
        let scoring = Scoring { mask, scale: parts.scale, cap: parts.cap };
        let output = f.scoped("mix", |f| mix(f, query, keys, values, scoring))?;
        let layer = u64::from(index.unsigned_abs());
        let (scale, window, softcap) = (parts.scale, parts.window, parts.cap);
        let role = Attention { query, key, value, mask, layer, memory, scale, window, softcap, output };
        Ok::<(Val, Role), GraphError>((output, Role::Attention(role)))
    })?;
    let mixed = f.reshape(mixed, &[rows, heads.queries * heads.dim])?;
    linear(f, "o_proj", mixed, &parts.output)
}

/// Queries, keys or values, normed where the model does: `[M, D]` to `[M, heads, head_dim]`.
fn projected(
    f: &mut FunctionBuilder<'_>,
    [scope, norm_scope]: [&str; 2],
    input: Val,
    (parts, norm): (&Linear, Option<&ProjectionNorm>),
    sizes: [u64; 3],
) -> Result<Val, GraphError> {
    let product = linear(f, scope, input, parts)?;
    match norm {
        None => f.reshape(product, &sizes),
        Some(ProjectionNorm { norm, rows: ProjectionRows::Heads }) => {
            let heads = f.reshape(product, &sizes)?;
            norm::norm(f, norm_scope, heads, norm)
        }
        Some(ProjectionNorm { norm, rows: ProjectionRows::Positions }) => {
            let normed = norm::norm_before_cut(f, norm_scope, product, norm)?;
            f.reshape(normed, &sizes)
        }
    }
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
    scoring: Scoring,
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
    let scores = scale_and_mask(f, scores, scoring)?;
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

/// What becomes of the products of queries and keys.
#[derive(Clone, Copy)]
struct Scoring {
    /// Which positions are visible: `[M, T]`.
    mask: Val,
    scale: f32,
    /// c, where scores become c · tanh(score / c).
    cap: Option<f32>,
}

/// What isn't visible becomes −∞, whatever it was.
fn scale_and_mask(f: &mut FunctionBuilder<'_>, scores: Val, scoring: Scoring) -> Result<Val, GraphError> {
    let shape = f.shape(scores);
    let Scoring { mask: visible, scale, cap } = scoring;
    let scale = f.f32(scale, &shape)?;
    let mut scores = f.multiply(scores, scale)?;
    if let Some(cap) = cap {
        scores = soft_cap(f, scores, cap)?;
    }
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
