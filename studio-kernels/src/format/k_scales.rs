//! What Q4_K and Q5_K share: scales and minima of two levels.

use super::scale::{Halves, Small};
use crate::isa::Isa;

/// The head of ggml's blocks: `d`, `dmin`, and eight 6-bit scales and minima in twelve bytes.
#[repr(C)]
pub(crate) struct Head {
    scale: [u8; 2],
    minimum: [u8; 2],
    packed: [u8; 12],
}

impl Head {
    /// The first four scales and minima are the low six bits of bytes 0–3 and 4–7; the others have their low four bits
    /// in bytes 8–11 and their high two in the top bits of the first eight bytes.
    #[inline(always)]
    fn unpack(&self) -> ([u8; 8], [u8; 8]) {
        let [scales, minima, lows] = [0, 4, 8].map(|start| {
            u32::from_le_bytes([
                self.packed[start],
                self.packed[start + 1],
                self.packed[start + 2],
                self.packed[start + 3],
            ])
        });
        let tops = |six: u32| six >> 2 & 0x3030_3030;
        let join =
            |first: u32, last: u32| (u64::from(first & 0x3f3f_3f3f) | u64::from(last) << 32).to_le_bytes();
        (
            join(scales, lows & 0x0f0f_0f0f | tops(scales)),
            join(minima, lows >> 4 & 0x0f0f_0f0f | tops(minima)),
        )
    }
}

/// The scales of a 256-block of 16 rows: `d · scale` and `dmin · minimum` for each 32 elements.
#[repr(C)]
pub(crate) struct Scales {
    scale: Halves,
    minimum: Halves,
    scales: [Small; 8],
    minima: [Small; 8],
}

impl Scales {
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, head: &Head) {
        self.scale.put(row, head.scale);
        self.minimum.put(row, head.minimum);
        let (scales, minima) = head.unpack();
        for block in 0..8 {
            self.scales[block].put(row, scales[block]);
            self.minima[block].put(row, minima[block]);
        }
    }

    /// Scale and minimum of a 32-block; the minimum is subtracted.
    #[inline]
    pub(crate) fn get(&self, row: usize, block: usize) -> (f32, f32) {
        let scale = self.scale.get(row) * f32::from(self.scales[block].get(row));
        (scale, self.minimum.get(row) * f32::from(self.minima[block].get(row)))
    }

    #[inline(always)]
    pub(crate) unsafe fn scale<I: Isa>(this: *const Self, block: usize, lane: usize) -> I::Floats {
        let scale = Halves::load::<I>(&raw const (*this).scale, 0, lane);
        I::mul(scale, Small::load::<I>((&raw const (*this).scales).cast(), block, lane))
    }

    /// The minimum as it is added, with its sign turned.
    #[inline(always)]
    pub(crate) unsafe fn minimum<I: Isa>(this: *const Self, block: usize, lane: usize) -> I::Floats {
        let minimum = I::sub(I::splat(0.0), Halves::load::<I>(&raw const (*this).minimum, 0, lane));
        I::mul(minimum, Small::load::<I>((&raw const (*this).minima).cast(), block, lane))
    }
}

/// The nibbles of 32-block `block` of 128 bytes: of each 32 bytes the low nibbles are one block, the high ones the
/// next. Byte `i` of the result has elements `i` and `i + 16`.
#[inline(always)]
pub(crate) fn nibbles(bytes: &[u8; 128], block: usize) -> [u8; 16] {
    let chunk = &bytes.as_chunks::<32>().0[block / 2];
    if block.is_multiple_of(2) {
        core::array::from_fn(|i| chunk[i] & 15 | chunk[16 + i] << 4)
    } else {
        core::array::from_fn(|i| chunk[i] >> 4 | chunk[16 + i] & 0xf0)
    }
}
