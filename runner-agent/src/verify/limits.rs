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
    /// Activations in bytes are rounded at every matrix, by llama.cpp and by us, each in its own way; in `f32` only the
    /// order of sums and the matrices' own type differ.
    pub fn of(form: &Form) -> Self {
        match form {
            Form::Cpu(options) if options.activations == Activations::I8 => {
                Self { mean_kl: 2e-3, top1_agreement: 0.97, margin: 0.5 }
            }
            Form::Cpu(_) | Form::Stablehlo => Self { mean_kl: 1e-4, top1_agreement: 0.99, margin: 0.1 },
        }
    }

    /// Whether they hold. What is no number passes nothing.
    pub(super) fn hold(&self, distances: &Distances) -> bool {
        distances.mean_kl <= self.mean_kl
            && distances.top1_agreement >= self.top1_agreement
            && distances.top1_agreement_above_margin >= 1.0
    }
}
