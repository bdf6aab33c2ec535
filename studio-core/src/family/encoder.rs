//! What a text encoder is made of: what a family of them fills in, and the blocks read.

use super::decoder::{Attention, Mlp, Norm};
use super::hyper::Hyper;
use super::rope::Rope;
use crate::graph::ParamSpec;

/// A model that gives a text's vector.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Encoder {
    pub(super) hyper: Hyper,
    /// A vector for each token: `[vocabulary, embedding]`.
    pub(super) tokens: ParamSpec,
    /// A vector for each kind of token, of which all have the first: `[kinds, embedding]`.
    pub(super) kinds: Option<ParamSpec>,
    /// A vector for each position: `[positions, embedding]`.
    pub(super) positions: Option<ParamSpec>,
    /// Of the sum of these.
    pub(super) norm: Norm,
    /// The ways in which layers turn queries and keys; layers name them by index.
    pub(super) ropes: Vec<Rope>,
    pub(super) layers: Vec<EncoderLayer>,
    pub(super) pooling: Pooling,
}

/// A layer: attention to all positions, then a feed-forward, each added to what it read and normed after that.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EncoderLayer {
    /// Without norms of its own.
    pub(super) attention: Attention,
    pub(super) attention_norm: Norm,
    pub(super) mlp: Mlp,
    pub(super) mlp_norm: Norm,
}

/// How the positions' vectors become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    /// Their mean.
    Mean,
    /// The first position's.
    First,
    /// The last position's.
    Last,
}
