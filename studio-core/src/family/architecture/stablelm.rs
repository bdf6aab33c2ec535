//! StableLM: layer norms, heads of which only a part is turned; the 12B norms each head and runs both parts in parallel.

use crate::family::BuildError;
use crate::family::decoder::{Attention, Decoder, Layer};
use crate::family::model::{Before, Model, Style};
use crate::family::names::LayerPart;
use crate::family::rope::Pairs;
use crate::graph::Activation;

pub(super) fn describe(model: &Model<'_>) -> Result<Decoder, BuildError> {
    let style =
        Style { norm: model.layer_norm()?, pairs: Some(Pairs::Halves), before: Before::NormOfAttention };
    let (queries, keys) = (model.hyper.head_count, model.hyper.kv_head_count);
    Ok(Decoder {
        ropes: vec![model.rope()?],
        layers: model.layers(style, |layer| {
            let attention = Attention {
                query_norm: layer.opt_norm_of_each_head(LayerPart::QueryNorm, queries)?,
                key_norm: layer.opt_norm_of_each_head(LayerPart::KeyNorm, keys)?,
                ..layer.attention()?
            };
            let layer = layer.layer(attention, layer.gated(Activation::Silu)?);
            Ok(Layer { parallel: layer.feed_forward.norm.is_none(), ..layer })
        })?,
        ..model.decoder(style)?
    })
}
