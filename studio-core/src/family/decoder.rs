//! What a decoder-only transformer is made of: what a family fills in, and the blocks read.

use super::hyper::Hyper;
use super::rope::Rope;
use crate::graph::{Activation, ElementType, ParamSpec};

/// A model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decoder {
    pub(super) hyper: Hyper,
    pub(super) vocabulary_size: u64,
    pub(super) embedding: Embedding,
    /// What tokens' vectors are multiplied by.
    pub(super) embedding_scale: f32,
    /// A vector for each position, which is added to its token's: `[positions, embedding]`.
    pub(super) positions: Option<ParamSpec>,
    /// The ways in which layers turn queries and keys; layers name them by index.
    pub(super) ropes: Vec<Rope>,
    pub(super) layers: Vec<Layer>,
    pub(super) output_norm: Norm,
    /// From the last hidden state to logits: `[embedding, vocabulary]`.
    pub(super) output: Linear,
    /// What logits are multiplied by.
    pub(super) logit_scale: f32,
    /// c, where logits become c · tanh(logit / c).
    pub(super) logit_cap: Option<f32>,
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

/// A layer: attention, then a feed-forward, each added to the hidden state.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layer {
    pub(super) attention: Attention,
    pub(super) feed_forward: FeedForward,
    /// Whether the feed-forward reads what attention reads, rather than the hidden state that attention changed.
    pub(super) parallel: bool,
    /// What either's result is multiplied by before it is added.
    pub(super) residual_scale: f32,
}

/// The attention of a layer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attention {
    /// Of what it reads.
    pub(super) norm: Option<Norm>,
    pub(super) query: Linear,
    pub(super) key: Linear,
    pub(super) value: Linear,
    pub(super) query_norm: Option<ProjectionNorm>,
    pub(super) key_norm: Option<ProjectionNorm>,
    /// Which of [`Decoder::ropes`] turns queries and keys, if any.
    pub(super) rope: Option<usize>,
    /// What scores are multiplied by.
    pub(super) scale: f32,
    /// How many positions back each one sees, itself counted; all if `None`.
    pub(super) window: Option<u64>,
    /// c, where scores become c · tanh(score / c).
    pub(super) cap: Option<f32>,
    pub(super) output: Linear,
    /// Of its result.
    pub(super) post_norm: Option<Norm>,
}

/// The feed-forward of a layer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FeedForward {
    /// Of what it reads.
    pub(super) norm: Option<Norm>,
    pub(super) mlp: Mlp,
    /// Of its result.
    pub(super) post_norm: Option<Norm>,
}

/// What a feed-forward computes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mlp {
    /// `down(activation(gate(x)) · up(x))`
    Gated(Box<Gated>),
    /// `down(activation(up(x)))`
    Plain(Box<Plain>),
    /// A few of many.
    Experts(Box<Experts>),
}

/// `down(activation(gate(x)) · up(x))`
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Gated {
    pub(super) gate: Linear,
    pub(super) up: Linear,
    pub(super) down: Linear,
    pub(super) activation: Activation,
}

/// `down(activation(up(x)))`
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plain {
    pub(super) up: Linear,
    pub(super) down: Linear,
    pub(super) activation: Activation,
}

/// A feed-forward of experts, of which each position has `used`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Experts {
    /// `[embedding, experts]`
    pub(super) router: Linear,
    /// `[experts · hidden, embedding]`
    pub(super) gate: ParamSpec,
    /// `[experts · hidden, embedding]`
    pub(super) up: ParamSpec,
    /// `[experts · embedding, hidden]`
    pub(super) down: ParamSpec,
    pub(super) used: u64,
    pub(super) activation: Activation,
    /// Whether the shares of the chosen experts are made to sum to one.
    pub(super) normalised: bool,
    /// An expert that every position has besides.
    pub(super) shared: Option<SharedExpert>,
}

/// An expert that every position has.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SharedExpert {
    pub(super) mlp: Gated,
    /// `[embedding, 1]`: what it gives is multiplied by the logistic function of this.
    pub(super) gate: Option<Linear>,
}

/// A normalisation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Norm {
    pub(super) kind: NormKind,
    pub(super) gain: ParamSpec,
    pub(super) bias: Option<ParamSpec>,
}

/// What rows are divided by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NormKind {
    /// Their root mean square.
    Rms { epsilon: f32 },
    /// Their standard deviation, after their mean was taken from them.
    Layer { epsilon: f32 },
}

/// A normalisation of queries or keys, before they are turned.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProjectionNorm {
    pub(super) norm: Norm,
    pub(super) rows: ProjectionRows,
}

/// What a row is for a [`ProjectionNorm`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProjectionRows {
    /// Each head by itself.
    Heads,
    /// All heads of a position together.
    Positions,
}

/// A matrix product.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Linear {
    /// `[K, N]`, which a runtime maps as it is; `[N, K]` would be copied when a session starts.
    pub(super) weight: ParamSpec,
    /// `[N]`
    pub(super) bias: Option<ParamSpec>,
}
