//! SmolLM3: llama, but every fourth layer doesn't turn its queries and keys.

use crate::family::BuildError;
use crate::family::decoder::{Attention, Decoder};
use crate::family::model::{Before, Model, Style};
use crate::family::rope::Pairs;
use crate::graph::Activation;

/// A layer of so many has no positions.
const WITHOUT_ROPE: u64 = 4;

pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.rms_norm()?, pairs: Some(Pairs::Interleaved), before: Before::Norms };
    Ok(Decoder {
        ropes: vec![model.rope()?],
        layers: model.layers(style, |layer| {
            let rope = (!(layer.index + 1).is_multiple_of(WITHOUT_ROPE)).then_some(0);
            let attention = Attention { rope, ..layer.attention()? };
            Ok(layer.layer(attention, layer.gated(Activation::Silu)?))
        })?,
        ..model.decoder(style)?
    })
}
