//! Q4_K: `d: f16`, `dmin: f16`, 12 bytes of scales and minima, 128 bytes of two nibbles. Each 32 bytes hold 64
//! elements, first the low nibbles, then the high ones. Values are `d·scale · q - dmin·min`.

use super::half_float::f16;
use super::k_scales;
use super::split::split;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn decode<O: ByteOrder>(block: &[u8; 144], out: &mut [f32; 256]) {
    let ([d0, d1, m0, m1], rest) = split::<4, 140, 144>(block);
    let (scales, nibbles) = split::<12, 128, 140>(rest);
    let d = f16::<O>([*d0, *d1]);
    let dmin = f16::<O>([*m0, *m1]);
    let (scales, minima) = k_scales::unpack(scales);
    let (quarters, _) = nibbles.as_chunks::<32>();
    let (rows, _) = out.as_chunks_mut::<32>();
    for (group, row) in rows.iter_mut().enumerate() {
        let scaled = d * f32::from(scales[group]);
        let min = dmin * f32::from(minima[group]);
        let (quarter, shift) = (&quarters[group / 2], 4 * (group % 2));
        for i in 0..32 {
            row[i] = scaled * f32::from((quarter[i] >> shift) & 15) - min;
        }
    }
}
