//! Q4_0: `d: f16`, 16 bytes of two nibbles. Element `i` is the low nibble of byte `i`, element `i + 16` the
//! high one; its value `d · (nibble - 8)`.

use super::half_float::f16;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn decode<O: ByteOrder>(block: &[u8; 18], out: &mut [f32; 32]) {
    let [d0, d1, nibbles @ ..] = block;
    let d = f16::<O>([*d0, *d1]);
    for i in 0..16 {
        out[i] = d * (i32::from(nibbles[i] & 15) - 8) as f32;
        out[i + 16] = d * (i32::from(nibbles[i] >> 4) - 8) as f32;
    }
}
