//! StarCoder 2: layer norms, biases everywhere, a GELU feed-forward without a gate.

use crate::family::BuildError;
use crate::family::decoder::Decoder;
use crate::family::model::{Before, Model, Style};
use crate::family::rope::Pairs;
use crate::graph::Activation;

pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.layer_norm()?, pairs: Some(Pairs::Halves), before: Before::Norms };
    Ok(Decoder {
        ropes: vec![model.rope()?],
        layers: model
            .layers(style, |layer| Ok(layer.layer(layer.attention()?, layer.plain(Activation::GeluTanh)?)))?,
        ..model.decoder(style)?
    })
}
