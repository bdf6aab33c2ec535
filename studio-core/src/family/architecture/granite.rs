//! Granite 3: llama with scales on embeddings, scores, results of each part, and logits.

use crate::family::BuildError;
use crate::family::decoder::{Attention, Decoder, Layer};
use crate::family::model::{Before, Model, Style};
use crate::family::rope::Pairs;
use crate::graph::Activation;

pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.rms_norm()?, pairs: Some(Pairs::Interleaved), before: Before::Norms };
    let keys = &model.keys;
    // Here the key says whether there is rope at all.
    let rope = keys.metadata.opt_bool(&keys.key("rope.scaling.finetuned"))?.unwrap_or(true).then_some(0);
    let score_scale = keys.nonzero_f32("attention.scale")?;
    let residual_scale = keys.nonzero_f32("residual_scale")?.unwrap_or(1.0);
    Ok(Decoder {
        embedding_scale: keys.nonzero_f32("embedding_scale")?.unwrap_or(1.0),
        ropes: vec![model.rope_with_factors()?],
        layers: model.layers(style, |layer| {
            let attention = layer.attention()?;
            let attention = Attention { rope, scale: score_scale.unwrap_or(attention.scale), ..attention };
            let layer = layer.layer(attention, layer.gated(Activation::Silu)?);
            Ok(Layer { residual_scale, ..layer })
        })?,
        logit_scale: 1.0 / keys.positive_f32("logit_scale", None)?,
        ..model.decoder(style)?
    })
}
