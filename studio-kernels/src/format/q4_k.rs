//! Q4_K: 256 values of four bits; scales and minima of 32 values are multiples of two numbers for all. Values are
//! `d·scale · nibble - dmin·minimum`.

use super::{
    Format, Quantised, TileFormat,
    k_scales::{Head, Scales, nibbles},
    plane::Nibbles,
};
use crate::isa::Isa;

/// ggml's block: each 32 bytes hold 64 elements, first the low nibbles, then the high ones.
#[repr(C)]
pub(crate) struct Block {
    head: Head,
    nibbles: [u8; 128],
}

/// A block of 16 rows.
#[repr(C)]
pub(crate) struct Unit {
    scales: Scales,
    nibbles: [Nibbles; 8],
}

#[expect(non_camel_case_types, reason = "the name is ggml's")]
pub(crate) struct Q4_K;

impl Format for Q4_K {
    const FORMAT: TileFormat = TileFormat::Q4_K;
    type Block = Block;
    type Unit = Unit;

    #[inline(always)]
    fn put(unit: &mut Unit, _index: usize, row: usize, block: &Block) {
        unit.scales.put(row, &block.head);
        for (index, plane) in unit.nibbles.iter_mut().enumerate() {
            plane.put(row, &nibbles(&block.nibbles, index));
        }
    }

    #[inline]
    fn get(unit: &Unit, row: usize, out: &mut [f32]) {
        for (index, out) in out.chunks_mut(32).enumerate() {
            let (scale, minimum) = unit.scales.get(row, index);
            for (out, quant) in out.iter_mut().zip(unit.nibbles[index].get(row)) {
                *out = scale * f32::from(quant) - minimum;
            }
        }
    }
}

impl Quantised for Q4_K {
    const HAS_MINIMA: bool = true;

    #[inline(always)]
    unsafe fn scale<I: Isa>(unit: *const Unit, block: usize, _half: usize, lane: usize) -> I::Floats {
        Scales::scale::<I>(&raw const (*unit).scales, block, lane)
    }

    #[inline(always)]
    unsafe fn minimum<I: Isa>(unit: *const Unit, block: usize, lane: usize) -> I::Floats {
        Scales::minimum::<I>(&raw const (*unit).scales, block, lane)
    }

    #[inline(always)]
    unsafe fn pair<I: Isa>(unit: *const Unit, block: usize, pair: usize, lane: usize) -> [I::Ints; 2] {
        Nibbles::pair::<I>((&raw const (*unit).nibbles).cast::<Nibbles>().add(block), pair, lane)
    }
}
