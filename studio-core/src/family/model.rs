//! What families describe their models with: each method reads one piece of a model from the GGUF, as most families
//! have it, every needed tensor checked. A family takes those and changes what is different.

use super::BuildError;
use super::decoder::{Decoder, Embedding, Layer, Linear, Norm, NormKind};
use super::hyper::{Hyper, Keys};
use super::layer::LayerReader;
use super::names;
use super::rope::{Pairs, Rope};
use super::tensors::Tensors;
use crate::graph::{ElementType, ParamSpec, RowOrder};
use crate::options::{CacheElement, CpuOptions, ExportOptions, Form, GraphKind, Weights};
use gguf_file::Gguf;

/// More layers than any model has: a hostile number of them must not make a long list.
const MAX_LAYERS: u64 = 1 << 16;

/// A GGUF that is read as a model of an architecture.
pub(super) struct Model<'g> {
    pub(super) keys: Keys<'g>,
    pub(super) hyper: Hyper,
    pub(super) tensors: Tensors<'g>,
    pub(super) options: &'g ExportOptions,
}

/// What all layers of a family have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) norm: NormKind,
    /// How queries and keys are stored; `None` if nothing turns them.
    pub(super) pairs: Option<Pairs>,
    /// Whether there are norms before the parts of a layer.
    pub(super) before: Before,
}

/// What stands before the parts of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// A norm each.
    Norms,
    /// A norm before attention; one before the feed-forward if the file has it.
    NormOfAttention,
    /// Nothing.
    Nothing,
}

/// Which layers see only a window.
#[derive(Debug, Clone)]
pub(super) struct Windows {
    window: Option<u64>,
    layers: Vec<bool>,
}

impl Windows {
    /// The window of a layer, if it has one.
    pub(super) fn of(&self, layer: u64) -> Option<u64> {
        let windowed = usize::try_from(layer).ok().and_then(|layer| self.layers.get(layer));
        self.window.filter(|_| windowed == Some(&true))
    }
}

impl<'g> Model<'g> {
    pub(super) fn open(
        gguf: &'g Gguf,
        options: &'g ExportOptions,
        architecture: &'g str,
    ) -> Result<Self, BuildError> {
        let keys = Keys { metadata: gguf.metadata(), architecture };
        keys.refuse("nextn_predict_layers", "predicting several tokens at once")?;
        Ok(Self { keys, hyper: Hyper::read(&keys)?, tensors: Tensors::new(gguf, options), options })
    }

    /// Refuses a decoder that sees later positions.
    pub(super) fn refuse_noncausal(&self) -> Result<(), BuildError> {
        match self.keys.metadata.opt_bool(&self.keys.key("attention.causal"))? {
            Some(false) => Err(self.keys.unsupported("attention.causal", "attention to later positions")),
            Some(true) | None => Ok(()),
        }
    }

    /// RMS norms, with the epsilon that the metadata has for them.
    pub(super) fn rms_norm(&self) -> Result<NormKind, BuildError> {
        Ok(NormKind::Rms { epsilon: self.keys.positive_f32("attention.layer_norm_rms_epsilon", None)? })
    }

    /// Layer norms, with the epsilon that the metadata has for them.
    pub(super) fn layer_norm(&self) -> Result<NormKind, BuildError> {
        Ok(NormKind::Layer { epsilon: self.keys.positive_f32("attention.layer_norm_epsilon", None)? })
    }

    /// The turn that the metadata describes.
    pub(super) fn rope(&self) -> Result<Rope, BuildError> {
        Rope::read(&self.keys, self.hyper.rope_dimension_count)
    }

    /// The same with the model's own factors, if it has such.
    pub(super) fn rope_with_factors(&self) -> Result<Rope, BuildError> {
        for name in [names::ROPE_FACTORS, names::ROPE_FACTORS_LONG, names::ROPE_FACTORS_SHORT] {
            self.tensors.mark_used(name);
        }
        self.rope()?.with_factors(&self.keys, self.tensors.gguf(), self.options)
    }

    /// Whether feed-forwards are experts.
    pub(super) fn has_experts(&self) -> Result<bool, BuildError> {
        Ok(self.keys.metadata.opt_u32(&self.keys.key("expert_count"))?.unwrap_or(0) > 0)
    }

    /// Numbers in the hidden state of an expert; where nothing says it, the experts that a position has share the
    /// feed-forward's.
    pub(super) fn expert_length(&self) -> Result<u64, BuildError> {
        match self.keys.opt_positive("expert_feed_forward_length")? {
            Some(length) => Ok(length),
            None => Ok(self.keys.uniform("feed_forward_length")? / self.keys.uniform("expert_used_count")?),
        }
    }

    /// Which layers see only a window: all but the last of each `period` layers, unless the metadata says another
    /// period or names them; `default` is the window where it has none.
    pub(super) fn windows(&self, default: Option<u64>, period: u64) -> Result<Windows, BuildError> {
        let key = "attention.sliding_window";
        let window = match self.keys.metadata.opt_u32(&self.keys.key(key))? {
            Some(window) => Some(u64::from(window)).filter(|&window| window > 0),
            None => default,
        };
        let key = self.keys.key("attention.sliding_window_pattern");
        let layers = match self.keys.metadata.get(&key) {
            Some(value) if value.as_array().is_some() => self.windowed_layers(&key)?,
            _ => {
                let period = self.keys.metadata.opt_u32(&key)?.map_or(period, u64::from);
                let windowed = |layer| period == 0 || layer % period < period - 1;
                (0..self.hyper.layer_count.min(MAX_LAYERS)).map(windowed).collect()
            }
        };
        Ok(Windows { window, layers })
    }

    /// A list of which layers have a window: of truths, or of numbers.
    fn windowed_layers(&self, key: &str) -> Result<Vec<bool>, BuildError> {
        let layers = match self.keys.metadata.opt_bools(key) {
            Ok(layers) => layers.unwrap_or_default(),
            Err(_) => self.keys.metadata.u32s(key)?.into_iter().map(|layer| layer != 0).collect(),
        };
        if (layers.len() as u64) < self.hyper.layer_count {
            let reason = format!("it needs one for each of {} layers", self.hyper.layer_count);
            let value = format!("an array of {}", layers.len());
            return Err(BuildError::BadHyperparameter { key: key.to_owned(), value, reason });
        }
        Ok(layers)
    }

    /// What Gemma 2 and 3 multiply scores by: only the largest model, known by its layers, has another rule than
    /// everybody's.
    pub(super) fn gemma_scale(&self, layers_of_largest: u64) -> f32 {
        let length = match self.hyper.layer_count == layers_of_largest {
            true => self.hyper.embedding_length / self.hyper.head_count,
            false => self.hyper.head_dim,
        };
        1.0 / (length as f32).sqrt()
    }

    /// A vector for each position, as many as the asked-for functions can have.
    pub(super) fn learned_positions(&self) -> Result<ParamSpec, BuildError> {
        let count = self.keys.positive("context_length")?;
        for (option, asked, kind) in [
            ("seq", self.options.seq, GraphKind::Redecode),
            ("seq", self.options.seq, GraphKind::Embed),
            ("context", self.options.context, GraphKind::Kv),
        ] {
            if self.options.graphs.contains(&kind) && u64::from(asked) > count {
                let reason = format!("the model has learned {count} positions; choose at most so many");
                return Err(BuildError::Option { option, value: asked.to_string(), reason });
            }
        }
        self.tensors.rows(names::POSITIONS, count, self.hyper.embedding_length)
    }

    /// All but layers and ropes: an embedding, a last norm, and an output matrix if it isn't the embedding.
    pub(super) fn decoder(&self, style: Style) -> Result<Decoder, BuildError> {
        let vocabulary_size = self.vocabulary_size()?;
        let width = self.hyper.embedding_length;
        let tied = !self.tensors.has(names::OUTPUT);
        let output = if tied { names::TOKEN_EMBEDDING } else { names::OUTPUT };
        Ok(Decoder {
            hyper: self.hyper.clone(),
            vocabulary_size,
            embedding: match tied {
                true => Embedding::TiedToOutput,
                false => {
                    Embedding::Rows(self.tensors.rows(names::TOKEN_EMBEDDING, vocabulary_size, width)?)
                }
            },
            embedding_scale: 1.0,
            positions: None,
            ropes: Vec::new(),
            layers: Vec::new(),
            output_norm: self.norm(style.norm, names::OUTPUT_NORM, names::OUTPUT_NORM_BIAS)?,
            output: Linear {
                weight: self.tensors.projection(output, [width, vocabulary_size], RowOrder::AsStored)?,
                bias: match self.tensors.has(names::OUTPUT_BIAS) {
                    true => {
                        Some(self.tensors.vector(names::OUTPUT_BIAS, vocabulary_size, RowOrder::AsStored)?)
                    }
                    false => None,
                },
            },
            logit_scale: 1.0,
            logit_cap: None,
            cache_element_type: cache_element_type(self.options),
        })
    }

    /// All layers, each as `describe` says.
    pub(super) fn layers(
        &self,
        style: Style,
        describe: impl Fn(&LayerReader<'_, 'g>) -> Result<Layer, BuildError>,
    ) -> Result<Vec<Layer>, BuildError> {
        let layer = |index| describe(&LayerReader { model: self, style, index });
        (0..self.hyper.layer_count).map(layer).collect()
    }

    /// A norm of hidden states; layer norms may have a bias.
    pub(super) fn norm(&self, kind: NormKind, gain: &str, bias: &str) -> Result<Norm, BuildError> {
        let vector = |name| self.tensors.vector(name, self.hyper.embedding_length, RowOrder::AsStored);
        let has_bias = matches!(kind, NormKind::Layer { .. }) && self.tensors.has(bias);
        Ok(Norm { kind, gain: vector(gain)?, bias: if has_bias { Some(vector(bias)?) } else { None } })
    }

    /// Checks that the family made use of every tensor of the file.
    pub(super) fn refuse_unused(&self) -> Result<(), BuildError> {
        match self.tensors.unused() {
            None => Ok(()),
            Some(tensor) => Err(BuildError::UnusedTensor {
                name: tensor.name().to_owned(),
                architecture: self.keys.architecture.to_owned(),
            }),
        }
    }

    /// The rows of the embedding, which every GGUF has; `vocab_size` is not always there.
    pub(super) fn vocabulary_size(&self) -> Result<u64, BuildError> {
        let name = names::TOKEN_EMBEDDING;
        let missing = || BuildError::MissingTensor { name: name.to_owned() };
        let tensor = self.tensors.gguf().tensor(name).ok_or_else(missing)?;
        let size = tensor.dims().get(1).copied().unwrap_or(1);
        // Token ids are i32.
        if i32::try_from(size).is_err() {
            return Err(BuildError::TensorData {
                name: name.to_owned(),
                reason: "it has more rows than there are token ids",
            });
        }
        Ok(size)
    }
}

/// What keys and values are kept in: the cpu form chooses, the portable one goes by its weights.
fn cache_element_type(options: &ExportOptions) -> ElementType {
    match (options.form, options.weights) {
        (Form::Cpu(CpuOptions { cache: CacheElement::F16, .. }), _) => ElementType::F16,
        (Form::Cpu(CpuOptions { cache: CacheElement::F32, .. }), _) => ElementType::F32,
        (Form::Stablehlo, Weights::Bf16 | Weights::F16) => ElementType::F16,
        (Form::Stablehlo, Weights::F32 | Weights::Keep) => ElementType::F32,
    }
}
