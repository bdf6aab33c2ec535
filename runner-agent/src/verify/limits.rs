//! How far a module may be from llama.cpp.

use super::Distances;
use serde::{Deserialize, Serialize};
use studio_core::options::{Activations, Form};

/// What passes. Logits are natural logarithms, so that differences of them mean the same in every model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// The mean over positions of the Kullback-Leibler divergence from llama.cpp, in nats.
    pub mean_kl: f64,
    /// The least share of positions with the same most likely token.
    pub top1_agreement: f64,
    /// Where llama.cpp's most likely token leads the second by more, both must name the same: two or three times the
    /// differences that rounding makes, so that a draw is no failure and any real fault is.
    pub margin: f64,
}

impl Limits {
    /// For a module of this form against a model that llama.cpp runs, whose matrices are quantised or not.
    ///
    /// With quantised matrices llama.cpp rounds the activations before each to bytes: that alone moves SmolLM2's Q4_1
    /// by 3e-3 nats from what its numbers give exactly. A module that rounds in the same way is near it; one that
    /// rounds nothing is as far from it as it is from the exact result, and held close only to a model in floats.
    pub fn of(form: &Form, quantised: bool) -> Self {
        let rounds = matches!(form, Form::Cpu(options) if options.activations == Activations::I8);
        match (rounds, quantised) {
            (true, _) => Self { mean_kl: 2e-3, top1_agreement: 0.97, margin: 0.5 },
            (false, true) => Self { mean_kl: 1e-2, top1_agreement: 0.97, margin: 0.5 },
            (false, false) => Self { mean_kl: 1e-4, top1_agreement: 0.99, margin: 0.1 },
        }
    }

    /// Whether they hold. What is no number passes nothing.
    pub(super) fn hold(&self, distances: &Distances) -> bool {
        distances.mean_kl <= self.mean_kl
            && distances.top1_agreement >= self.top1_agreement
            && distances.top1_agreement_above_margin >= 1.0
    }
}
