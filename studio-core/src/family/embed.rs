//! The function of the contract `embed`, as docs/contracts.md describes it: a text's tokens to its vector.

use super::BuildError;
use super::block::attention::{self, Heads, Memory};
use super::block::positions::Positions;
use super::block::{embedding, mlp, norm};
use super::contract::{residual, scalar_argument, tensor};
use super::encoder::{Encoder, EncoderLayer, Pooling};
use super::request::EMBED;
use crate::graph::{
    Binary, ElementType, FunctionBuilder, GraphBuilder, GraphError, ParamSpec, Reduction, Relation, Unary,
    Val,
};
use crate::options::{ExportOptions, GraphKind};

/// `embed`: of a sequence, the first `count` tokens are the text's.
pub(super) fn embed(
    builder: &mut GraphBuilder,
    encoder: &Encoder,
    rope_tables: &[ParamSpec],
    options: &ExportOptions,
) -> Result<(), BuildError> {
    let length = u64::from(options.seq);
    let width = encoder.hyper.embedding_length;
    let mut f = builder.function(EMBED, GraphKind::Embed);
    let tokens = f.argument("tokens", tensor(&[1, length], ElementType::I32), false)?;
    let count = scalar_argument(&mut f, "count")?;
    let tokens = f.reshape(tokens, &[length])?;
    let mut hidden = f.scoped("embedding", |f| embeddings(f, encoder, tokens))?;
    let attentions = encoder.layers.iter().map(|layer| &layer.attention);
    let positions = Positions::counted(&mut f, attentions, rope_tables, count, length)?;
    for (index, layer) in (0..).zip(&encoder.layers) {
        hidden = f.scoped(&format!("layer {index}"), |f| {
            let hidden = self::layer(f, hidden, (index, layer), encoder, &positions)?;
            Ok::<Val, GraphError>(f.named("hidden", hidden))
        })?;
    }
    let pooled = f.scoped("pooling", |f| pool(f, hidden, count, encoder.pooling))?;
    let embedding = f.scoped("unit length", |f| unit_length(f, pooled))?;
    let embedding = f.reshape(embedding, &[1, width])?;
    f.result("embedding", embedding);
    f.finish();
    Ok(())
}

/// What tokens, their kind and their positions are known by, normed: `[M]` to `[M, D]`.
fn embeddings(f: &mut FunctionBuilder<'_>, encoder: &Encoder, tokens: Val) -> Result<Val, GraphError> {
    let mut hidden = embedding::token_rows(f, &encoder.tokens, tokens)?;
    let shape = f.shape(hidden);
    if let Some(kinds) = &encoder.kinds {
        let table = f.parameter(kinds.clone())?;
        let first = f.slice(table, 0, 0..1)?;
        let first = f.convert(first, ElementType::F32)?;
        let first = f.reshape(first, &shape[1..])?;
        let first = f.broadcast(first, &shape, &[1])?;
        hidden = f.add(hidden, first)?;
    }
    if let Some(table) = &encoder.positions {
        let rows = embedding::position_rows(f, table, None, shape[0])?;
        hidden = residual(f, hidden, rows, 1.0)?;
    }
    norm::norm(f, "norm", hidden, &encoder.norm)
}

/// A layer: `[M, D]` to `[M, D]`.
fn layer(
    f: &mut FunctionBuilder<'_>,
    hidden: Val,
    (index, layer): (i32, &EncoderLayer),
    encoder: &Encoder,
    positions: &Positions,
) -> Result<Val, GraphError> {
    let hyper = &encoder.hyper;
    let heads = Heads { queries: hyper.head_count, keys: hyper.kv_head_count, dim: hyper.head_dim };
    let parts = (index, &layer.attention);
    let attended = f.scoped("attention", |f| {
        attention::attention(f, hidden, parts, heads, positions, &mut Memory::Call)
    })?;
    let hidden = residual(f, hidden, attended, 1.0)?;
    let hidden = norm::norm(f, "attention_norm", hidden, &layer.attention_norm)?;
    let changed = f.scoped("mlp", |f| mlp::mlp(f, hidden, &layer.mlp))?;
    let hidden = residual(f, hidden, changed, 1.0)?;
    norm::norm(f, "mlp_norm", hidden, &layer.mlp_norm)
}

/// The vector of all `count` positions: `[M, D]` to `[D]`.
fn pool(f: &mut FunctionBuilder<'_>, hidden: Val, count: Val, pooling: Pooling) -> Result<Val, GraphError> {
    let [rows, width] = f.dims(hidden)?;
    match pooling {
        Pooling::Mean => {
            let shape = [rows, width];
            let row = f.iota(&shape, 0)?;
            let counts = f.broadcast(count, &shape, &[])?;
            let there = f.compare(Relation::Less, row, counts)?;
            let nothing = f.f32(0.0, &shape)?;
            let kept = f.select(there, hidden, nothing)?;
            let sum = f.reduce(Reduction::Sum, kept, 0)?;
            let count = f.convert(count, ElementType::F32)?;
            let count = f.broadcast(count, &[width], &[])?;
            f.binary(Binary::Divide, sum, count)
        }
        Pooling::First => {
            let first = f.slice(hidden, 0, 0..1)?;
            f.reshape(first, &[width])
        }
        Pooling::Last => {
            let one = f.i32(1)?;
            let row = f.binary(Binary::Subtract, count, one)?;
            let zero = f.i32(0)?;
            let last = f.dynamic_slice(hidden, &[row, zero], &[1, width])?;
            f.reshape(last, &[width])
        }
    }
}

/// A vector divided by its length: `[D]` to `[D]`.
fn unit_length(f: &mut FunctionBuilder<'_>, vector: Val) -> Result<Val, GraphError> {
    let shape = f.shape(vector);
    let squares = f.multiply(vector, vector)?;
    let sum = f.reduce(Reduction::Sum, squares, 0)?;
    let factor = f.unary(Unary::Rsqrt, sum)?;
    let factor = f.broadcast(factor, &shape, &[])?;
    f.multiply(vector, factor)
}
