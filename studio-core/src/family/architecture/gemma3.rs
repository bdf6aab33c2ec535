//! Gemma 3, its text part: five of six layers see only a window and turn by other angles; heads are normed.

use crate::family::BuildError;
use crate::family::decoder::{Attention, Decoder, FeedForward};
use crate::family::model::{Before, Model, Style};
use crate::family::names::{self, LayerPart};
use crate::family::rope::{Pairs, Rope};
use crate::graph::Activation;

/// The layers of the largest model, whose scores are scaled by another rule.
const LAYERS_OF_27B: u64 = 62;

pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.rms_norm()?, pairs: Some(Pairs::Halves), before: Before::Norms };
    let windows = model.windows(None, 6)?;
    let global = model.rope()?;
    // Layers with a window turn as in a model that was never extended.
    let local = Rope {
        name: names::ROPE_LOCAL,
        base: model.keys.positive_f32("rope.freq_base_swa", Some(10_000.0))?,
        frequency_scale: 1.0,
        ..global.clone()
    };
    Ok(Decoder {
        embedding_scale: (model.hyper.embedding_length as f32).sqrt(),
        ropes: vec![global, local],
        layers: model.layers(style, |layer| {
            let window = windows.of(layer.index);
            let attention = Attention {
                window,
                rope: Some(usize::from(window.is_some())),
                scale: model.gemma_scale(LAYERS_OF_27B),
                query_norm: Some(layer.head_norm(LayerPart::QueryNorm)?),
                key_norm: Some(layer.head_norm(LayerPart::KeyNorm)?),
                post_norm: Some(layer.norm(LayerPart::AttentionPostNorm)?),
                ..layer.attention()?
            };
            let feed_forward = FeedForward {
                post_norm: Some(layer.norm(LayerPart::FeedForwardPostNorm)?),
                ..layer.gated(Activation::GeluTanh)?
            };
            Ok(layer.layer(attention, feed_forward))
        })?,
        logit_cap: model.keys.nonzero_f32("final_logit_softcapping")?,
        ..model.decoder(style)?
    })
}
