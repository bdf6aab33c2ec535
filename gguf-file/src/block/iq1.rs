//! IQ1_S and IQ1_M: eight elements are a point of a codebook with coordinates -1, 0 or 1, all moved up or down by
//! an eighth. A group's factor is `d · (2 scale + 1)`.

use super::codebook;
use super::half_float::{f16, f32_from_f16_bits};
use super::split::split;
use crate::endian::ByteOrder;

/// IQ1_S: `d: f16`, 32 bytes of low index bits, then for each 32 elements a `u16` of four 3-bit index tops, a 3-bit
/// scale, and in the top bit which way the eighth goes.
#[inline(always)]
pub(super) fn decode_s<O: ByteOrder>(block: &[u8; 50], out: &mut [f32; 256]) {
    let (d, rest) = split::<2, 48, 50>(block);
    let (low, groups) = split::<32, 16, 48>(rest);
    let d = f16::<O>(*d);
    let (groups, _) = groups.as_chunks::<2>();
    let (eights, _) = out.as_chunks_mut::<8>();
    for (e, eight) in eights.iter_mut().enumerate() {
        let bits = O::u16(groups[e / 4]);
        let factor = d * f32::from(2 * (bits >> 12 & 7) + 1);
        let index = usize::from(low[e]) | usize::from(bits >> (3 * (e % 4)) & 7) << 8;
        write(factor, index, bits & 0x8000 != 0, eight);
    }
}

/// IQ1_M: 32 bytes of low index bits; 16 of two nibbles, each a 3-bit index top and which way the eighth goes; four
/// `u16` of four 3-bit scales, one for each 16 elements, whose top nibbles together are `d: f16`, lowest first.
#[inline(always)]
pub(super) fn decode_m<O: ByteOrder>(block: &[u8; 56], out: &mut [f32; 256]) {
    let (low, rest) = split::<32, 24, 56>(block);
    let (nibbles, scales) = split::<16, 8, 24>(rest);
    let [s0, s1, s2, s3, s4, s5, s6, s7] = *scales;
    let scales = [[s0, s1], [s2, s3], [s4, s5], [s6, s7]].map(O::u16);
    let d = scales[0] >> 12 | scales[1] >> 8 & 0xf0 | scales[2] >> 4 & 0xf00 | scales[3] & 0xf000;
    let d = f32_from_f16_bits(d);
    let (eights, _) = out.as_chunks_mut::<8>();
    for (e, eight) in eights.iter_mut().enumerate() {
        let nibble = nibbles[e / 2] >> (4 * (e % 2)) & 15;
        let factor = d * f32::from(2 * (scales[e / 8] >> (3 * (e / 2 % 4)) & 7) + 1);
        let index = usize::from(low[e]) | usize::from(nibble & 7) << 8;
        write(factor, index, nibble & 8 != 0, eight);
    }
}

#[inline(always)]
fn write(factor: f32, index: usize, down: bool, out: &mut [f32; 8]) {
    let point = codebook::IQ1[index];
    let shift = if down { -0.125 } else { 0.125 };
    for (i, out) in out.iter_mut().enumerate() {
        *out = factor * ((i32::from((point >> (2 * i)) & 3) - 1) as f32 + shift);
    }
}
