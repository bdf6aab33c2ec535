//! TQ1_0 and TQ2_0: numbers that are -1, 0 or 1, with one scale for 256.

use super::half_float::f16;
use super::split::split;
use crate::endian::ByteOrder;

const POWERS_OF_3: [u8; 5] = [1, 3, 9, 27, 81];

/// TQ1_0: 48 bytes of five ternary digits, 4 bytes of four, `d: f16`. The first 32 bytes hold the first 160
/// elements, one digit of each byte after the other; the next 16 hold 80 and the 4 hold 16.
#[inline(always)]
pub(super) fn decode_tq1<O: ByteOrder>(block: &[u8; 54], out: &mut [f32; 256]) {
    let (first, rest) = split::<32, 22, 54>(block);
    let (second, rest) = split::<16, 6, 22>(rest);
    let (third, d) = split::<4, 2, 6>(rest);
    let d = f16::<O>(*d);
    let mut out = out.iter_mut();
    digits(d, first, &POWERS_OF_3, &mut out);
    digits(d, second, &POWERS_OF_3, &mut out);
    digits(d, third, &POWERS_OF_3[..4], &mut out);
}

/// A byte is a fraction of 256 in base 3: multiplied by 3ⁿ modulo 256, its first digit is digit `n`.
#[inline(always)]
fn digits(d: f32, bytes: &[u8], powers: &[u8], out: &mut std::slice::IterMut<'_, f32>) {
    for power in powers {
        for (byte, out) in bytes.iter().zip(out.by_ref()) {
            let digit = (u16::from(byte.wrapping_mul(*power)) * 3) >> 8;
            *out = d * (i32::from(digit) - 1) as f32;
        }
    }
}

/// TQ2_0: 64 bytes of four 2-bit numbers as in Q2_K, `d: f16`. Values are `d · (q - 1)`.
#[inline(always)]
pub(super) fn decode_tq2<O: ByteOrder>(block: &[u8; 66], out: &mut [f32; 256]) {
    let (quants, d) = split::<64, 2, 66>(block);
    let d = f16::<O>(*d);
    let (halves, _) = quants.as_chunks::<32>();
    let (rows, _) = out.as_chunks_mut::<32>();
    for (group, row) in rows.iter_mut().enumerate() {
        for i in 0..32 {
            let quant = (halves[group / 4][i] >> (2 * (group % 4))) & 3;
            row[i] = d * (i32::from(quant) - 1) as f32;
        }
    }
}
