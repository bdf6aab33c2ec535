//! Products of matrices in tiles with vectors of activations.
//!
//! A [`Product`] is a block format with a precision of activations: [`Int8`] multiplies quants with activations that are
//! quantised too, [`Expanded`] widens quants to `f32`, [`Numbers`] takes plain numbers. Each has one *dot*: a tile times
//! one or several rows of activations. [`matvec`](matvec()) and [`matmul`](matmul()) put a prologue before it and an
//! epilogue behind it and share tiles out among a team.

mod activations;
mod combine;
mod embed;
mod entry;
mod experts;
mod floats;
mod int8;
mod matmul;
mod matvec;
mod output;
mod prepare;
mod source;
mod split;

use crate::isa::{Isa, Work};
pub(crate) use activations::{Quantised, Singles};
pub(crate) use combine::{Combine, combine};
use core::marker::PhantomData;
pub(crate) use embed::{Embed, Tokens, embed};
pub(crate) use entry::matrix_entries;
pub(crate) use experts::{Experts, experts};
pub(crate) use floats::{Expanded, Numbers};
pub(crate) use int8::Int8;
pub(crate) use matmul::{Matmul, gated_matmul, matmul};
pub(crate) use matvec::{Matvec, gated_matvec, matvec};
pub(crate) use output::Output;
pub(crate) use prepare::{Prepare, prepare};
pub(crate) use source::Source;

/// Activations as kernels read them: rows of bytes, made by [`prepare`] or on a worker's stack.
pub(crate) trait Activations {
    /// The bytes of the longest row, [`crate::abi::MAX_K`] elements.
    type Buffer;

    /// The bytes between rows.
    fn row_bytes(k: usize) -> usize;

    /// Makes one row from a source of `k` elements.
    ///
    /// # Safety
    /// `to` has room for a row.
    unsafe fn make<I: Isa>(source: Source, k: usize, to: *mut u8);

    /// The row for one product with the source: the source's own memory where that will do, or else made in `buffer`.
    ///
    /// # Safety
    /// As for [`Activations::make`].
    unsafe fn of<I: Isa>(source: Source, k: usize, buffer: *mut Self::Buffer) -> *const u8;
}

/// A format with a precision.
pub(crate) trait Product {
    type Activations: Activations;

    /// The bytes of a tile of rows of `k` elements.
    fn tile_bytes(k: usize) -> usize;

    /// `V` vectors of the tile's rows from `lane` on, times `M` rows of activations that lie `stride` bytes apart.
    ///
    /// # Safety
    /// The tile and the activations are whole, of `k` elements.
    unsafe fn dot<I: Isa, const M: usize, const V: usize>(
        tile: *const u8,
        activations: *const u8,
        stride: usize,
        k: usize,
        lane: usize,
    ) -> [[I::Floats; V]; M];
}

/// [`Product::dot`] as a function of its own: kernels share it.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn dot<I: Isa, P: Product, const M: usize, const V: usize>(
    tile: *const u8,
    activations: *const u8,
    stride: usize,
    k: usize,
    lane: usize,
) -> [[I::Floats; V]; M] {
    I::call(Dot::<P, M, V> { tile, activations, stride, k, lane, product: PhantomData })
}

struct Dot<P, const M: usize, const V: usize> {
    tile: *const u8,
    activations: *const u8,
    stride: usize,
    k: usize,
    lane: usize,
    product: PhantomData<P>,
}

impl<I: Isa, P: Product, const M: usize, const V: usize> Work<I> for Dot<P, M, V> {
    type Result = [[I::Floats; V]; M];

    #[inline(always)]
    unsafe fn run(self) -> Self::Result {
        P::dot::<I, M, V>(self.tile, self.activations, self.stride, self.k, self.lane)
    }
}

/// [`Activations::make`] as a function of its own.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn make<I: Isa, A: Activations>(source: Source, k: usize, to: *mut u8) {
    I::call(Make::<A> { source, k, to, activations: PhantomData });
}

struct Make<A> {
    source: Source,
    k: usize,
    to: *mut u8,
    activations: PhantomData<A>,
}

impl<I: Isa, A: Activations> Work<I> for Make<A> {
    type Result = ();

    #[inline(always)]
    unsafe fn run(self) {
        A::make::<I>(self.source, self.k, self.to);
    }
}
