//! Q5_K: as Q4_K with 32 bytes of fifth bits before the nibbles: bit `g` of byte `i` belongs to element
//! `32 g + i`.

use super::half_float::f16;
use super::k_scales;
use super::split::split;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn decode<O: ByteOrder>(block: &[u8; 176], out: &mut [f32; 256]) {
    let ([d0, d1, m0, m1], rest) = split::<4, 172, 176>(block);
    let (scales, rest) = split::<12, 160, 172>(rest);
    let (high, nibbles) = split::<32, 128, 160>(rest);
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
            let quant = (quarter[i] >> shift) & 15 | ((high[i] >> group) & 1) << 4;
            row[i] = scaled * f32::from(quant) - min;
        }
    }
}
