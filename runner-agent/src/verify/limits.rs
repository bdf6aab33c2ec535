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

/// Which of the engines round activations to bytes before they multiply them with quantised matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounds {
    /// Neither: the same sums in another order.
    Neither,
    /// One of them: as far apart as that one is from the exact result.
    One,
    /// Both, in the same way.
    Both,
}

/// Which of a module of this form and llama.cpp, on a model whose matrices are quantised or not.
pub(super) fn rounds(form: &Form, quantised: bool) -> Rounds {
    let ours = matches!(form, Form::Cpu(options) if options.activations == Activations::I8);
    match (ours, quantised) {
        (false, false) => Rounds::Neither,
        (true, true) => Rounds::Both,
        (true, false) | (false, true) => Rounds::One,
    }
}

impl Rounds {
    /// See [`Limits::margin`].
    pub(super) fn margin(self) -> f64 {
        match self {
            Rounds::Neither => 0.1,
            Rounds::One | Rounds::Both => 0.5,
        }
    }
}

impl Limits {
    /// `itself` is how far llama.cpp is from itself when it is run in another way.
    ///
    /// Rounding is a step function: a difference in the last bit of a sum now and then makes a byte another one, and a
    /// few layers later two engines that round in the same way are as far apart as either is from the exact result.
    /// llama.cpp with and without its fused attention is. So the limit is no fixed number, but twice that distance.
    pub(super) fn of(rounds: Rounds, itself: Option<&Distances>) -> Self {
        let margin = rounds.margin();
        match (rounds, itself) {
            (Rounds::Neither, _) => Self { mean_kl: 1e-4, top1_agreement: 0.99, margin },
            (Rounds::One | Rounds::Both, None) => Self { mean_kl: 1e-2, top1_agreement: 0.9, margin },
            (Rounds::One | Rounds::Both, Some(itself)) => Self {
                mean_kl: (2.0 * itself.mean_kl).clamp(2e-3, 1e-2),
                top1_agreement: (1.0 - 2.0 * (1.0 - itself.top1_agreement)).clamp(0.9, 0.97),
                margin,
            },
        }
    }

    /// Whether they hold. What is no number passes nothing.
    pub(super) fn hold(&self, distances: &Distances) -> bool {
        distances.mean_kl <= self.mean_kl
            && distances.top1_agreement >= self.top1_agreement
            && distances.top1_agreement_above_margin >= 1.0
    }
}
