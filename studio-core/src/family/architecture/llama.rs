//! Llama, and what shares its architecture: SmolLM2, TinyLlama, Mistral, Mixtral.

use crate::family::BuildError;
use crate::family::decoder::Decoder;
use crate::family::model::{Before, Model, Style};
use crate::family::rope::Pairs;
use crate::graph::Activation;

/// Grouped-query attention with rope, RMS norms before each part, a gated SiLU feed-forward or several of them.
pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.rms_norm()?, pairs: Some(Pairs::Interleaved), before: Before::Norms };
    Ok(Decoder {
        ropes: vec![model.rope_with_factors()?],
        layers: model.layers(style, |layer| {
            let attention = layer.attention()?;
            let feed_forward = match model.has_experts()? {
                true => layer.experts(model.keys.uniform("feed_forward_length")?, true, None)?,
                false => layer.gated(Activation::Silu)?,
            };
            Ok(layer.layer(attention, feed_forward))
        })?,
        ..model.decoder(style)?
    })
}
