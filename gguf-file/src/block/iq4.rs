//! IQ4_NL and IQ4_XS: nibbles that stand for sixteen unevenly spaced values.

use super::half_float::f16;
use super::split::split;
use crate::endian::ByteOrder;

/// What a nibble stands for.
const VALUES: [f32; 16] = [
    -127.0, -104.0, -83.0, -65.0, -49.0, -35.0, -22.0, -10.0, 1.0, 13.0, 25.0, 38.0, 53.0, 69.0, 89.0, 113.0,
];

/// IQ4_NL: `d: f16`, 16 bytes of two nibbles as in Q4_0.
#[inline(always)]
pub(super) fn decode_nl<O: ByteOrder>(block: &[u8; 18], out: &mut [f32; 32]) {
    let [d0, d1, nibbles @ ..] = block;
    scale_values(f16::<O>([*d0, *d1]), nibbles, out);
}

/// IQ4_XS: `d: f16`, `high: u16` with the top two bits of eight 6-bit scales, 4 bytes with the low four of
/// each, then eight times 16 bytes as in IQ4_NL. A group's factor is `d · (scale - 32)`.
#[inline(always)]
pub(super) fn decode_xs<O: ByteOrder>(block: &[u8; 136], out: &mut [f32; 256]) {
    let ([d0, d1, h0, h1], rest) = split::<4, 132, 136>(block);
    let (low, nibbles) = split::<4, 128, 132>(rest);
    let d = f16::<O>([*d0, *d1]);
    let high = O::u16([*h0, *h1]);
    let (nibbles, _) = nibbles.as_chunks::<16>();
    let (rows, _) = out.as_chunks_mut::<32>();
    for (group, (row, nibbles)) in rows.iter_mut().zip(nibbles).enumerate() {
        let low = i32::from((low[group / 2] >> (4 * (group % 2))) & 15);
        let top = i32::from((high >> (2 * group)) & 3);
        scale_values(d * (low + 16 * top - 32) as f32, nibbles, row);
    }
}

#[inline(always)]
fn scale_values(factor: f32, nibbles: &[u8; 16], out: &mut [f32; 32]) {
    for i in 0..16 {
        out[i] = factor * VALUES[usize::from(nibbles[i] & 15)];
        out[i + 16] = factor * VALUES[usize::from(nibbles[i] >> 4)];
    }
}
