//! What a decoder-only transformer is made of: what a family fills in, and the blocks read.

use super::hyper::Hyper;
use crate::graph::{ElementType, ParamSpec};

/// A model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decoder {
    pub(super) hyper: Hyper,
    pub(super) vocabulary_size: u64,
    pub(super) embedding: Embedding,
    pub(super) layers: Vec<Layer>,
    pub(super) output_norm: ParamSpec,
    /// From the last hidden state to logits: `[embedding, vocabulary]`.
    pub(super) output: ParamSpec,
    /// What keys and values are kept in between calls.
    pub(super) cache_element_type: ElementType,
}

/// Where tokens' vectors are found.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Embedding {
    /// In the rows of `[vocabulary, embedding]`.
    Rows(ParamSpec),
    /// In the columns of the output matrix, `[embedding, vocabulary]`: it is stored once, in the order that the
    /// larger reader wants.
    TiedToOutput,
}

/// A layer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layer {
    pub(super) attention_norm: ParamSpec,
    pub(super) query: Linear,
    pub(super) key: Linear,
    pub(super) value: Linear,
    pub(super) attention_output: Linear,
    pub(super) feed_forward_norm: ParamSpec,
    pub(super) gate: Linear,
    pub(super) up: Linear,
    pub(super) down: Linear,
}

/// A matrix product.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Linear {
    /// `[K, N]`, which a runtime maps as it is; `[N, K]` would be copied when a session starts.
    pub(super) weight: ParamSpec,
    /// `[N]`
    pub(super) bias: Option<ParamSpec>,
}
