//! Phi 3 and 4 mini: queries, keys and values in one matrix, gate and up in one; frequencies with factors of their own
//! for short and for long contexts (LongRoPE).

use crate::family::BuildError;
use crate::family::decoder::Decoder;
use crate::family::model::{Before, Model, Style};
use crate::family::rope::Pairs;
use crate::graph::Activation;

/// The window that some files name is not applied: llama.cpp doesn't either.
pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.rms_norm()?, pairs: Some(Pairs::Halves), before: Before::Norms };
    Ok(Decoder {
        ropes: vec![model.rope_with_factors()?],
        layers: model.layers(style, |layer| {
            Ok(layer.layer(layer.attention()?, layer.gated_in_one(Activation::Silu)?))
        })?,
        ..model.decoder(style)?
    })
}
