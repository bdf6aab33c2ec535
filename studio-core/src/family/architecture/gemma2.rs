//! Gemma 2: a norm after each part too, every other layer sees only a window, scores and logits are capped.

use crate::family::BuildError;
use crate::family::decoder::{Attention, Decoder, FeedForward};
use crate::family::model::{Before, Model, Style};
use crate::family::names::LayerPart;
use crate::family::rope::Pairs;
use crate::graph::Activation;

/// What llama.cpp takes where the metadata has nothing.
const WINDOW: u64 = 4096;
const SCORE_CAP: f32 = 50.0;
const LOGIT_CAP: f32 = 30.0;

/// The layers of the largest model, whose scores are scaled by another rule.
const LAYERS_OF_27B: u64 = 46;

pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.rms_norm()?, pairs: Some(Pairs::Halves), before: Before::Norms };
    let windows = model.windows(Some(WINDOW), 2)?;
    let cap = model.keys.positive_f32("attn_logit_softcapping", Some(SCORE_CAP))?;
    Ok(Decoder {
        embedding_scale: (model.hyper.embedding_length as f32).sqrt(),
        ropes: vec![model.rope()?],
        layers: model.layers(style, |layer| {
            let attention = Attention {
                window: windows.of(layer.index),
                cap: Some(cap),
                scale: model.gemma_scale(LAYERS_OF_27B),
                post_norm: Some(layer.norm(LayerPart::AttentionPostNorm)?),
                ..layer.attention()?
            };
            let feed_forward = FeedForward {
                post_norm: Some(layer.norm(LayerPart::FeedForwardPostNorm)?),
                ..layer.gated(Activation::GeluTanh)?
            };
            Ok(layer.layer(attention, feed_forward))
        })?,
        logit_cap: Some(model.keys.positive_f32("final_logit_softcapping", Some(LOGIT_CAP))?),
        ..model.decoder(style)?
    })
}
