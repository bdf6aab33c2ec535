//! Q5_K: as Q4_K with a fifth bit. Values are `d·scale · bits - dmin·minimum`.

use super::{
    Format, Quantised, TileFormat,
    k_scales::{Head, Scales, nibbles},
    q5_0::FiveBits,
};
use crate::isa::Isa;

/// ggml's block: bit `b` of byte `i` of `fifth` belongs to element `32 b + i`; nibbles as in Q4_K.
#[repr(C)]
pub(crate) struct Block {
    head: Head,
    fifth: [u8; 32],
    nibbles: [u8; 128],
}

/// A block of 16 rows.
#[repr(C)]
pub(crate) struct Unit {
    scales: Scales,
    quants: [FiveBits; 8],
}

#[expect(non_camel_case_types, reason = "the name is ggml's")]
pub(crate) struct Q5_K;

impl Format for Q5_K {
    const FORMAT: TileFormat = TileFormat::Q5_K;
    type Block = Block;
    type Unit = Unit;

    #[inline(always)]
    fn put(unit: &mut Unit, _index: usize, row: usize, block: &Block) {
        unit.scales.put(row, &block.head);
        let groups = block.fifth.as_chunks::<4>().0;
        for (index, quants) in unit.quants.iter_mut().enumerate() {
            let mut fifth = 0;
            for (group, bytes) in groups.iter().enumerate() {
                fifth |= (u32::from_le_bytes(*bytes) >> index & 0x0101_0101) << group;
            }
            quants.put_planes(row, &nibbles(&block.nibbles, index), fifth.to_le_bytes());
        }
    }

    #[inline]
    fn get(unit: &Unit, row: usize, out: &mut [f32]) {
        for (index, out) in out.chunks_mut(32).enumerate() {
            let (scale, minimum) = unit.scales.get(row, index);
            for (out, quant) in out.iter_mut().zip(unit.quants[index].get(row)) {
                *out = scale * f32::from(quant) - minimum;
            }
        }
    }
}

impl Quantised for Q5_K {
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
        FiveBits::pair::<I>((&raw const (*unit).quants).cast(), block, pair, lane)
    }
}
