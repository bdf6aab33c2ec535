//! Quants times quantised activations: integer dot products of four bytes, scaled once a block.

use super::{
    Product,
    activations::{Block, Quantised},
};
use crate::{
    abi::ACTIVATION_BLOCK,
    format::{Quantised as Weights, TILE_ROWS},
    isa::Isa,
};
use core::{marker::PhantomData, mem::size_of};

/// The weights `F` with int8 activations.
pub(crate) struct Int8<F>(PhantomData<F>);

/// How far ahead of a single row of activations weights are asked for: beyond the page that a processor's own
/// prefetching stops at.
const AHEAD: usize = 2048;

impl<F: Weights> Product for Int8<F> {
    type Activations = Quantised;

    #[inline(always)]
    fn tile_bytes(k: usize) -> usize {
        F::FORMAT.tile_bytes(k)
    }

    #[inline(always)]
    unsafe fn dot<I: Isa, const M: usize, const V: usize>(
        tile: *const u8,
        activations: *const u8,
        stride: usize,
        k: usize,
        lane: usize,
    ) -> [[I::Floats; V]; M] {
        let unit_blocks = const { F::FORMAT.unit_elements() / ACTIVATION_BLOCK };
        let block_bytes = const { size_of::<F::Unit>() / (F::FORMAT.unit_elements() / ACTIVATION_BLOCK) };
        // A whole tile's vectors are at places that are known where this is compiled.
        let lane = if V * I::LANES == TILE_ROWS { 0 } else { lane };
        let blocks = k / ACTIVATION_BLOCK;
        let mut totals = [[I::splat(0.0); V]; M];
        if I::WHOLE_UNITS && unit_blocks == 2 {
            let (mut tile, mut activations) = (tile, activations);
            for _ in 0..blocks / 2 {
                if M == 1 {
                    I::prefetch_lines(tile.wrapping_add(AHEAD), 2 * block_bytes);
                }
                let unit = tile.cast::<F::Unit>();
                add_block::<I, F, M, V>(&mut totals, unit, 0, activations, stride, lane);
                let second = activations.add(size_of::<Block>());
                add_block::<I, F, M, V>(&mut totals, unit, 1, second, stride, lane);
                tile = unit.add(1).cast();
                activations = activations.add(2 * size_of::<Block>());
            }
            if blocks % 2 == 1 {
                add_block::<I, F, M, V>(&mut totals, tile.cast(), 0, activations, stride, lane);
            }
            return totals;
        }
        for index in 0..blocks {
            let unit = tile.cast::<F::Unit>().add(index / unit_blocks);
            let block = index % unit_blocks;
            let activations = activations.add(index * size_of::<Block>());
            if M == 1 {
                I::prefetch_lines(tile.wrapping_add(index * block_bytes + AHEAD), block_bytes);
            }
            add_block::<I, F, M, V>(&mut totals, unit, block, activations, stride, lane);
        }
        totals
    }
}

/// The sums of the products of a block for each vector and row, in two parts.
type Sums<I, const M: usize, const V: usize> = [[[<I as Isa>::Ints; 2]; M]; V];

/// Adds the products of a block of 32 to the totals.
#[inline(always)]
unsafe fn add_block<I: Isa, F: Weights, const M: usize, const V: usize>(
    totals: &mut [[I::Floats; V]; M],
    unit: *const F::Unit,
    block: usize,
    activations: *const u8,
    stride: usize,
    lane: usize,
) {
    // Two sums where each half has its own scale, and where one chain of additions would be waited for.
    let second = if F::SCALES == 2 || M == 1 && I::DOTS_ARE_LONG { 1 } else { 0 };
    let mut sums: Sums<I, M, V> = [[[I::splat_int(0); 2]; M]; V];
    for m in 0..M {
        let activations = activations.add(m * stride);
        let start = if F::SCALES == 2 {
            Block::half_starts::<I>(activations)
        } else if F::BIAS != 128 || I::WIDE_IS_BIASED {
            [Block::start::<I>(activations, F::BIAS), I::splat_int(0)]
        } else {
            continue;
        };
        for v in 0..V {
            sums[v][m] = start;
        }
    }
    // Written out, and vectors within a pair: what a compiler makes of it then keeps all sums in registers.
    add_pair::<I, F, M, V>(&mut sums, second, unit, block, 0, activations, stride, lane);
    add_pair::<I, F, M, V>(&mut sums, second, unit, block, 1, activations, stride, lane);
    add_pair::<I, F, M, V>(&mut sums, second, unit, block, 2, activations, stride, lane);
    add_pair::<I, F, M, V>(&mut sums, second, unit, block, 3, activations, stride, lane);
    for v in 0..V {
        let lane = lane + v * I::LANES;
        let scale = F::scale::<I>(unit, block, 0, lane);
        let second_scale = if F::SCALES == 2 { F::scale::<I>(unit, block, 1, lane) } else { scale };
        let minimum = F::minimum::<I>(unit, block, lane);
        for m in 0..M {
            let activations = activations.add(m * stride);
            let factor = Block::scale::<I>(activations);
            let mut sum = sums[v][m][0];
            if F::SCALES == 2 {
                let second_sum = I::to_floats(sums[v][m][1]);
                totals[m][v] = I::fma(second_sum, I::mul(second_scale, factor), totals[m][v]);
            } else if second == 1 {
                sum = I::add_ints(sum, sums[v][m][1]);
            }
            totals[m][v] = I::fma(I::to_floats(sum), I::mul(scale, factor), totals[m][v]);
            if F::HAS_MINIMA {
                totals[m][v] = I::fma(minimum, Block::scaled_sum::<I>(activations), totals[m][v]);
            }
        }
    }
}

/// Adds the products of two groups to the sums: the first to `[0]`, the second to `[second]`.
#[inline(always)]
unsafe fn add_pair<I: Isa, F: Weights, const M: usize, const V: usize>(
    sums: &mut Sums<I, M, V>,
    second: usize,
    unit: *const F::Unit,
    block: usize,
    pair: usize,
    activations: *const u8,
    stride: usize,
    lane: usize,
) {
    for v in 0..V {
        let weights = F::pair::<I>(unit, block, pair, lane + v * I::LANES);
        let sums = &mut sums[v];
        for m in 0..M {
            let activations = activations.add(m * stride);
            let (first, last) =
                (Block::group::<I>(activations, pair), Block::group::<I>(activations, pair + 4));
            if F::BIAS < 128 && second == 0 {
                sums[m][0] = I::dot_both(sums[m][0], weights, [first, last]);
            } else if F::BIAS == 128 {
                sums[m][0] = I::dot_wide(sums[m][0], weights[0], first);
                sums[m][second] = I::dot_wide(sums[m][second], weights[1], last);
            } else {
                sums[m][0] = I::dot(sums[m][0], weights[0], first);
                sums[m][second] = I::dot(sums[m][second], weights[1], last);
            }
        }
    }
}
