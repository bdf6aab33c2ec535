//! Several rows of activations times a matrix, or two: bound by arithmetic, so that a part of a tile is multiplied with as
//! many rows as there are registers for their sums.

use super::{Activations, Output, Product, dot, output::Products, split::Split};
use crate::{format::TILE_ROWS, isa::Isa, team::Phase};

/// The operands besides the matrices.
#[derive(Clone, Copy)]
pub(crate) struct Matmul {
    /// Rows as [`super::prepare`] makes them.
    pub(crate) activations: *const u8,
    pub(crate) output: Output,
    pub(crate) rows: usize,
    pub(crate) k: usize,
}

/// The products of a tile and a row of activations, in bytes of weights, that a workgroup claims at a time.
const GRAIN: usize = 128 * 1024;

/// `y = epilogue(activations · Wᵀ)`.
///
/// # Safety
/// The matrix has `output.n` rows of `k` elements in tiles; there are `rows` rows of activations and of results.
#[inline(always)]
pub(crate) unsafe fn matmul<I: Isa, P: Product>(phase: Phase<'_>, w: *const u8, operands: Matmul) {
    tiles::<I, P, 1>(phase, [w], operands, 0);
}

/// `y = activation(activations · W₀ᵀ) · (activations · W₁ᵀ)`.
///
/// # Safety
/// As for [`matmul`]; both matrices have the same shape.
#[inline(always)]
pub(crate) unsafe fn gated_matmul<I: Isa, P: Product>(
    phase: Phase<'_>,
    w: [*const u8; 2],
    operands: Matmul,
    activation: usize,
) {
    tiles::<I, P, 2>(phase, w, operands, activation);
}

#[inline(always)]
unsafe fn tiles<I: Isa, P: Product, const W: usize>(
    phase: Phase<'_>,
    w: [*const u8; W],
    operands: Matmul,
    activation: usize,
) {
    let tile_bytes = P::tile_bytes(operands.k);
    let split = Split::new(operands.output.n.div_ceil(TILE_ROWS), tile_bytes * operands.rows, GRAIN);
    let Some(mut claims) = phase.claim(split.chunks()) else { return };
    while let Some(chunk) = claims.next() {
        for index in split.items(chunk) {
            let tile = Tile { matrices: w, offset: index * tile_bytes, index, activation };
            if I::REGISTERS >= 32 {
                tile.times::<I, P, 8>(operands);
            } else if I::REGISTERS >= 16 {
                tile.times::<I, P, 4>(operands);
            } else {
                tile.times::<I, P, 2>(operands);
            }
        }
    }
    if let Some(closing) = claims.finish() {
        closing.complete();
    }
}

/// A tile, or one of each of two matrices.
#[derive(Clone, Copy)]
struct Tile<const W: usize> {
    matrices: [*const u8; W],
    /// Where the tile begins in them.
    offset: usize,
    index: usize,
    activation: usize,
}

impl<const W: usize> Tile<W> {
    /// Multiplies all rows, `M` at a time.
    #[inline(always)]
    unsafe fn times<I: Isa, P: Product, const M: usize>(self, operands: Matmul) {
        let rows = operands.rows;
        let mut lane = 0;
        while lane < TILE_ROWS {
            let mut row = 0;
            while row < rows {
                if rows >= M {
                    // The last panel may have rows that are done already; they aren't stored again.
                    let start = row.min(rows - M);
                    self.panel::<I, P, M>(operands, lane, start, row);
                    row = start + M;
                } else {
                    self.panel::<I, P, 1>(operands, lane, row, row);
                    row += 1;
                }
            }
            lane += I::LANES;
        }
    }

    /// Multiplies rows `row .. row + M` and stores those from `first` on.
    #[inline(always)]
    unsafe fn panel<I: Isa, P: Product, const M: usize>(
        self,
        operands: Matmul,
        lane: usize,
        row: usize,
        first: usize,
    ) {
        let Matmul { activations, output, k, .. } = operands;
        let stride = P::Activations::row_bytes(k);
        let activations = activations.add(row * stride);
        let mut products = [[[I::splat(0.0); 1]; M]; W];
        for matrix in 0..W {
            let tile = self.matrices[matrix].add(self.offset);
            products[matrix] = dot::<I, P, M, 1>(tile, activations, stride, k, lane);
        }
        let at = self.index * TILE_ROWS + lane;
        I::call(Products::<I, M, 1, W> { products, output, row, first, at, activation: self.activation });
    }
}
