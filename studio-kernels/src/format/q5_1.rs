//! Q5_1: a scale and a minimum for 32 values of five bits. Values are `d · bits + m`.

use super::{Format, Quantised, TileFormat, q5_0::FiveBits, scale::Halves};
use crate::isa::Isa;

/// ggml's block: bit `i` of `fifth` belongs to element `i`; byte `i` of the nibbles has elements `i` and `i + 16`.
#[repr(C)]
pub(crate) struct Block {
    scale: [u8; 2],
    minimum: [u8; 2],
    fifth: [u8; 4],
    nibbles: [u8; 16],
}

/// A pair of blocks of 16 rows.
#[repr(C)]
pub(crate) struct Unit {
    scales: [Halves; 2],
    minima: [Halves; 2],
    quants: [FiveBits; 2],
}

pub(crate) struct Q5_1;

impl Format for Q5_1 {
    const FORMAT: TileFormat = TileFormat::Q5_1;
    type Block = Block;
    type Unit = Unit;

    #[inline(always)]
    fn put(unit: &mut Unit, index: usize, row: usize, block: &Block) {
        unit.scales[index].put(row, block.scale);
        unit.minima[index].put(row, block.minimum);
        unit.quants[index].put(row, &block.nibbles, block.fifth);
    }

    #[inline]
    fn get(unit: &Unit, row: usize, out: &mut [f32]) {
        for (index, out) in out.chunks_mut(32).enumerate() {
            let (scale, minimum) = (unit.scales[index].get(row), unit.minima[index].get(row));
            for (out, quant) in out.iter_mut().zip(unit.quants[index].get(row)) {
                *out = scale * f32::from(quant) + minimum;
            }
        }
    }
}

impl Quantised for Q5_1 {
    const HAS_MINIMA: bool = true;

    #[inline(always)]
    unsafe fn scale<I: Isa>(unit: *const Unit, block: usize, _half: usize, lane: usize) -> I::Floats {
        Halves::load::<I>((&raw const (*unit).scales).cast(), block, lane)
    }

    #[inline(always)]
    unsafe fn minimum<I: Isa>(unit: *const Unit, block: usize, lane: usize) -> I::Floats {
        Halves::load::<I>((&raw const (*unit).minima).cast(), block, lane)
    }

    #[inline(always)]
    unsafe fn pair<I: Isa>(unit: *const Unit, block: usize, pair: usize, lane: usize) -> [I::Ints; 2] {
        FiveBits::pair::<I>((&raw const (*unit).quants).cast(), block, pair, lane)
    }
}
