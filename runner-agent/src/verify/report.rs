//! What a verification gives: `studio verify --json` prints it.

use super::Limits;
use crate::EagerInfo;
use serde::{Deserialize, Serialize};

/// A module against llama.cpp. The first fields are those of `decode`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerifyReport {
    /// Whether `decode` and `prefill` are within the limits.
    pub passed: bool,
    /// `decode`, at every position.
    #[serde(flatten)]
    pub decode: Distances,
    /// `prefill`, at the last position of each chunk.
    pub prefill: Distances,
    /// llama.cpp as it is usually run (fused attention, cache in f16) against llama.cpp as it rounds least, where both
    /// engines round activations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eager_against_itself: Option<Distances>,
    /// What passes.
    pub limits: Limits,
    /// The model that llama.cpp ran.
    pub against: String,
    /// llama.cpp.
    pub eager: EagerInfo,
}

/// How far two functions are apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distances {
    /// How many positions were compared.
    pub positions: u32,
    /// The largest difference of two logits.
    pub max_abs_logit_diff: f64,
    /// The mean over positions of the Kullback-Leibler divergence from llama.cpp, in nats.
    pub mean_kl: f64,
    /// The share of positions with the same most likely token.
    pub top1_agreement: f64,
    /// The same among positions where llama.cpp's most likely token leads by more than the margin; 1 where there is
    /// no such position.
    pub top1_agreement_above_margin: f64,
    /// How many such positions there are.
    pub positions_above_margin: u32,
    /// The positions with the largest divergence, the largest first.
    pub worst: Vec<Position>,
}

/// A position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Which.
    pub position: u32,
    /// The token there.
    pub token: u32,
    /// The divergence, in nats.
    pub kl: f64,
    /// The largest difference of two logits.
    pub max_abs_logit_diff: f64,
    /// The module's most likely next token.
    pub compiled: u32,
    /// llama.cpp's.
    pub eager: u32,
    /// How far that one leads the second in llama.cpp's logits.
    pub eager_margin: f64,
}
