//! Qwen 3: queries and keys are normed, each head by itself, before they are turned.

use crate::family::BuildError;
use crate::family::decoder::{Attention, Decoder};
use crate::family::model::{Before, Model, Style};
use crate::family::names::LayerPart;
use crate::family::rope::Pairs;
use crate::graph::Activation;

pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.rms_norm()?, pairs: Some(Pairs::Halves), before: Before::Norms };
    Ok(Decoder {
        ropes: vec![model.rope()?],
        layers: model.layers(style, |layer| {
            let attention = Attention {
                query_norm: Some(layer.head_norm(LayerPart::QueryNorm)?),
                key_norm: Some(layer.head_norm(LayerPart::KeyNorm)?),
                ..layer.attention()?
            };
            Ok(layer.layer(attention, layer.gated(Activation::Silu)?))
        })?,
        ..model.decoder(style)?
    })
}
