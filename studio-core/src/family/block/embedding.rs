//! From tokens to hidden states, and back.

use super::linear::matrix_product;
use crate::family::decoder::{Decoder, Embedding};
use crate::graph::{ElementType, FunctionBuilder, GraphError, Role, Val};

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
                    let table = f.parameter(decoder.output.clone())?;
                    let columns = f.take(table, tokens, 1)?;
                    (table, f.transpose(columns, &[1, 0])?)
                }
            };
            let hidden = f.convert(vectors, ElementType::F32)?;
            let output = f.named("hidden", hidden);
            Ok((output, Role::Embed { table, tokens, scale: 1.0, output }))
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
        let logits = matrix_product(f, hidden, &decoder.output)?;
        Ok(f.named("logits", logits))
    })
}
