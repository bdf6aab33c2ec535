//! What happens to a product before it is stored.

use crate::{
    abi::{Activation, Epilogue},
    isa::Isa,
    math,
};

/// A row of results, and what is added to them.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    /// `n` numbers.
    pub(crate) bias: *const f32,
    /// `n` numbers; may be those of `y`.
    pub(crate) residual: *const f32,
    pub(crate) y: *mut f32,
    pub(crate) n: usize,
    /// Bits of [`Epilogue`].
    pub(crate) epilogue: usize,
}

impl Output {
    /// Finishes and stores results `at ..`, as many as the vector and the row have.
    #[inline(always)]
    pub(crate) unsafe fn store<I: Isa>(self, at: usize, product: I::Floats) {
        if at >= self.n {
            return;
        }
        let count = self.n - at;
        let load = |from: *const f32| {
            if count >= I::LANES { I::load(from.add(at)) } else { I::load_first(from.add(at), count) }
        };
        let mut result = product;
        if self.epilogue & Epilogue::BIAS.0 != 0 {
            result = I::add(result, load(self.bias));
        }
        if self.epilogue & Epilogue::RESIDUAL.0 != 0 {
            result = I::add(result, load(self.residual));
        }
        if count >= I::LANES {
            I::store(self.y.add(at), result);
        } else {
            I::store_first(self.y.add(at), result, count);
        }
    }

    /// The output for row `row` of several; the bias is the same for all.
    #[inline(always)]
    pub(crate) unsafe fn row(self, row: usize) -> Self {
        // Without a residual its pointer may be any, and is not moved.
        let residual = if self.epilogue & Epilogue::RESIDUAL.0 != 0 {
            self.residual.add(row * self.n)
        } else {
            self.residual
        };
        Output { residual, y: self.y.add(row * self.n), ..self }
    }
}

/// `activation(gate) · up`.
#[inline(always)]
pub(crate) unsafe fn gate<I: Isa>(activation: usize, gate: I::Floats, up: I::Floats) -> I::Floats {
    if activation == Activation::Gelu as usize {
        I::mul(math::gelu_tanh::<I>(gate), up)
    } else {
        I::mul(math::silu::<I>(gate), up)
    }
}
