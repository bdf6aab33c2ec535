//! What families of encoders describe their models with, beside what `model.rs` and `layer.rs` have for all.

use super::BuildError;
use super::decoder::{Attention, FeedForward, NormKind};
use super::encoder::{Encoder, EncoderLayer, Pooling};
use super::layer::LayerReader;
use super::model::{Model, Style};
use super::names::{self, LayerPart};
use crate::graph::RowOrder;

impl<'g> Model<'g> {
    /// All but learned positions and ropes: embeddings, their norm, and layers with the feed-forward that `describe`
    /// reads.
    pub(super) fn encoder(
        &self,
        style: Style,
        describe: impl Fn(&LayerReader<'_, 'g>) -> Result<FeedForward, BuildError>,
    ) -> Result<Encoder, BuildError> {
        let width = self.hyper.embedding_length;
        let kinds = match self.tensors.has(names::TOKEN_KINDS) {
            true => {
                let count = u64::from(self.keys.metadata.u32(names::TOKEN_KIND_COUNT)?);
                Some(self.tensors.rows(names::TOKEN_KINDS, count, width)?)
            }
            false => None,
        };
        Ok(Encoder {
            hyper: self.hyper.clone(),
            tokens: self.tensors.rows(names::TOKEN_EMBEDDING, self.vocabulary_size()?, width)?,
            kinds,
            positions: None,
            norm: self.norm(style.norm, names::TOKEN_NORM, names::TOKEN_NORM_BIAS)?,
            ropes: Vec::new(),
            layers: (0..self.hyper.layer_count)
                .map(|index| {
                    let reader = LayerReader { model: self, style, index };
                    let mlp = describe(&reader)?.mlp;
                    Ok(EncoderLayer {
                        attention: reader.attention_to_all()?,
                        attention_norm: reader.norm(LayerPart::AttentionOutputNorm)?,
                        mlp,
                        mlp_norm: reader.norm(LayerPart::LayerOutputNorm)?,
                    })
                })
                .collect::<Result<_, BuildError>>()?,
            pooling: self.pooling()?,
        })
    }

    /// The layer norms of encoders.
    pub(super) fn encoder_style(&self) -> Result<NormKind, BuildError> {
        if self.keys.metadata.opt_bool(&self.keys.key("attention.causal"))? == Some(true) {
            return Err(self.keys.unsupported("attention.causal", "an encoder that sees no later positions"));
        }
        self.layer_norm()
    }

    fn pooling(&self) -> Result<Pooling, BuildError> {
        let key = "pooling_type";
        match self.keys.metadata.u32(&self.keys.key(key))? {
            1 => Ok(Pooling::Mean),
            2 => Ok(Pooling::First),
            3 => Ok(Pooling::Last),
            4 => Err(self.keys.unsupported(key, "ranking a text against a question")),
            _ => Err(self.keys.unsupported(key, "an encoder that doesn't make one vector of a text's")),
        }
    }
}

impl LayerReader<'_, '_> {
    /// Attention of all positions to all.
    fn attention_to_all(&self) -> Result<Attention, BuildError> {
        let hyper = &self.model.hyper;
        let [query, key, value] = self.projections()?;
        let output = [hyper.head_count * hyper.head_dim, hyper.embedding_length];
        Ok(Attention {
            norm: None,
            query,
            key,
            value,
            query_norm: None,
            key_norm: None,
            rope: self.style.pairs.map(|_| 0),
            scale: 1.0 / (hyper.head_dim as f32).sqrt(),
            window: None,
            cap: None,
            output: self.linear(LayerPart::AttentionOutput, output, RowOrder::AsStored)?,
            post_norm: None,
        })
    }
}
