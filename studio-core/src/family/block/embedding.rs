//! From tokens to hidden states, and back.

use super::activation::soft_cap;
use super::linear::product_with_bias;
use crate::family::decoder::{Decoder, Embedding};
use crate::graph::{ElementType, FunctionBuilder, GraphError, ParamSpec, Role, Val};

/// The vectors of a list of tokens: `[M]` to `[M, D]`.
pub(in crate::family) fn embed(
    f: &mut FunctionBuilder<'_>,
    tokens: Val,
    decoder: &Decoder,
) -> Result<Val, GraphError> {
    f.scoped("embedding", |f| {
        f.role(|f| {
            let (table, vectors) = match &decoder.embedding {
                Embedding::Rows(table) => {
                    let table = f.parameter(table.clone())?;
                    (table, f.take(table, tokens, 0)?)
                }
                Embedding::TiedToOutput => {
                    let table = f.parameter(decoder.output.weight.clone())?;
                    let columns = f.take(table, tokens, 1)?;
                    (table, f.transpose(columns, &[1, 0])?)
                }
            };
            let mut hidden = f.convert(vectors, ElementType::F32)?;
            let scale = decoder.embedding_scale;
            if scale != 1.0 {
                let factor = f.f32(scale, &f.shape(hidden))?;
                hidden = f.multiply(hidden, factor)?;
            }
            let output = f.named("hidden", hidden);
            Ok((output, Role::Embed { table, tokens, scale, output }))
        })
    })
}

/// A row of a table for each of a list of tokens: `[M]` to `[M, D]`.
pub(in crate::family) fn token_rows(
    f: &mut FunctionBuilder<'_>,
    table: &ParamSpec,
    tokens: Val,
) -> Result<Val, GraphError> {
    f.role(|f| {
        let table = f.parameter(table.clone())?;
        let rows = f.take(table, tokens, 0)?;
        let output = f.convert(rows, ElementType::F32)?;
        Ok((output, Role::Embed { table, tokens, scale: 1.0, output }))
    })
}

/// The learned vectors of a run of `count` positions from `first` on, or from 0: `[count, D]`.
pub(in crate::family) fn position_rows(
    f: &mut FunctionBuilder<'_>,
    table: &ParamSpec,
    first: Option<Val>,
    count: u64,
) -> Result<Val, GraphError> {
    f.scoped("positions", |f| {
        f.role(|f| {
            let table = f.parameter(table.clone())?;
            let mut indices = f.iota(&[count], 0)?;
            if let Some(first) = first {
                let first = f.broadcast(first, &[count], &[])?;
                indices = f.add(indices, first)?;
            }
            // One by one: padding may hang over the table's end.
            let rows = f.take(table, indices, 0)?;
            let output = f.convert(rows, ElementType::F32)?;
            Ok((output, Role::PositionRows { table, first, output }))
        })
    })
}

/// The score of each token of the vocabulary: `[M, D]` to `[M, V]`.
pub(in crate::family) fn logits(
    f: &mut FunctionBuilder<'_>,
    hidden: Val,
    decoder: &Decoder,
) -> Result<Val, GraphError> {
    f.scoped("output", |f| {
        let mut logits = product_with_bias(f, hidden, &decoder.output.weight, decoder.output.bias.as_ref())?;
        let factor = decoder.logit_scale;
        if factor != 1.0 {
            logits = f.role(|f| {
                let factors = f.f32(factor, &f.shape(logits))?;
                let output = f.multiply(logits, factors)?;
                Ok::<(Val, Role), GraphError>((output, Role::Scale { input: logits, factor, output }))
            })?;
        }
        if let Some(cap) = decoder.logit_cap {
            logits = f.role(|f| {
                let output = soft_cap(f, logits, cap)?;
                Ok::<(Val, Role), GraphError>((output, Role::SoftCap { input: logits, cap, output }))
            })?;
        }
        Ok(f.named("logits", logits))
    })
}
