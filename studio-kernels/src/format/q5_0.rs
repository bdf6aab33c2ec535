//! Q5_0: a scale for 32 values of five bits. Values are `d · (bits - 16)`.

use super::{
    Format, Quantised, TileFormat,
    plane::{Bits, Nibbles, join},
    scale::Halves,
};
use crate::isa::Isa;

/// ggml's block: bit `i` of `fifth` belongs to element `i`; byte `i` of the nibbles has elements `i` and `i + 16`.
#[repr(C)]
pub(crate) struct Block {
    scale: [u8; 2],
    fifth: [u8; 4],
    nibbles: [u8; 16],
}

/// Five bits for each of 32 elements of 16 rows.
#[repr(C)]
pub(crate) struct FiveBits {
    nibbles: Nibbles,
    fifth: Bits,
}

impl FiveBits {
    /// Both as their planes take them.
    #[inline(always)]
    pub(crate) fn put_planes(&mut self, row: usize, nibbles: &[u8; 16], fifth: [u8; 4]) {
        self.nibbles.put(row, nibbles);
        self.fifth.put(row, fifth);
    }

    /// Nibbles as [`Nibbles::put`] takes them; bit `i` of `fifth` belongs to element `i`.
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, nibbles: &[u8; 16], fifth: [u8; 4]) {
        let fifth = u32::from_le_bytes(fifth);
        let mut bytes = 0;
        for group in 0..8 {
            // The product has bit `j` of the four at bit `8 j`.
            let four = fifth >> (4 * group) & 15;
            bytes |= (four.wrapping_mul(0x0020_4081) & 0x0101_0101) << group;
        }
        self.put_planes(row, nibbles, bytes.to_le_bytes());
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> [u8; 32] {
        let (nibbles, fifth) = (self.nibbles.get(row), self.fifth.get(row));
        core::array::from_fn(|i| nibbles[i] | fifth[i] << 4)
    }

    /// As [`Nibbles::pair`], of the `block`th of several.
    #[inline(always)]
    pub(crate) unsafe fn pair<I: Isa>(
        these: *const Self,
        block: usize,
        pair: usize,
        lane: usize,
    ) -> [I::Ints; 2] {
        let this = these.add(block);
        join::<I>(
            Nibbles::pair::<I>(&raw const (*this).nibbles, pair, lane),
            Bits::pair::<I>(&raw const (*this).fifth, pair, lane),
        )
    }
}

/// A pair of blocks of 16 rows.
#[repr(C)]
pub(crate) struct Unit {
    scales: [Halves; 2],
    quants: [FiveBits; 2],
}

pub(crate) struct Q5_0;

impl Format for Q5_0 {
    const FORMAT: TileFormat = TileFormat::Q5_0;
    type Block = Block;
    type Unit = Unit;

    #[inline(always)]
    fn put(unit: &mut Unit, index: usize, row: usize, block: &Block) {
        unit.scales[index].put(row, block.scale);
        unit.quants[index].put(row, &block.nibbles, block.fifth);
    }

    #[inline]
    fn get(unit: &Unit, row: usize, out: &mut [f32]) {
        for (index, out) in out.chunks_mut(32).enumerate() {
            let scale = unit.scales[index].get(row);
            for (out, quant) in out.iter_mut().zip(unit.quants[index].get(row)) {
                *out = scale * (f32::from(quant) - 16.0);
            }
        }
    }
}

impl Quantised for Q5_0 {
    const BIAS: i32 = 16;

    #[inline(always)]
    unsafe fn scale<I: Isa>(unit: *const Unit, block: usize, _half: usize, lane: usize) -> I::Floats {
        Halves::load::<I>((&raw const (*unit).scales).cast(), block, lane)
    }

    #[inline(always)]
    unsafe fn pair<I: Isa>(unit: *const Unit, block: usize, pair: usize, lane: usize) -> [I::Ints; 2] {
        FiveBits::pair::<I>((&raw const (*unit).quants).cast(), block, pair, lane)
    }
}
