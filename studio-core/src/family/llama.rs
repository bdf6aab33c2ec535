//! Llama: grouped-query attention with rope, RMS norms, a gated SiLU feed-forward.

use super::decoder::{Decoder, Embedding, Layer};
use super::hyper::{Hyper, Keys};
use super::names::{self, LayerPart};
use super::tensors::Tensors;
use super::{BuildError, Family};
use crate::graph::{ElementType, RowOrder};
use crate::options::{CacheElement, CpuOptions, ExportOptions, Form, Weights};
use gguf_file::Gguf;

/// What a llama GGUF is made of, every needed tensor checked.
pub(super) fn decoder(gguf: &Gguf, options: &ExportOptions) -> Result<Decoder, BuildError> {
    let keys = Keys { metadata: gguf.metadata(), architecture: Family::Llama.architecture() };
    refuse_unsupported(&keys)?;
    let hyper = Hyper::read(keys.metadata, keys.architecture)?;
    let tensors = Tensors { gguf, options };
    let vocabulary_size = vocabulary_size(gguf)?;
    let (inputs, outputs) = (hyper.embedding_length, vocabulary_size);
    let tied = gguf.tensor(names::OUTPUT).is_none();
    let output = if tied { names::TOKEN_EMBEDDING } else { names::OUTPUT };
    Ok(Decoder {
        vocabulary_size,
        embedding: match tied {
            true => Embedding::TiedToOutput,
            false => Embedding::Rows(tensors.rows(names::TOKEN_EMBEDDING, vocabulary_size, inputs)?),
        },
        layers: (0..hyper.layer_count)
            .map(|index| layer(&tensors, &hyper, index))
            .collect::<Result<_, _>>()?,
        output_norm: tensors.vector(names::OUTPUT_NORM, inputs, RowOrder::AsStored)?,
        output: tensors.projection(output, inputs, outputs, RowOrder::AsStored)?,
        cache_element_type: cache_element_type(options),
        hyper,
    })
}

fn layer(tensors: &Tensors<'_>, hyper: &Hyper, index: u64) -> Result<Layer, BuildError> {
    let Hyper { embedding_length, feed_forward_length, head_count, kv_head_count, head_dim, .. } = *hyper;
    let query_length = head_count * head_dim;
    let kv_length = kv_head_count * head_dim;
    let as_stored = RowOrder::AsStored;
    let halves = |head_count| RowOrder::RopeHalves { head_count, head_dim };
    let norm = |part: LayerPart| tensors.vector(&part.weight(index), embedding_length, as_stored);
    let linear = |part, sizes, row_order| tensors.linear(index, part, sizes, row_order);
    Ok(Layer {
        attention_norm: norm(LayerPart::AttentionNorm)?,
        query: linear(LayerPart::Query, [embedding_length, query_length], halves(head_count))?,
        key: linear(LayerPart::Key, [embedding_length, kv_length], halves(kv_head_count))?,
        value: linear(LayerPart::Value, [embedding_length, kv_length], as_stored)?,
        attention_output: linear(LayerPart::AttentionOutput, [query_length, embedding_length], as_stored)?,
        feed_forward_norm: norm(LayerPart::FeedForwardNorm)?,
        gate: linear(LayerPart::Gate, [embedding_length, feed_forward_length], as_stored)?,
        up: linear(LayerPart::Up, [embedding_length, feed_forward_length], as_stored)?,
        down: linear(LayerPart::Down, [feed_forward_length, embedding_length], as_stored)?,
    })
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

/// The rows of the embedding, which every GGUF has; `llama.vocab_size` is not always there.
fn vocabulary_size(gguf: &Gguf) -> Result<u64, BuildError> {
    let name = names::TOKEN_EMBEDDING;
    let tensor = gguf.tensor(name).ok_or_else(|| BuildError::MissingTensor { name: name.to_owned() })?;
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

fn refuse_unsupported(keys: &Keys<'_>) -> Result<(), BuildError> {
    if keys.metadata.opt_u32(&keys.key("expert_count"))?.unwrap_or(0) > 0 {
        return Err(keys.unsupported("expert_count", "a mixture of experts"));
    }
    let scaling = "rope.scaling.type";
    let factor = "rope.scaling.factor";
    match keys.metadata.opt_str(&keys.key(scaling))? {
        // Without a type, llama.cpp takes a factor as that of linear scaling.
        None | Some("linear") => match keys.metadata.opt_f32(&keys.key(factor))? {
            None | Some(0.0 | 1.0) => Ok(()),
            Some(_) => Err(keys.unsupported(factor, "linear scaling of rope")),
        },
        Some("none") => Ok(()),
        Some(_) => Err(keys.unsupported(scaling, "this scaling of rope")),
    }
}
