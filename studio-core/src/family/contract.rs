//! The functions of each contract, as docs/contracts.md describes them.

use super::BuildError;
use super::block::attention::{self, Heads, Memory};
use super::block::cache::Cache;
use super::block::positions::Positions;
use super::block::{embedding, mlp, norm};
use super::decoder::{Decoder, Layer};
use super::hyper::Hyper;
use super::request::{DECODE, PREFILL, capacity};
use crate::graph::{
    Binary, CACHE, ElementType, FunctionBuilder, GraphBuilder, GraphError, ParamSpec, Role, TensorType, Type,
    Val,
};
use crate::options::{ExportOptions, GraphKind};

/// `main`: all positions of a sequence at once, the next token of each.
pub(super) fn redecode(
    builder: &mut GraphBuilder,
    decoder: &Decoder,
    rope_tables: &[ParamSpec],
    options: &ExportOptions,
) -> Result<(), BuildError> {
    let length = u64::from(options.seq);
    let mut f = builder.function(options.function_name.as_str(), GraphKind::Redecode);
    let tokens = f.argument("tokens", tensor(&[1, length], ElementType::I32), false)?;
    let tokens = f.reshape(tokens, &[length])?;
    let positions = Positions::new(&mut f, decoder, rope_tables, None, [length, length])?;
    let hidden = layers(&mut f, tokens, None, decoder, &positions, &mut Memory::Call)?;
    let logits = head(&mut f, hidden, decoder)?;
    let next = best(&mut f, logits)?;
    f.result("next", next);
    f.finish();
    Ok(())
}

/// `prefill`: a chunk of tokens, of which the first `count` are valid.
pub(super) fn prefill(
    builder: &mut GraphBuilder,
    decoder: &Decoder,
    rope_tables: &[ParamSpec],
    options: &ExportOptions,
) -> Result<(), BuildError> {
    let chunk = u64::from(options.chunk);
    let mut f = builder.function(PREFILL, GraphKind::Kv);
    let tokens = f.argument("tokens", tensor(&[chunk], ElementType::I32), false)?;
    let position = scalar_argument(&mut f, "position")?;
    let count = scalar_argument(&mut f, "count")?;
    let (hidden, cache) = cached_layers(&mut f, tokens, position, decoder, rope_tables, options)?;
    let last = f.scoped("last", |f| {
        f.role(|f| {
            let one = f.i32(1)?;
            let row = f.binary(Binary::Subtract, count, one)?;
            let zero = f.i32(0)?;
            let output = f.dynamic_slice(hidden, &[row, zero], &[1, decoder.hyper.embedding_length])?;
            Ok::<(Val, Role), GraphError>((output, Role::LastRow { input: hidden, count, output }))
        })
    })?;
    finish_kv(f, last, cache, decoder)
}

/// `decode`: one token.
pub(super) fn decode(
    builder: &mut GraphBuilder,
    decoder: &Decoder,
    rope_tables: &[ParamSpec],
    options: &ExportOptions,
) -> Result<(), BuildError> {
    let mut f = builder.function(DECODE, GraphKind::Kv);
    let token = f.argument("token", tensor(&[1], ElementType::I32), false)?;
    let position = scalar_argument(&mut f, "position")?;
    let (hidden, cache) = cached_layers(&mut f, token, position, decoder, rope_tables, options)?;
    finish_kv(f, hidden, cache, decoder)
}

pub(super) fn tensor(shape: &[u64], element_type: ElementType) -> Type {
    Type::Tensor(TensorType::new(shape, element_type))
}

/// An `i32` that is passed by value: a tensor would have to be fetched from the device.
pub(super) fn scalar_argument(f: &mut FunctionBuilder<'_>, name: &'static str) -> Result<Val, GraphError> {
    let scalar = f.argument(name, Type::Scalar(ElementType::I32), false)?;
    f.scalar_to_tensor(scalar)
}

/// The last argument, the cache, and all layers over it.
fn cached_layers(
    f: &mut FunctionBuilder<'_>,
    tokens: Val,
    position: Val,
    decoder: &Decoder,
    rope_tables: &[ParamSpec],
    options: &ExportOptions,
) -> Result<(Val, Val), GraphError> {
    let hyper = &decoder.hyper;
    let capacity = capacity(options);
    let shape = [hyper.layer_count, 2 * hyper.kv_head_count, capacity, hyper.head_dim];
    let cache = f.argument(CACHE, tensor(&shape, decoder.cache_element_type), true)?;
    let [count] = f.dims(tokens)?;
    let positions = Positions::new(f, decoder, rope_tables, Some(position), [count, capacity])?;
    let mut memory = Memory::Cache(Cache::new(f, cache, position)?);
    let hidden = layers(f, tokens, Some(position), decoder, &positions, &mut memory)?;
    let cache = match memory {
        Memory::Cache(cache) => cache.value(),
        Memory::Call => cache,
    };
    Ok((hidden, cache))
}

/// From tokens to the last layer's hidden state: `[M]` to `[M, D]`.
fn layers(
    f: &mut FunctionBuilder<'_>,
    tokens: Val,
    first: Option<Val>,
    decoder: &Decoder,
    positions: &Positions,
    memory: &mut Memory,
) -> Result<Val, GraphError> {
    let mut hidden = embedding::embed(f, tokens, decoder)?;
    if let Some(table) = &decoder.positions {
        let [count] = f.dims(tokens)?;
        let rows = embedding::position_rows(f, table, first, count)?;
        hidden = residual(f, hidden, rows, 1.0)?;
    }
    for (index, layer) in (0..).zip(&decoder.layers) {
        hidden = f.scoped(&format!("layer {index}"), |f| {
            let hidden = self::layer(f, hidden, (index, layer), &decoder.hyper, positions, memory)?;
            Ok::<Val, GraphError>(f.named("hidden", hidden))
        })?;
    }
    Ok(hidden)
}

/// A layer: `[M, D]` to `[M, D]`.
fn layer(
    f: &mut FunctionBuilder<'_>,
    hidden: Val,
    (index, layer): (i32, &Layer),
    hyper: &Hyper,
    positions: &Positions,
    memory: &mut Memory,
) -> Result<Val, GraphError> {
    let Layer { attention: parts, feed_forward, parallel, residual_scale } = layer;
    let heads = Heads { queries: hyper.head_count, keys: hyper.kv_head_count, dim: hyper.head_dim };
    let normed = norm::opt_norm(f, "attention_norm", hidden, parts.norm.as_ref())?;
    let attended =
        f.scoped("attention", |f| attention::attention(f, normed, (index, parts), heads, positions, memory))?;
    let attended = norm::opt_norm(f, "attention_post_norm", attended, parts.post_norm.as_ref())?;
    let hidden = residual(f, hidden, attended, *residual_scale)?;
    let read = if *parallel { normed } else { hidden };
    let normed = norm::opt_norm(f, "mlp_norm", read, feed_forward.norm.as_ref())?;
    let changed = f.scoped("mlp", |f| mlp::mlp(f, normed, &feed_forward.mlp))?;
    let changed = norm::opt_norm(f, "mlp_post_norm", changed, feed_forward.post_norm.as_ref())?;
    residual(f, hidden, changed, *residual_scale)
}

/// The logits of hidden states: `[M, D]` to `[M, V]`.
fn head(f: &mut FunctionBuilder<'_>, hidden: Val, decoder: &Decoder) -> Result<Val, GraphError> {
    let normed = norm::norm(f, "output_norm", hidden, &decoder.output_norm)?;
    embedding::logits(f, normed, decoder)
}

/// The token of the greatest logit: `[M, V]` to `[M]`.
fn best(f: &mut FunctionBuilder<'_>, logits: Val) -> Result<Val, GraphError> {
    f.role(|f| {
        let next = f.arg_max(logits, 1)?;
        let output = f.named("next", next);
        Ok((output, Role::ArgMax { input: logits, output }))
    })
}

/// The sum of a hidden state and what a part of the layer adds to it.
pub(super) fn residual(
    f: &mut FunctionBuilder<'_>,
    input: Val,
    branch: Val,
    scale: f32,
) -> Result<Val, GraphError> {
    f.role(|f| {
        let scaled = match scale {
            1.0 => branch,
            _ => {
                let factor = f.f32(scale, &f.shape(branch))?;
                f.multiply(branch, factor)?
            }
        };
        let output = f.add(input, scaled)?;
        Ok((output, Role::Residual { input, branch, scale, output }))
    })
}

/// The results of a kv function, from the hidden state that the next token follows.
fn finish_kv(
    mut f: FunctionBuilder<'_>,
    hidden: Val,
    cache: Val,
    decoder: &Decoder,
) -> Result<(), BuildError> {
    let logits = head(&mut f, hidden, decoder)?;
    let next = best(&mut f, logits)?;
    f.result("next", next);
    f.result("logits", logits);
    f.result(CACHE, cache);
    f.finish();
    Ok(())
}
