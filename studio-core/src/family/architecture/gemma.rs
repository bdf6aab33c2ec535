//! Gemma: scaled embeddings, a gated GELU feed-forward. The converters add the 1 of its norms' gains.

use crate::family::BuildError;
use crate::family::decoder::Decoder;
use crate::family::model::{Before, Model, Style};
use crate::family::rope::Pairs;
use crate::graph::Activation;

pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.rms_norm()?, pairs: Some(Pairs::Halves), before: Before::Norms };
    Ok(Decoder {
        embedding_scale: (model.hyper.embedding_length as f32).sqrt(),
        ropes: vec![model.rope()?],
        layers: model
            .layers(style, |layer| Ok(layer.layer(layer.attention()?, layer.gated(Activation::GeluTanh)?)))?,
        ..model.decoder(style)?
    })
}
