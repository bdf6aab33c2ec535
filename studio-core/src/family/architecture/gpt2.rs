//! GPT-2: learned positions instead of rope, layer norms, a GELU feed-forward without a gate.

use crate::family::BuildError;
use crate::family::decoder::Decoder;
use crate::family::model::{Before, Model, Style};
use crate::graph::Activation;

pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style = Style { norm: model.layer_norm()?, pairs: None, before: Before::Norms };
    Ok(Decoder {
        positions: Some(model.learned_positions()?),
        layers: model
            .layers(style, |layer| Ok(layer.layer(layer.attention()?, layer.plain(Activation::GeluTanh)?)))?,
        ..model.decoder(style)?
    })
}
