//! IQ3_XXS and IQ3_S: four elements are a point of a codebook, eight share a byte of signs.

use super::codebook::{self, even_signs, write_signed};
use super::half_float::f16;
use super::split::split;
use crate::endian::ByteOrder;

/// IQ3_XXS: `d: f16`, 64 bytes of index, then for each 32 elements a `u32` as in IQ2_XXS. A group's factor is
/// `d · (1/2 + scale) / 2`; coordinates are 4, 12, 20, 28, 36, 44, 52 or 62.
#[inline(always)]
pub(super) fn decode_xxs<O: ByteOrder>(block: &[u8; 98], out: &mut [f32; 256]) {
    let (d, rest) = split::<2, 96, 98>(block);
    let (indices, groups) = split::<64, 32, 96>(rest);
    let d = f16::<O>(*d);
    let (indices, _) = indices.as_chunks::<2>();
    let (groups, _) = groups.as_chunks::<4>();
    let (eights, _) = out.as_chunks_mut::<8>();
    for (e, (eight, pair)) in eights.iter_mut().zip(indices).enumerate() {
        let bits = O::u32(groups[e / 4]);
        let factor = d * (0.5 + (bits >> 28) as f32) * 0.5;
        let signs = even_signs((bits >> (7 * (e % 4))) as u8);
        let points = pair.map(|index| codebook::IQ3_XXS[usize::from(index)]);
        let values = codes(points).map(|code| 4 + 8 * code + 2 * ((code + 1) >> 3));
        write_signed(factor, values, signs, eight);
    }
}

/// IQ3_S: `d: f16`, 64 bytes of low index bits, 8 of ninth bits, 32 of signs, 4 of two 4-bit scales, one for
/// each 32 elements. A group's factor is `d · (1 + 2 scale)`; coordinates are odd, 1 to 15.
#[inline(always)]
pub(super) fn decode_s<O: ByteOrder>(block: &[u8; 110], out: &mut [f32; 256]) {
    let (d, rest) = split::<2, 108, 110>(block);
    let (low, rest) = split::<64, 44, 108>(rest);
    let (tops, rest) = split::<8, 36, 44>(rest);
    let (signs, scales) = split::<32, 4, 36>(rest);
    let d = f16::<O>(*d);
    let (low, _) = low.as_chunks::<2>();
    let (eights, _) = out.as_chunks_mut::<8>();
    for (e, (eight, [first, second])) in eights.iter_mut().zip(low).enumerate() {
        let scale = (scales[e / 8] >> (4 * (e / 4 % 2))) & 15;
        let tops = tops[e / 4] >> (2 * (e % 4));
        let first = usize::from(*first) | usize::from(tops & 1) << 8;
        let second = usize::from(*second) | usize::from(tops >> 1 & 1) << 8;
        let values = codes([codebook::IQ3_S[first], codebook::IQ3_S[second]]).map(|code| 1 + 2 * code);
        write_signed(d * f32::from(1 + 2 * scale), values, signs[e], eight);
    }
}

/// The codes of two points, four bits each.
#[inline(always)]
fn codes(points: [u16; 2]) -> [i32; 8] {
    let both = u32::from(points[0]) | u32::from(points[1]) << 16;
    std::array::from_fn(|i| (both >> (4 * i) & 15) as i32)
}
