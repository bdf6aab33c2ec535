//! Q4_0: a scale for 32 values of four bits. Values are `d · (nibble - 8)`.

use super::{Format, Quantised, TileFormat, plane::Nibbles, scale::Halves};
use crate::isa::Isa;

/// ggml's block: byte `i` of the nibbles has elements `i` and `i + 16`.
#[repr(C)]
pub(crate) struct Block {
    scale: [u8; 2],
    nibbles: [u8; 16],
}

/// A pair of blocks of 16 rows.
#[repr(C)]
pub(crate) struct Unit {
    scales: [Halves; 2],
    nibbles: [Nibbles; 2],
}

pub(crate) struct Q4_0;

impl Format for Q4_0 {
    const FORMAT: TileFormat = TileFormat::Q4_0;
    type Block = Block;
    type Unit = Unit;

    #[inline(always)]
    fn put(unit: &mut Unit, index: usize, row: usize, block: &Block) {
        unit.scales[index].put(row, block.scale);
        unit.nibbles[index].put(row, &block.nibbles);
    }

    #[inline]
    fn get(unit: &Unit, row: usize, out: &mut [f32]) {
        for (index, out) in out.chunks_mut(32).enumerate() {
            let scale = unit.scales[index].get(row);
            for (out, quant) in out.iter_mut().zip(unit.nibbles[index].get(row)) {
                *out = scale * (f32::from(quant) - 8.0);
            }
        }
    }
}

impl Quantised for Q4_0 {
    const BIAS: i32 = 8;

    #[inline(always)]
    unsafe fn scale<I: Isa>(unit: *const Unit, block: usize, _half: usize, lane: usize) -> I::Floats {
        Halves::load::<I>((&raw const (*unit).scales).cast(), block, lane)
    }

    #[inline(always)]
    unsafe fn pair<I: Isa>(unit: *const Unit, block: usize, pair: usize, lane: usize) -> [I::Ints; 2] {
        Nibbles::pair::<I>((&raw const (*unit).nibbles).cast::<Nibbles>().add(block), pair, lane)
    }
}
