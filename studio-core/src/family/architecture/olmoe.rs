//! OLMoE: llama with experts whose shares don't sum to one; queries and keys are normed, all heads together.

use crate::family::BuildError;
use crate::family::decoder::{Attention, Decoder};
use crate::family::model::{Before, Model, Style};
use crate::family::names::LayerPart;
use crate::family::rope::Pairs;

pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.rms_norm()?, pairs: Some(Pairs::Halves), before: Before::Norms };
    let (queries, keys) = (model.hyper.head_count, model.hyper.kv_head_count);
    let hidden = model.keys.uniform("feed_forward_length")?;
    Ok(Decoder {
        ropes: vec![model.rope()?],
        layers: model.layers(style, |layer| {
            let attention = Attention {
                query_norm: Some(layer.projection_norm(LayerPart::QueryNorm, queries)?),
                key_norm: Some(layer.projection_norm(LayerPart::KeyNorm, keys)?),
                ..layer.attention()?
            };
            Ok(layer.layer(attention, layer.experts(hidden, false, None)?))
        })?,
        ..model.decoder(style)?
    })
}
