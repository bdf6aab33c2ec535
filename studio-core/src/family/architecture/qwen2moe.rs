//! Qwen 1.5 and 2 MoE: Qwen 2 with experts, and one that every position has, which has a gate of its own.

use crate::family::BuildError;
use crate::family::decoder::Decoder;
use crate::family::model::{Before, Model, Style};
use crate::family::rope::Pairs;

pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.rms_norm()?, pairs: Some(Pairs::Halves), before: Before::Norms };
    let hidden = model.expert_length()?;
    let shared = match model.keys.opt_positive("expert_shared_feed_forward_length")? {
        Some(length) => length,
        None => model.keys.uniform("feed_forward_length")?,
    };
    Ok(Decoder {
        ropes: vec![model.rope()?],
        layers: model.layers(style, |layer| {
            let shared = Some(layer.shared_expert(shared)?);
            Ok(layer.layer(layer.attention()?, layer.experts(hidden, false, shared)?))
        })?,
        ..model.decoder(style)?
    })
}
