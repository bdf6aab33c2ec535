//! Where activations come from: a vector in memory, and what a prologue makes of it.

use crate::{abi::Prologue, isa::Isa, math};

/// A vector with its prologue.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    /// The elements.
    x: *const f32,
    /// What the results of SiLU and GELU are multiplied with, or a layer norm's bias.
    aux: *const f32,
    /// The factors of a norm.
    gain: *const f32,
    /// A number of [`Prologue`]; any other is none.
    prologue: usize,
    /// Added to the mean of squares; of a soft cap, the cap.
    eps: f32,
    /// What a layer norm takes off each element, and multiplies it by: see [`Source::measured`].
    mean: f32,
    factor: f32,
}

impl Source {
    const LAYER_NORM: usize = Prologue::LayerNorm as usize;
    const BIASED_LAYER_NORM: usize = Prologue::BiasedLayerNorm as usize;
    const SILU: usize = Prologue::Silu as usize;
    const SILU_MUL: usize = Prologue::SiluMul as usize;
    const GELU: usize = Prologue::Gelu as usize;
    const GELU_MUL: usize = Prologue::GeluMul as usize;
    const SOFT_CAP: usize = Prologue::SoftCap as usize;
    const ROW_GATE: usize = Prologue::RowGate as usize;

    #[inline(always)]
    pub(crate) fn new(x: *const f32, aux: *const f32, gain: *const f32, prologue: usize, eps: f32) -> Self {
        Source { x, aux, gain, prologue, eps, mean: 0.0, factor: 1.0 }
    }

    /// The elements as they are, if there is nothing to be done to them.
    #[inline(always)]
    pub(crate) fn plain(self) -> Option<*const f32> {
        (self.prologue == Prologue::None as usize).then_some(self.x)
    }

    /// Whether there is a common factor that is known only when all elements were loaded: see [`Source::norm`].
    #[inline(always)]
    pub(crate) fn is_rms_norm(self) -> bool {
        self.prologue == Prologue::RmsNorm as usize
    }

    #[inline(always)]
    fn is_layer_norm(self) -> bool {
        self.prologue == Self::LAYER_NORM || self.prologue == Self::BIASED_LAYER_NORM
    }

    #[inline(always)]
    fn is_norm(self) -> bool {
        self.is_rms_norm() || self.is_layer_norm()
    }

    /// Whether it matters for an element which row it is in.
    #[inline(always)]
    pub(crate) fn is_by_row(self) -> bool {
        self.is_norm() || self.prologue == Self::ROW_GATE
    }

    /// What the elements of row `row` are multiplied by for its gate.
    #[inline(always)]
    pub(crate) unsafe fn row_gate<I: Isa>(self, row: usize) -> f32 {
        if self.prologue != Self::ROW_GATE {
            return 1.0;
        }
        I::reduce_max(math::logistic::<I>(I::splat(*self.aux.add(row))))
    }

    /// The source with what a layer norm must know of all of its `k` elements. To be called before they are loaded.
    #[inline(always)]
    pub(crate) unsafe fn measured<I: Isa>(mut self, k: usize) -> Self {
        if self.is_layer_norm() {
            self.mean = sum::<I, false>(self.x, k, 0.0) / k as f32;
            let variance = sum::<I, true>(self.x, k, self.mean) / k as f32;
            self.factor = 1.0 / I::square_root(variance + self.eps);
        }
        self
    }

    /// The elements from `at` on, `count` of them and at most a vector's, before an RMS norm's common factor; adds their
    /// squares to `squares` if there is such a norm.
    #[inline(always)]
    pub(crate) unsafe fn load<I: Isa>(self, at: usize, count: usize, squares: &mut I::Floats) -> I::Floats {
        let load =
            |from: *const f32| if count >= I::LANES { I::load(from) } else { I::load_first(from, count) };
        let x = load(self.x.add(at));
        if self.is_rms_norm() {
            *squares = I::fma(x, x, *squares);
            I::mul(x, load(self.gain.add(at)))
        } else if self.prologue == Self::SILU_MUL || self.prologue == Self::SILU {
            let y = math::silu::<I>(x);
            if self.prologue == Self::SILU { y } else { I::mul(y, load(self.aux.add(at))) }
        } else if self.prologue == Self::GELU_MUL || self.prologue == Self::GELU {
            let y = math::gelu_tanh::<I>(x);
            if self.prologue == Self::GELU { y } else { I::mul(y, load(self.aux.add(at))) }
        } else if self.is_layer_norm() {
            let normed = I::mul(I::sub(x, I::splat(self.mean)), I::splat(self.factor));
            let y = I::mul(normed, load(self.gain.add(at)));
            if self.prologue == Self::LAYER_NORM { y } else { I::add(y, load(self.aux.add(at))) }
        } else if self.prologue == Self::SOFT_CAP {
            I::mul(math::tanh::<I>(I::div(x, I::splat(self.eps))), I::splat(self.eps))
        } else {
            x
        }
    }

    /// The source of the elements from `at` on, of several rows; the gain and the bias of a norm are the same for all.
    #[inline(always)]
    pub(crate) unsafe fn from(self, at: usize) -> Self {
        let x = self.x.add(at);
        // Only products have an `aux` of each row; otherwise its pointer may be any, and is not moved.
        let multiplies = self.prologue == Self::SILU_MUL || self.prologue == Self::GELU_MUL;
        let aux = if multiplies { self.aux.add(at) } else { self.aux };
        Source { x, aux, ..self }
    }

    /// The source with the gain, and the bias, from number `at` on.
    #[inline(always)]
    pub(crate) unsafe fn gain_from(self, at: usize) -> Self {
        let gain = if self.is_norm() { self.gain.add(at) } else { self.gain };
        let aux = if self.prologue == Self::BIASED_LAYER_NORM { self.aux.add(at) } else { self.aux };
        Source { gain, aux, ..self }
    }

    /// The common factor of an RMS norm of `k` elements.
    #[inline(always)]
    pub(crate) unsafe fn norm<I: Isa>(self, squares: I::Floats, k: usize) -> f32 {
        1.0 / I::square_root(I::reduce_sum(squares) / k as f32 + self.eps)
    }
}

/// The sum of the differences from `mean`, or of their squares.
#[inline(always)]
unsafe fn sum<I: Isa, const SQUARES: bool>(x: *const f32, k: usize, mean: f32) -> f32 {
    let mut lanes = I::splat(0.0);
    let mut at = 0;
    while at + I::LANES <= k {
        let difference = I::sub(I::load(x.add(at)), I::splat(mean));
        lanes = if SQUARES { I::fma(difference, difference, lanes) } else { I::add(lanes, difference) };
        at += I::LANES;
    }
    let mut sum = I::reduce_sum(lanes);
    while at < k {
        let difference = *x.add(at) - mean;
        sum += if SQUARES { difference * difference } else { difference };
        at += 1;
    }
    sum
}
