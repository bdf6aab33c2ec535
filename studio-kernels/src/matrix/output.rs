//! What happens to a product before it is stored.

use crate::{
    abi::{Activation, Epilogue},
    isa::{Isa, Work},
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
    /// What products, with their bias, are multiplied by.
    pub(crate) scale: f32,
}

impl Output {
    /// Nothing but a product.
    #[inline(always)]
    pub(crate) fn plain(y: *mut f32, n: usize) -> Self {
        Output { bias: y, residual: y, y, n, epilogue: 0, scale: 1.0 }
    }

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
        result = I::mul(result, I::splat(self.scale));
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

/// Products of a tile, or of a tile of each of two matrices, with `M` rows of activations, ready to be finished and
/// stored.
pub(crate) struct Products<I: Isa, const M: usize, const V: usize, const W: usize> {
    pub(crate) products: [[[I::Floats; V]; M]; W],
    pub(crate) output: Output,
    /// The row of results of the first row of activations.
    pub(crate) row: usize,
    /// The first row that is to be stored.
    pub(crate) first: usize,
    /// Where the products' place in a row is.
    pub(crate) at: usize,
    /// Of two products, a number of [`Activation`].
    pub(crate) activation: usize,
}

impl<I: Isa, const M: usize, const V: usize, const W: usize> Work<I> for Products<I, M, V, W> {
    type Result = ();

    #[inline(always)]
    unsafe fn run(self) {
        for m in 0..M {
            if self.row + m < self.first {
                continue;
            }
            let output = self.output.row(self.row + m);
            for v in 0..V {
                let product = self.products[0][m][v];
                let result = if W == 2 {
                    gate::<I>(self.activation, product, self.products[W - 1][m][v])
                } else {
                    product
                };
                output.store::<I>(self.at + v * I::LANES, result);
            }
        }
    }
}

/// `activation(gate) · up`.
#[inline(always)]
unsafe fn gate<I: Isa>(activation: usize, gate: I::Floats, up: I::Floats) -> I::Floats {
    if activation == Activation::Gelu as usize {
        I::mul(math::gelu_tanh::<I>(gate), up)
    } else {
        I::mul(math::silu::<I>(gate), up)
    }
}
