//! One vector times a matrix, or two: bound by how quickly weights come from memory.

use super::{Activations, Output, Product, Source, dot, output::Products, split::Split};
use crate::{format::TILE_ROWS, isa::Isa, team::Phase};
use core::mem::MaybeUninit;

/// The operands besides the matrices.
#[derive(Clone, Copy)]
pub(crate) struct Matvec {
    pub(crate) source: Source,
    pub(crate) output: Output,
    pub(crate) k: usize,
}

/// The bytes of weights that a workgroup claims at a time, roughly.
const GRAIN: usize = 24 * 1024;

/// `y = epilogue(W · prologue(x))`.
///
/// # Safety
/// The matrix has `output.n` rows of `k` elements, at most [`crate::abi::MAX_K`], in tiles; vectors have as many elements.
#[inline(always)]
pub(crate) unsafe fn matvec<I: Isa, P: Product>(phase: Phase<'_>, w: *const u8, operands: Matvec) {
    tiles::<I, P, 1>(phase, [w], operands, 0);
}

/// `y = activation(W₀ · prologue(x)) · (W₁ · prologue(x))`.
///
/// # Safety
/// As for [`matvec`]; both matrices have the same shape.
#[inline(always)]
pub(crate) unsafe fn gated_matvec<I: Isa, P: Product>(
    phase: Phase<'_>,
    w: [*const u8; 2],
    operands: Matvec,
    activation: usize,
) {
    tiles::<I, P, 2>(phase, w, operands, activation);
}

#[inline(always)]
unsafe fn tiles<I: Isa, P: Product, const W: usize>(
    phase: Phase<'_>,
    w: [*const u8; W],
    operands: Matvec,
    activation: usize,
) {
    let Matvec { source, output, k } = operands;
    let tile_bytes = P::tile_bytes(k);
    let split = Split::new(output.n.div_ceil(TILE_ROWS), W * tile_bytes, GRAIN);
    let Some(mut claims) = phase.claim(split.chunks()) else { return };
    let mut buffer = MaybeUninit::<<P::Activations as Activations>::Buffer>::uninit();
    let x = P::Activations::of::<I>(source, k, buffer.as_mut_ptr());
    while let Some(chunk) = claims.next() {
        for index in split.items(chunk) {
            Tile { matrices: w, offset: index * tile_bytes, index, activation }.times::<I, P>(output, x, k);
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
    /// Multiplies all of its rows with one vector.
    #[inline(always)]
    unsafe fn times<I: Isa, P: Product>(self, output: Output, x: *const u8, k: usize) {
        match I::LANES {
            16 => self.vectors::<I, P, 1>(output, x, k),
            8 => self.vectors::<I, P, 2>(output, x, k),
            _ => self.vectors::<I, P, 4>(output, x, k),
        }
    }

    /// The tile in `V` vectors.
    #[inline(always)]
    unsafe fn vectors<I: Isa, P: Product, const V: usize>(self, output: Output, x: *const u8, k: usize) {
        let mut products = [[[I::splat(0.0); V]; 1]; W];
        for matrix in 0..W {
            products[matrix] = dot::<I, P, 1, V>(self.matrices[matrix].add(self.offset), x, 0, k, 0);
        }
        let at = self.index * TILE_ROWS;
        I::call(Products::<I, 1, V, W> {
            products,
            output,
            row: 0,
            first: 0,
            at,
            activation: self.activation,
        });
    }
}
