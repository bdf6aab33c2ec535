//! OLMo 2 and 3: norms after each part, none before; queries and keys are normed, all heads together.

use crate::family::BuildError;
use crate::family::decoder::{Attention, Decoder, FeedForward};
use crate::family::model::{Before, Model, Style};
use crate::family::names::{self, LayerPart};
use crate::family::rope::{Pairs, Rope};
use crate::graph::Activation;

pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.rms_norm()?, pairs: Some(Pairs::Halves), before: Before::Nothing };
    let windows = model.windows(None, 4)?;
    let global = model.rope()?;
    // Layers with a window (OLMo 3) turn as in a model that was never extended.
    let local =
        Rope { name: names::ROPE_LOCAL, frequency_scale: 1.0, yarn: None, magnitude: 1.0, ..global.clone() };
    let (queries, keys) = (model.hyper.head_count, model.hyper.kv_head_count);
    Ok(Decoder {
        ropes: vec![global, local],
        layers: model.layers(style, |layer| {
            let window = windows.of(layer.index);
            let attention = Attention {
                window,
                rope: Some(usize::from(window.is_some())),
                query_norm: Some(layer.projection_norm(LayerPart::QueryNorm, queries)?),
                key_norm: Some(layer.projection_norm(LayerPart::KeyNorm, keys)?),
                post_norm: Some(layer.norm(LayerPart::AttentionPostNorm)?),
                ..layer.attention()?
            };
            let feed_forward = FeedForward {
                post_norm: Some(layer.norm(LayerPart::FeedForwardPostNorm)?),
                ..layer.gated(Activation::Silu)?
            };
            Ok(layer.layer(attention, feed_forward))
        })?,
        ..model.decoder(style)?
    })
}
