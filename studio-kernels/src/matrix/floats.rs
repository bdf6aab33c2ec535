//! Products in single precision: of quants that are widened, and of plain numbers.

use super::{Product, activations::Singles};
use crate::{
    abi::ACTIVATION_BLOCK,
    format::{Plain, Quantised},
    isa::Isa,
};
use core::{marker::PhantomData, mem::size_of};

/// The quantised weights `F`, each widened to what ggml would decode it to.
pub(crate) struct Expanded<F>(PhantomData<F>);

/// The plain weights `F`.
pub(crate) struct Numbers<F>(PhantomData<F>);

/// Weights that can be had as `f32`.
pub(crate) trait Widened {
    /// The bytes of a tile of rows of `k` elements.
    fn tile_bytes(k: usize) -> usize;

    /// Gives `V` vectors of each `k`'s weights, of the rows from `lane` on. They come in the order of `k` within groups of
    /// four.
    ///
    /// # Safety
    /// The tile is whole, of `k` elements.
    unsafe fn each<I: Isa, const V: usize>(tile: *const u8, k: usize, lane: usize, taker: &mut impl Taker<I>);
}

/// Who takes weights: not a closure, because it must be inlined.
pub(crate) trait Taker<I: Isa> {
    /// The weights of vector `v` for `k`; `chain` is the place in the group of four.
    unsafe fn take(&mut self, v: usize, k: usize, chain: usize, weights: I::Floats);
}

/// How far ahead plain numbers are asked for.
const AHEAD: usize = 2048;

impl<F: Quantised> Expanded<F> {
    /// Gives the four weights of each lane of one group.
    #[inline(always)]
    unsafe fn group<I: Isa>(
        quants: I::Ints,
        (scale, minimum): (I::Floats, I::Floats),
        v: usize,
        k: usize,
        taker: &mut impl Taker<I>,
    ) {
        let quants =
            [quants, I::shift_right::<8>(quants), I::shift_right::<16>(quants), I::shift_right::<24>(quants)];
        for chain in 0..4 {
            let quant = I::sub_ints(I::and(quants[chain], I::splat_int(0xff)), I::splat_int(F::BIAS));
            let value = I::mul(I::to_floats(quant), scale);
            let value = if F::HAS_MINIMA { I::add(value, minimum) } else { value };
            taker.take(v, k + chain, chain, value);
        }
    }

    #[inline(always)]
    unsafe fn block<I: Isa>(
        unit: *const F::Unit,
        block: usize,
        lane: usize,
        v: usize,
        k: usize,
        taker: &mut impl Taker<I>,
    ) {
        let minimum = F::minimum::<I>(unit, block, lane);
        let first = (F::scale::<I>(unit, block, 0, lane), minimum);
        let second = if F::SCALES == 2 { (F::scale::<I>(unit, block, 1, lane), minimum) } else { first };
        let pairs = [
            F::pair::<I>(unit, block, 0, lane),
            F::pair::<I>(unit, block, 1, lane),
            F::pair::<I>(unit, block, 2, lane),
            F::pair::<I>(unit, block, 3, lane),
        ];
        for pair in 0..4 {
            Self::group::<I>(pairs[pair][0], first, v, k + 4 * pair, taker);
        }
        for pair in 0..4 {
            Self::group::<I>(pairs[pair][1], second, v, k + 16 + 4 * pair, taker);
        }
    }
}

impl<F: Quantised> Widened for Expanded<F> {
    #[inline(always)]
    fn tile_bytes(k: usize) -> usize {
        F::FORMAT.tile_bytes(k)
    }

    #[inline(always)]
    unsafe fn each<I: Isa, const V: usize>(
        tile: *const u8,
        k: usize,
        lane: usize,
        taker: &mut impl Taker<I>,
    ) {
        let unit_blocks = const { F::FORMAT.unit_elements() / ACTIVATION_BLOCK };
        for index in 0..k / ACTIVATION_BLOCK {
            let unit = tile.cast::<F::Unit>().add(index / unit_blocks);
            for v in 0..V {
                let lane = lane + v * I::LANES;
                Self::block::<I>(unit, index % unit_blocks, lane, v, index * ACTIVATION_BLOCK, taker);
            }
        }
    }
}

impl<F: Plain> Widened for Numbers<F> {
    #[inline(always)]
    fn tile_bytes(k: usize) -> usize {
        F::FORMAT.tile_bytes(k)
    }

    #[inline(always)]
    unsafe fn each<I: Isa, const V: usize>(
        tile: *const u8,
        k: usize,
        lane: usize,
        taker: &mut impl Taker<I>,
    ) {
        let units = tile.cast::<F::Unit>();
        let mut at = 0;
        while at + 4 <= k {
            let ahead = units.wrapping_add(at).cast::<u8>().wrapping_add(AHEAD);
            let mut line = 0;
            while line < 4 * size_of::<F::Unit>() {
                I::prefetch(ahead.wrapping_add(line));
                line += 64;
            }
            for chain in 0..4 {
                for v in 0..V {
                    let weights = F::load::<I>(units.add(at + chain), lane + v * I::LANES);
                    taker.take(v, at + chain, chain, weights);
                }
            }
            at += 4;
        }
        while at < k {
            for v in 0..V {
                taker.take(v, at, 0, F::load::<I>(units.add(at), lane + v * I::LANES));
            }
            at += 1;
        }
    }
}

/// Totals of products. Those of a single row of activations are kept in four sums, so that no addition is waited for.
struct Sums<I: Isa, const M: usize, const V: usize> {
    totals: [[[I::Floats; V]; M]; 4],
    activations: *const u8,
    stride: usize,
}

impl<I: Isa, const M: usize, const V: usize> Taker<I> for Sums<I, M, V> {
    #[inline(always)]
    unsafe fn take(&mut self, v: usize, k: usize, chain: usize, weights: I::Floats) {
        let chain = if M == 1 { chain } else { 0 };
        for m in 0..M {
            let activation = self.activations.add(m * self.stride).cast::<f32>().add(k).read_unaligned();
            self.totals[chain][m][v] = I::fma(weights, I::splat(activation), self.totals[chain][m][v]);
        }
    }
}

impl<W: Widened> Product for W {
    type Activations = Singles;

    #[inline(always)]
    fn tile_bytes(k: usize) -> usize {
        <W as Widened>::tile_bytes(k)
    }

    #[inline(always)]
    unsafe fn dot<I: Isa, const M: usize, const V: usize>(
        tile: *const u8,
        activations: *const u8,
        stride: usize,
        k: usize,
        lane: usize,
    ) -> [[I::Floats; V]; M] {
        let mut sums = Sums::<I, M, V> { totals: [[[I::splat(0.0); V]; M]; 4], activations, stride };
        W::each::<I, V>(tile, k, lane, &mut sums);
        let chains = sums.totals;
        let mut totals = chains[0];
        if M == 1 {
            for v in 0..V {
                let even = I::add(chains[0][0][v], chains[2][0][v]);
                let odd = I::add(chains[1][0][v], chains[3][0][v]);
                totals[0][v] = I::add(even, odd);
            }
        }
        totals
    }
}
