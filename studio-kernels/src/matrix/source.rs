//! Where activations come from: a vector in memory, and what a prologue makes of it.

use crate::{abi::Prologue, isa::Isa, math};

/// A vector with its prologue.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    /// The elements.
    pub(crate) x: *const f32,
    /// What the results of SiLU and GELU are multiplied with.
    pub(crate) aux: *const f32,
    /// The factors of an RMS norm.
    pub(crate) gain: *const f32,
    /// A number of [`Prologue`]; any other is none.
    pub(crate) prologue: usize,
    /// Added to the mean of squares.
    pub(crate) eps: f32,
}

impl Source {
    pub(crate) const RMS_NORM: usize = Prologue::RmsNorm as usize;

    /// The elements from `at` on, `count` of them and at most a vector's, before a norm's common factor; adds their
    /// squares to `squares` if there is a norm.
    #[inline(always)]
    pub(crate) unsafe fn load<I: Isa>(self, at: usize, count: usize, squares: &mut I::Floats) -> I::Floats {
        let load =
            |from: *const f32| if count >= I::LANES { I::load(from) } else { I::load_first(from, count) };
        let x = load(self.x.add(at));
        if self.prologue == Self::RMS_NORM {
            *squares = I::fma(x, x, *squares);
            I::mul(x, load(self.gain.add(at)))
        } else if self.prologue == Prologue::SiluMul as usize {
            I::mul(math::silu::<I>(x), load(self.aux.add(at)))
        } else if self.prologue == Prologue::GeluMul as usize {
            I::mul(math::gelu_tanh::<I>(x), load(self.aux.add(at)))
        } else {
            x
        }
    }

    /// The source of row `row` of several; the gain is the same for all.
    #[inline(always)]
    pub(crate) unsafe fn row(self, row: usize, k: usize) -> Self {
        let x = self.x.add(row * k);
        // Only products have an `aux`; otherwise its pointer may be any, and is not moved.
        let multiplies =
            self.prologue == Prologue::SiluMul as usize || self.prologue == Prologue::GeluMul as usize;
        let aux = if multiplies { self.aux.add(row * k) } else { self.aux };
        Source { x, aux, ..self }
    }

    /// The common factor of a norm of `k` elements.
    #[inline(always)]
    pub(crate) unsafe fn norm<I: Isa>(self, squares: I::Floats, k: usize) -> f32 {
        1.0 / I::square_root(I::reduce_sum(squares) / k as f32 + self.eps)
    }
}
