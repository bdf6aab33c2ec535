//! Q6_K: 256 values of six bits; scales of 16 values are multiples of one number for all. Values are
//! `d·scale · (bits - 32)`.

use super::{
    Format, Quantised, TileFormat,
    plane::{Crumbs, Nibbles, join},
    scale::{Halves, Small},
};
use crate::isa::Isa;

/// ggml's block. Each half of it is 128 elements, from 64 bytes of nibbles and 32 bytes of tops: byte `i` of the tops
/// has two bits for each of the elements `i`, `32 + i`, `64 + i` and `96 + i`.
#[repr(C)]
pub(crate) struct Block {
    nibbles: [[u8; 32]; 4],
    tops: [[u8; 32]; 2],
    scales: [u8; 16],
    scale: [u8; 2],
}

#[repr(C)]
struct SixBits {
    nibbles: Nibbles,
    tops: Crumbs,
}

/// A block of 16 rows. The scale stands on a line of its own, so that every vector does.
#[repr(C)]
pub(crate) struct Unit {
    scale: Halves,
    padding: Halves,
    scales: [Small; 16],
    quants: [SixBits; 8],
}

#[expect(non_camel_case_types, reason = "the name is ggml's")]
pub(crate) struct Q6_K;

impl Format for Q6_K {
    const FORMAT: TileFormat = TileFormat::Q6_K;
    type Block = Block;
    type Unit = Unit;

    #[inline(always)]
    fn put(unit: &mut Unit, _index: usize, row: usize, block: &Block) {
        unit.scale.put(row, block.scale);
        // What is written is to depend on the model alone.
        unit.padding.put(row, [0; 2]);
        for (scales, scale) in unit.scales.iter_mut().zip(block.scales) {
            scales.put(row, scale);
        }
        for (index, quants) in unit.quants.iter_mut().enumerate() {
            let (half, quarter) = (index / 4, index % 4);
            let lows = &block.nibbles[2 * half + quarter % 2];
            let nibbles = if quarter < 2 {
                core::array::from_fn(|i| lows[i] & 15 | lows[16 + i] << 4)
            } else {
                core::array::from_fn(|i| lows[i] >> 4 | lows[16 + i] & 0xf0)
            };
            quants.nibbles.put(row, &nibbles);
            quants.tops.put(row, &block.tops[half].map(|top| top >> (2 * quarter) & 3));
        }
    }

    #[inline]
    fn get(unit: &Unit, row: usize, out: &mut [f32]) {
        for (index, out) in out.chunks_mut(16).enumerate() {
            let scale = unit.scale.get(row) * f32::from(unit.scales[index].get(row) as i8);
            let quants = &unit.quants[index / 2];
            let (nibbles, tops) = (quants.nibbles.get(row), quants.tops.get(row));
            for (i, out) in out.iter_mut().enumerate() {
                let i = 16 * (index % 2) + i;
                *out = scale * (f32::from(nibbles[i] | tops[i] << 4) - 32.0);
            }
        }
    }
}

impl Quantised for Q6_K {
    const BIAS: i32 = 32;
    const SCALES: usize = 2;

    #[inline(always)]
    unsafe fn scale<I: Isa>(unit: *const Unit, block: usize, half: usize, lane: usize) -> I::Floats {
        let scale = Halves::load::<I>(&raw const (*unit).scale, 0, lane);
        let scales = (&raw const (*unit).scales).cast();
        I::mul(scale, Small::load_signed::<I>(scales, 2 * block + half, lane))
    }

    #[inline(always)]
    unsafe fn pair<I: Isa>(unit: *const Unit, block: usize, pair: usize, lane: usize) -> [I::Ints; 2] {
        let quants = (&raw const (*unit).quants).cast::<SixBits>().add(block);
        join::<I>(
            Nibbles::pair::<I>(&raw const (*quants).nibbles, pair, lane),
            Crumbs::pair::<I>(&raw const (*quants).tops, pair, lane),
        )
    }
}
