//! Q8_0: a scale for 32 values of eight bits. Values are `d · quant`; tiles hold `quant + 128`, unsigned.

use super::{Format, Quantised, TileFormat, plane::Bytes, scale::Halves};
use crate::isa::Isa;

/// ggml's block.
#[repr(C)]
pub(crate) struct Block {
    scale: [u8; 2],
    quants: [u8; 32],
}

/// A pair of blocks of 16 rows.
#[repr(C)]
pub(crate) struct Unit {
    scales: [Halves; 2],
    quants: [Bytes; 2],
}

pub(crate) struct Q8_0;

impl Format for Q8_0 {
    const FORMAT: TileFormat = TileFormat::Q8_0;
    type Block = Block;
    type Unit = Unit;

    #[inline(always)]
    fn put(unit: &mut Unit, index: usize, row: usize, block: &Block) {
        unit.scales[index].put(row, block.scale);
        unit.quants[index].put(row, &block.quants.map(|quant| quant ^ 0x80));
    }

    #[inline]
    fn get(unit: &Unit, row: usize, out: &mut [f32]) {
        for (index, out) in out.chunks_mut(32).enumerate() {
            let scale = unit.scales[index].get(row);
            for (out, quant) in out.iter_mut().zip(unit.quants[index].get(row)) {
                *out = scale * (f32::from(quant) - 128.0);
            }
        }
    }
}

impl Quantised for Q8_0 {
    const BIAS: i32 = 128;

    #[inline(always)]
    unsafe fn scale<I: Isa>(unit: *const Unit, block: usize, _half: usize, lane: usize) -> I::Floats {
        Halves::load::<I>((&raw const (*unit).scales).cast(), block, lane)
    }

    #[inline(always)]
    unsafe fn pair<I: Isa>(unit: *const Unit, block: usize, pair: usize, lane: usize) -> [I::Ints; 2] {
        Bytes::pair::<I>((&raw const (*unit).quants).cast::<Bytes>().add(block), pair, lane)
    }
}
