//! BERT: learned positions, biases everywhere, norms after each addition, a GELU feed-forward without a gate.

use crate::family::BuildError;
use crate::family::encoder::Encoder;
use crate::family::model::{Before, Model, Style};
use crate::graph::Activation;

/// The GELU is the one with tanh, as in llama.cpp, also where a model was trained with the other: they differ by less
/// than a thousandth.
pub(super) fn describe(model: &Model<'_>) -> Result<Encoder, BuildError> {
    let style = Style { norm: model.encoder_style()?, pairs: None, before: Before::Nothing };
    Ok(Encoder {
        positions: Some(model.learned_positions()?),
        ..model.encoder(style, |layer| layer.plain(Activation::GeluTanh))?
    })
}
