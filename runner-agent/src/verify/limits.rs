//! How far a module may be from llama.cpp.

use studio_core::options::{Activations, Form};
use studio_protocol::{Distances, Limits};

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

/// What passes; `itself` is how far llama.cpp is from itself when it is run in another way.
///
/// Rounding is a step function: a difference in the last bit of a sum now and then makes a byte another one, and a
/// few layers later two engines that round in the same way are as far apart as either is from the exact result.
/// llama.cpp with and without its fused attention is. So the limit is no fixed number, but twice that distance.
pub(super) fn limits(rounds: Rounds, itself: Option<&Distances>) -> Limits {
    let margin = rounds.margin();
    match (rounds, itself) {
        (Rounds::Neither, _) => Limits { mean_kl: 1e-4, top1_agreement: 0.99, margin },
        (Rounds::One | Rounds::Both, None) => Limits { mean_kl: 1e-2, top1_agreement: 0.9, margin },
        (Rounds::One | Rounds::Both, Some(itself)) => Limits {
            mean_kl: (2.0 * itself.mean_kl).clamp(2e-3, 1e-2),
            top1_agreement: (1.0 - 2.0 * (1.0 - itself.top1_agreement)).clamp(0.9, 0.97),
            margin,
        },
    }
}

/// Whether they hold. What is no number passes nothing.
pub(super) fn hold(limits: &Limits, distances: &Distances) -> bool {
    distances.mean_kl <= limits.mean_kl
        && distances.top1_agreement >= limits.top1_agreement
        && distances.top1_agreement_above_margin >= 1.0
}
