//! The blocks that models are made of, the same for every family. Each appends values to a function.
//!
//! Hidden states are `f32`, `[positions, length]`. Weights are converted to `f32` where they are used.

mod activation;
pub(super) mod attention;
pub(super) mod cache;
pub(super) mod embedding;
mod experts;
pub(super) mod linear;
pub(super) mod mlp;
pub(super) mod norm;
pub(super) mod positions;
pub(super) mod rope;
