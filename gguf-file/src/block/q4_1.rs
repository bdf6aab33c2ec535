//! Q4_1: `d: f16`, `m: f16`, 16 bytes of two nibbles as in Q4_0. Values are `d · nibble + m`.

use super::half_float::f16;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn decode<O: ByteOrder>(block: &[u8; 20], out: &mut [f32; 32]) {
    let [d0, d1, m0, m1, nibbles @ ..] = block;
    let d = f16::<O>([*d0, *d1]);
    let m = f16::<O>([*m0, *m1]);
    for i in 0..16 {
        out[i] = d * f32::from(nibbles[i] & 15) + m;
        out[i + 16] = d * f32::from(nibbles[i] >> 4) + m;
    }
}
