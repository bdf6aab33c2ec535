//! IQ2_XXS, IQ2_XS, IQ2_S: eight elements are a point of a codebook with coordinates 8, 25 or 43, and eight
//! signs. A group's factor is `d · (1/2 + scale) / 4`, in that order.

use super::codebook::{self, even_signs, write_signed};
use super::half_float::f16;
use super::split::split;
use crate::endian::ByteOrder;

/// IQ2_XXS: `d: f16`, then for each 32 elements four bytes of index and a `u32` of four times seven signs and a
/// 4-bit scale.
#[inline(always)]
pub(super) fn decode_xxs<O: ByteOrder>(block: &[u8; 66], out: &mut [f32; 256]) {
    let (d, groups) = split::<2, 64, 66>(block);
    let d = f16::<O>(*d);
    let (groups, _) = groups.as_chunks::<8>();
    let (rows, _) = out.as_chunks_mut::<32>();
    for (row, group) in rows.iter_mut().zip(groups) {
        let (indices, bits) = split::<4, 4, 8>(group);
        let bits = O::u32(*bits);
        let factor = factor(d, (bits >> 28) as u8);
        let (eights, _) = row.as_chunks_mut::<8>();
        for (i, (eight, index)) in eights.iter_mut().zip(indices).enumerate() {
            let signs = even_signs((bits >> (7 * i)) as u8);
            write_signed(factor, point(codebook::IQ2_XXS[usize::from(*index)]), signs, eight);
        }
    }
}

/// IQ2_XS: `d: f16`, 32 `u16` of a 9-bit index and seven signs, 8 bytes of two 4-bit scales, one for each 16
/// elements.
#[inline(always)]
pub(super) fn decode_xs<O: ByteOrder>(block: &[u8; 74], out: &mut [f32; 256]) {
    let (d, rest) = split::<2, 72, 74>(block);
    let (entries, scales) = split::<64, 8, 72>(rest);
    let d = f16::<O>(*d);
    let (entries, _) = entries.as_chunks::<2>();
    let (eights, _) = out.as_chunks_mut::<8>();
    for (e, (eight, entry)) in eights.iter_mut().zip(entries).enumerate() {
        let entry = O::u16(*entry);
        let factor = factor(d, (scales[e / 4] >> (4 * (e / 2 % 2))) & 15);
        let signs = even_signs((entry >> 9) as u8);
        write_signed(factor, point(codebook::IQ2_XS[usize::from(entry & 511)]), signs, eight);
    }
}

/// IQ2_S: `d: f16`, 32 bytes of low index bits, 32 of signs, 8 of four 2-bit index tops, 8 of scales as in
/// IQ2_XS.
#[inline(always)]
pub(super) fn decode_s<O: ByteOrder>(block: &[u8; 82], out: &mut [f32; 256]) {
    let (d, rest) = split::<2, 80, 82>(block);
    let (low, rest) = split::<32, 48, 80>(rest);
    let (signs, rest) = split::<32, 16, 48>(rest);
    let (tops, scales) = split::<8, 8, 16>(rest);
    let d = f16::<O>(*d);
    let (eights, _) = out.as_chunks_mut::<8>();
    for (e, eight) in eights.iter_mut().enumerate() {
        let top = (tops[e / 4] >> (2 * (e % 4))) & 3;
        let index = usize::from(low[e]) | usize::from(top) << 8;
        let factor = factor(d, (scales[e / 4] >> (4 * (e / 2 % 2))) & 15);
        write_signed(factor, point(codebook::IQ2_S[index]), signs[e], eight);
    }
}

#[inline(always)]
fn factor(d: f32, scale: u8) -> f32 {
    d * (0.5 + f32::from(scale)) * 0.25
}

/// Codes 0, 1 and 2 are 8, 25 and 43.
#[inline(always)]
fn point(packed: u16) -> [i32; 8] {
    std::array::from_fn(|i| {
        let code = i32::from((packed >> (2 * i)) & 3);
        8 + 17 * code + (code >> 1)
    })
}
