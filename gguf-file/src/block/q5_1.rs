//! Q5_1: `d: f16`, `m: f16`, then as Q5_0. Values are `d · bits + m`.

use super::half_float::f16;
use super::q5_0::join_high;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn decode<O: ByteOrder>(block: &[u8; 24], out: &mut [f32; 32]) {
    let [d0, d1, m0, m1, h0, h1, h2, h3, nibbles @ ..] = block;
    let d = f16::<O>([*d0, *d1]);
    let m = f16::<O>([*m0, *m1]);
    let quants = join_high(O::u32([*h0, *h1, *h2, *h3]), nibbles);
    for i in 0..32 {
        out[i] = d * f32::from(quants[i]) + m;
    }
}
