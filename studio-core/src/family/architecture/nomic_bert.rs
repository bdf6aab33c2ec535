//! Nomic BERT: BERT with rope instead of learned positions and a gated SiLU feed-forward.

use crate::family::BuildError;
use crate::family::encoder::Encoder;
use crate::family::model::{Before, Model, Style};
use crate::family::rope::Pairs;
use crate::graph::Activation;

pub(super) fn describe(model: &Model<'_>) -> Result<Encoder, BuildError> {
    let style = Style { norm: model.encoder_style()?, pairs: Some(Pairs::Halves), before: Before::Nothing };
    Ok(Encoder { ropes: vec![model.rope()?], ..model.encoder(style, |layer| layer.gated(Activation::Silu))? })
}
