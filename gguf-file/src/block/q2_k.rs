//! Q2_K: 16 bytes of scale (low nibble) and minimum (high nibble), one for each 16 elements; 64 bytes of four
//! 2-bit numbers; `d: f16`, `dmin: f16`. Values are `d·scale · q - dmin·min`.

use super::half_float::f16;
use super::split::split;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn decode<O: ByteOrder>(block: &[u8; 84], out: &mut [f32; 256]) {
    let (scales, rest) = split::<16, 68, 84>(block);
    let (quants, [d0, d1, m0, m1]) = split::<64, 4, 68>(rest);
    let d = f16::<O>([*d0, *d1]);
    let dmin = f16::<O>([*m0, *m1]);
    let (halves, _) = quants.as_chunks::<32>();
    let (rows, _) = out.as_chunks_mut::<16>();
    for (group, (row, scale)) in rows.iter_mut().zip(scales).enumerate() {
        let scaled = d * f32::from(scale & 15);
        let min = dmin * f32::from(scale >> 4);
        // Eight groups to each 32 bytes: two of 16 elements for each pair of bits.
        let (half, shift, start) = (&halves[group / 8], 2 * (group % 8 / 2), 16 * (group % 2));
        for i in 0..16 {
            row[i] = scaled * f32::from((half[start + i] >> shift) & 3) - min;
        }
    }
}
