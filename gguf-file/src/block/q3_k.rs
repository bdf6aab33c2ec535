//! Q3_K: 32 bytes of third bits, 64 bytes of four 2-bit numbers, 12 bytes of sixteen 6-bit scales, `d: f16`.
//! A third bit that is *not* set takes 4 away; values are `d·(scale - 32) · q`.

use super::half_float::f16;
use super::split::split;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn decode<O: ByteOrder>(block: &[u8; 110], out: &mut [f32; 256]) {
    let (high, rest) = split::<32, 78, 110>(block);
    let (quants, rest) = split::<64, 14, 78>(rest);
    let (scales, d) = split::<12, 2, 14>(rest);
    let d = f16::<O>(*d);
    let scales = unpack_scales(scales);
    let (halves, _) = quants.as_chunks::<32>();
    let (rows, _) = out.as_chunks_mut::<16>();
    for (group, (row, scale)) in rows.iter_mut().zip(scales).enumerate() {
        let scaled = d * f32::from(scale);
        let (half, shift, start) = (&halves[group / 8], 2 * (group % 8 / 2), 16 * (group % 2));
        let high_bit = group / 2;
        for i in 0..16 {
            let low = i32::from((half[start + i] >> shift) & 3);
            let high = i32::from((high[start + i] >> high_bit) & 1);
            row[i] = scaled * (low + 4 * high - 4) as f32;
        }
    }
}

/// The scales of the sixteen groups: four bits from the first eight bytes, two from the last four.
#[inline(always)]
fn unpack_scales(packed: &[u8; 12]) -> [i8; 16] {
    let mut scales = [0; 16];
    for i in 0..16 {
        let low = (packed[i % 8] >> (4 * (i / 8))) & 15;
        let high = (packed[8 + i % 4] >> (2 * (i / 4))) & 3;
        scales[i] = (low | high << 4) as i8 - 32;
    }
    scales
}
