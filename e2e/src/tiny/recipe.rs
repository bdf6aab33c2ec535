//! What a tiny model is made of, and its files.

use super::random::Random;
use super::vocabulary;
use super::weights::{self, Values};
use gguf_file::{BlockFormat, GgufBuilder, Value};
use std::{collections::BTreeSet, fs, path::Path};

/// How a model's matrices are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// As `F32`.
    F32,
    /// In blocks of many formats.
    Blocks,
    /// The numbers of those blocks, as `F32`.
    Decoded,
}

/// The sizes of a tiny model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) layers: u64,
    pub(super) width: u64,
    pub(super) heads: u64,
    pub(super) kv_heads: u64,
    /// Where it isn't the width divided by the heads, the metadata says it.
    pub(super) head_dim: u64,
    pub(super) hidden: u64,
}

/// A tiny model.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// `general.architecture`
    pub architecture: &'static str,
    /// What of the architecture it shows.
    pub variant: &'static str,
    pub(super) sizes: Sizes,
    /// Whether llama.cpp computes something of it with fewer bits: its GELU is a table of `f16`.
    pub rounded_by_llama: bool,
    /// Whether it gives a text's vector and generates no tokens.
    pub is_encoder: bool,
    metadata: Vec<(String, Value)>,
    tensors: Vec<(String, Vec<u64>, Values)>,
}

impl Recipe {
    /// A model with the usual metadata and an embedding.
    pub(super) fn new(architecture: &'static str, variant: &'static str, sizes: Sizes) -> Self {
        let Sizes { layers, width, heads, kv_heads, head_dim, hidden } = sizes;
        let mut recipe = Self {
            architecture,
            variant,
            sizes,
            rounded_by_llama: false,
            is_encoder: false,
            metadata: Vec::new(),
            tensors: Vec::new(),
        };
        recipe.metadata.push(("general.architecture".to_owned(), Value::from(architecture)));
        let recipe = recipe
            .number("context_length", 256)
            .number("block_count", layers)
            .number("embedding_length", width)
            .number("feed_forward_length", hidden)
            .number("attention.head_count", heads)
            .number("attention.head_count_kv", kv_heads);
        let recipe = match head_dim * heads == width {
            true => recipe,
            false => {
                recipe.number("attention.key_length", head_dim).number("attention.value_length", head_dim)
            }
        };
        recipe.tensor("token_embd.weight", &[width, vocabulary::SIZE as u64], Values::Matrix(4.0))
    }

    /// The norm behind the last layer.
    pub(super) fn output_norm(self) -> Self {
        let width = self.sizes.width;
        self.tensor("output_norm.weight", &[width], Values::Gains)
    }

    /// An encoder, its vectors pooled by a number of llama.cpp's: two kinds of tokens, and norms with biases behind the
    /// embedding and all parts.
    pub(super) fn encoder(
        architecture: &'static str,
        variant: &'static str,
        sizes: Sizes,
        pooling: u64,
    ) -> Self {
        let width = sizes.width;
        let mut recipe = Self::new(architecture, variant, sizes)
            .float("attention.layer_norm_epsilon", 1e-5)
            .key("attention.causal", Value::Bool(false))
            .number("pooling_type", pooling)
            .tensor("token_types.weight", &[width, 2], Values::Matrix(2.0))
            .tensor("token_embd_norm.weight", &[width], Values::Gains)
            .tensor("token_embd_norm.bias", &[width], Values::Biases);
        recipe.is_encoder = true;
        recipe.metadata.push(("tokenizer.ggml.token_type_count".to_owned(), Value::U32(2)));
        for norm in ["attn_output_norm", "layer_output_norm"] {
            recipe = recipe.each(&format!("{norm}.weight"), &[width], Values::Gains).each(
                &format!("{norm}.bias"),
                &[width],
                Values::Biases,
            );
        }
        recipe
    }

    /// A key of the architecture.
    pub(super) fn key(mut self, suffix: &str, value: Value) -> Self {
        self.metadata.push((format!("{}.{suffix}", self.architecture), value));
        self
    }

    pub(super) fn number(self, suffix: &str, value: u64) -> Self {
        self.key(suffix, Value::U32(value as u32))
    }

    pub(super) fn float(self, suffix: &str, value: f32) -> Self {
        self.key(suffix, Value::F32(value))
    }

    pub(super) fn tensor(mut self, name: &str, dims: &[u64], values: Values) -> Self {
        self.tensors.push((name.to_owned(), dims.to_vec(), values));
        self
    }

    /// A tensor of each layer.
    pub(super) fn each(mut self, name: &str, dims: &[u64], values: Values) -> Self {
        for layer in 0..self.sizes.layers {
            self = self.tensor(&format!("blk.{layer}.{name}"), dims, values);
        }
        self
    }

    /// An output matrix of its own.
    pub(super) fn untied(self) -> Self {
        let width = self.sizes.width;
        self.tensor("output.weight", &[width, vocabulary::SIZE as u64], Values::Matrix(4.0))
    }

    /// RMS norms before both parts, and their epsilon.
    pub(super) fn rms_norms(self) -> Self {
        let width = self.sizes.width;
        self.float("attention.layer_norm_rms_epsilon", 1e-5)
            .each("attn_norm.weight", &[width], Values::Gains)
            .each("ffn_norm.weight", &[width], Values::Gains)
    }

    /// Layer norms with biases, before both parts and in the end, and their epsilon.
    pub(super) fn layer_norms(self) -> Self {
        let width = self.sizes.width;
        let mut recipe = self.float("attention.layer_norm_epsilon", 1e-5).tensor(
            "output_norm.bias",
            &[width],
            Values::Biases,
        );
        for norm in ["attn_norm", "ffn_norm"] {
            recipe = recipe.each(&format!("{norm}.weight"), &[width], Values::Gains).each(
                &format!("{norm}.bias"),
                &[width],
                Values::Biases,
            );
        }
        recipe
    }

    /// Norms after both parts.
    pub(super) fn post_norms(self) -> Self {
        let width = self.sizes.width;
        self.each("post_attention_norm.weight", &[width], Values::Gains).each(
            "post_ffw_norm.weight",
            &[width],
            Values::Gains,
        )
    }

    /// Norms of each head of queries and keys.
    pub(super) fn head_norms(self) -> Self {
        let head_dim = self.sizes.head_dim;
        self.each("attn_q_norm.weight", &[head_dim], Values::Gains).each(
            "attn_k_norm.weight",
            &[head_dim],
            Values::Gains,
        )
    }

    /// Norms of all heads of queries together, and of all of keys.
    pub(super) fn projection_norms(self) -> Self {
        let [_, queries, keys] = self.lengths();
        self.each("attn_q_norm.weight", &[queries], Values::Gains).each(
            "attn_k_norm.weight",
            &[keys],
            Values::Gains,
        )
    }

    /// Queries, keys, values and the matrix behind attention.
    pub(super) fn attention(self) -> Self {
        let [width, queries, keys] = self.lengths();
        self.each("attn_q.weight", &[width, queries], Values::Matrix(1.0))
            .each("attn_k.weight", &[width, keys], Values::Matrix(1.0))
            .each("attn_v.weight", &[width, keys], Values::Matrix(1.0))
            .each("attn_output.weight", &[queries, width], Values::Matrix(1.0))
    }

    /// The same with queries, keys and values in one matrix.
    pub(super) fn attention_in_one(self) -> Self {
        let [width, queries, keys] = self.lengths();
        self.each("attn_qkv.weight", &[width, queries + 2 * keys], Values::Matrix(1.0)).each(
            "attn_output.weight",
            &[queries, width],
            Values::Matrix(1.0),
        )
    }

    /// Biases of some of a layer's matrices, by name and length.
    pub(super) fn biases(mut self, parts: &[(&str, u64)]) -> Self {
        for (part, length) in parts {
            self = self.each(&format!("{part}.bias"), &[*length], Values::Biases);
        }
        self
    }

    /// A feed-forward with a gate.
    pub(super) fn gated(self) -> Self {
        let Sizes { width, hidden, .. } = self.sizes;
        self.each("ffn_gate.weight", &[width, hidden], Values::Matrix(1.0)).plain()
    }

    /// A feed-forward without one.
    pub(super) fn plain(self) -> Self {
        let Sizes { width, hidden, .. } = self.sizes;
        self.each("ffn_up.weight", &[width, hidden], Values::Matrix(1.0)).each(
            "ffn_down.weight",
            &[hidden, width],
            Values::Matrix(1.0),
        )
    }

    /// `used` of `count` experts, of `hidden` numbers each.
    pub(super) fn experts(self, count: u64, used: u64, hidden: u64) -> Self {
        let width = self.sizes.width;
        self.number("expert_count", count)
            .number("expert_used_count", used)
            .each("ffn_gate_inp.weight", &[width, count], Values::Matrix(1.0))
            .each("ffn_gate_exps.weight", &[width, hidden, count], Values::Matrix(1.0))
            .each("ffn_up_exps.weight", &[width, hidden, count], Values::Matrix(1.0))
            .each("ffn_down_exps.weight", &[hidden, width, count], Values::Matrix(1.0))
    }

    /// Its GELU is llama.cpp's, a table of `f16`.
    pub(super) fn gelu(mut self) -> Self {
        self.rounded_by_llama = true;
        self
    }

    /// The width, and the numbers in all heads of queries and of keys.
    pub(super) fn lengths(&self) -> [u64; 3] {
        let Sizes { width, heads, kv_heads, head_dim, .. } = self.sizes;
        [width, heads * head_dim, kv_heads * head_dim]
    }

    /// The formats of its matrices, when they are stored so.
    pub fn formats(&self) -> Vec<&'static str> {
        let formats: BTreeSet<&str> =
            self.placed().filter_map(|(_, _, _, format)| Some(format?.name())).collect();
        formats.into_iter().collect()
    }

    /// Its tensors, matrices with the format of their blocks.
    fn placed(&self) -> impl Iterator<Item = (&str, &[u64], Values, Option<BlockFormat>)> {
        let mut matrices = 0;
        self.tensors.iter().map(move |(name, dims, values)| {
            // llama.cpp wants routers and what is no matrix as floats.
            let blocks = matches!(values, Values::Matrix(_)) && !name.contains("_inp");
            let format = blocks.then(|| weights::format_of(matrices, dims[0]));
            matrices += usize::from(blocks);
            (name.as_str(), dims.as_slice(), *values, format)
        })
    }

    /// Writes its file.
    pub fn write(&self, stored: Stored, path: &Path) {
        let mut builder = GgufBuilder::new();
        for (key, value) in self.metadata.iter().chain(&vocabulary::metadata()) {
            builder.set(key, value.clone()).expect("metadata fits");
        }
        for (name, dims, values, blocks) in self.placed() {
            let mut random = Random::new(&format!("{}/{}/{name}", self.architecture, self.variant));
            let (format, bytes) = match (stored, blocks, values) {
                (Stored::Blocks | Stored::Decoded, Some(format), Values::Matrix(size)) => {
                    let blocks = weights::blocks(format, size, dims, &mut random);
                    match stored {
                        Stored::Blocks => (format, blocks),
                        Stored::F32 | Stored::Decoded => (BlockFormat::F32, decoded(format, &blocks)),
                    }
                }
                _ => (BlockFormat::F32, weights::plain(values, dims, &mut random)),
            };
            builder.tensor(name, dims, format, bytes).expect("a tensor of that size");
        }
        fs::write(path, builder.write_to(Vec::new()).expect("the header fits")).expect("writing the model");
    }
}

/// The numbers of blocks, as little-endian `F32`.
fn decoded(format: BlockFormat, blocks: &[u8]) -> Vec<u8> {
    let count = blocks.len() / format.block_bytes() as usize * format.block_elements() as usize;
    let mut values = vec![0.0; count];
    format.decode(blocks, &mut values).expect("whole blocks");
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
