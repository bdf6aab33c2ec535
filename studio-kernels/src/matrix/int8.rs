//! Quants times quantised activations: integer dot products of four bytes, scaled once a block.

use super::{
    Product,
    activations::{Block, Quantised},
};
use crate::{abi::ACTIVATION_BLOCK, format::Quantised as Weights, isa::Isa};
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
        let mut totals = [[I::splat(0.0); V]; M];
        for index in 0..k / ACTIVATION_BLOCK {
            let unit = tile.cast::<F::Unit>().add(index / unit_blocks);
            let block = index % unit_blocks;
            let activations = activations.add(index * size_of::<Block>());
            if M == 1 {
                let ahead = tile.wrapping_add(index * block_bytes + AHEAD);
                let mut line = 0;
                while line < block_bytes {
                    I::prefetch(ahead.wrapping_add(line));
                    line += 64;
                }
            }
            for v in 0..V {
                add_block::<I, F, M, V>(
                    &mut totals,
                    v,
                    unit,
                    block,
                    activations,
                    stride,
                    lane + v * I::LANES,
                );
            }
        }
        totals
    }
}

/// Adds the product of a block of 32 to the totals of the vector `v`.
#[inline(always)]
unsafe fn add_block<I: Isa, F: Weights, const M: usize, const V: usize>(
    totals: &mut [[I::Floats; V]; M],
    v: usize,
    unit: *const F::Unit,
    block: usize,
    activations: *const u8,
    stride: usize,
    lane: usize,
) {
    // Two sums where each half has its own scale, and where one chain of additions would be waited for.
    let second = if F::SCALES == 2 || M == 1 && I::DOTS_ARE_LONG { 1 } else { 0 };
    let mut sums = [[I::splat_int(0); 2]; M];
    for m in 0..M {
        let activations = activations.add(m * stride);
        if F::SCALES == 2 {
            sums[m] = Block::half_starts::<I>(activations);
        } else if F::BIAS != 128 || I::WIDE_IS_BIASED {
            sums[m][0] = Block::start::<I>(activations, F::BIAS);
        }
    }
    add_pair::<I, F, M>(&mut sums, second, unit, block, 0, activations, stride, lane);
    add_pair::<I, F, M>(&mut sums, second, unit, block, 1, activations, stride, lane);
    add_pair::<I, F, M>(&mut sums, second, unit, block, 2, activations, stride, lane);
    add_pair::<I, F, M>(&mut sums, second, unit, block, 3, activations, stride, lane);
    let scale = F::scale::<I>(unit, block, 0, lane);
    let second_scale = if F::SCALES == 2 { F::scale::<I>(unit, block, 1, lane) } else { scale };
    let minimum = F::minimum::<I>(unit, block, lane);
    for m in 0..M {
        let activations = activations.add(m * stride);
        let factor = Block::scale::<I>(activations);
        if F::SCALES == 2 {
            let second_sum = I::to_floats(sums[m][1]);
            totals[m][v] = I::fma(second_sum, I::mul(second_scale, factor), totals[m][v]);
        } else if second == 1 {
            sums[m][0] = I::add_ints(sums[m][0], sums[m][1]);
        }
        totals[m][v] = I::fma(I::to_floats(sums[m][0]), I::mul(scale, factor), totals[m][v]);
        if F::HAS_MINIMA {
            totals[m][v] = I::fma(minimum, Block::scaled_sum::<I>(activations), totals[m][v]);
        }
    }
}

/// Adds the products of two groups to the sums: the first to `[0]`, the second to `[second]`.
#[inline(always)]
unsafe fn add_pair<I: Isa, F: Weights, const M: usize>(
    sums: &mut [[I::Ints; 2]; M],
    second: usize,
    unit: *const F::Unit,
    block: usize,
    pair: usize,
    activations: *const u8,
    stride: usize,
    lane: usize,
) {
    let weights = F::pair::<I>(unit, block, pair, lane);
    for m in 0..M {
        let activations = activations.add(m * stride);
        let (first, last) = (Block::group::<I>(activations, pair), Block::group::<I>(activations, pair + 4));
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
