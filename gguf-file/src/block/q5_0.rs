//! Q5_0: `d: f16`, `high: u32`, 16 bytes of two nibbles as in Q4_0. Bit `i` of `high` is the fifth bit of
//! element `i`; values are `d · (bits - 16)`.

use super::half_float::f16;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn decode<O: ByteOrder>(block: &[u8; 22], out: &mut [f32; 32]) {
    let [d0, d1, h0, h1, h2, h3, nibbles @ ..] = block;
    let d = f16::<O>([*d0, *d1]);
    let quants = join_high(O::u32([*h0, *h1, *h2, *h3]), nibbles);
    for i in 0..32 {
        out[i] = d * (i32::from(quants[i]) - 16) as f32;
    }
}

/// Nibbles with their fifth bits, in the order of the elements.
#[inline(always)]
pub(super) fn join_high(high: u32, nibbles: &[u8; 16]) -> [u8; 32] {
    let mut quants = [0; 32];
    let high = high.to_le_bytes();
    for i in 0..16 {
        let low_bit = (high[i / 8] >> (i % 8)) & 1;
        let high_bit = (high[2 + i / 8] >> (i % 8)) & 1;
        quants[i] = nibbles[i] & 15 | low_bit << 4;
        quants[i + 16] = nibbles[i] >> 4 | high_bit << 4;
    }
    quants
}
