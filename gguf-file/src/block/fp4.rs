//! MXFP4 and NVFP4: nibbles that are floats of one sign, two exponent and one mantissa bit.

use super::split::split;

/// Twice what a nibble stands for; the factors below are halved to make up for it.
const VALUES: [f32; 16] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 0.0, -1.0, -2.0, -3.0, -4.0, -6.0, -8.0, -12.0];

/// MXFP4: one byte of exponent, 16 bytes of two nibbles as in Q4_0.
#[inline(always)]
pub(super) fn decode_mx(block: &[u8; 17], out: &mut [f32; 32]) {
    let [exponent, nibbles @ ..] = block;
    let factor = half_of_e8m0(*exponent);
    for i in 0..16 {
        out[i] = factor * VALUES[usize::from(nibbles[i] & 15)];
        out[i + 16] = factor * VALUES[usize::from(nibbles[i] >> 4)];
    }
}

/// `2^(exponent - 127) / 2`, where the two smallest are subnormal.
#[inline(always)]
fn half_of_e8m0(exponent: u8) -> f32 {
    f32::from_bits(match exponent {
        0 => 0x0020_0000,
        1 => 0x0040_0000,
        _ => u32::from(exponent - 1) << 23,
    })
}

/// NVFP4: four bytes of scale, one for each 16 elements, then four times 8 bytes of two nibbles, the low ones
/// first.
#[inline(always)]
pub(super) fn decode_nv(block: &[u8; 36], out: &mut [f32; 64]) {
    let (scales, nibbles) = split::<4, 32, 36>(block);
    let (nibbles, _) = nibbles.as_chunks::<8>();
    let (rows, _) = out.as_chunks_mut::<16>();
    for ((row, nibbles), scale) in rows.iter_mut().zip(nibbles).zip(scales) {
        let factor = half_of_e4m3(*scale);
        for i in 0..8 {
            row[i] = factor * VALUES[usize::from(nibbles[i] & 15)];
            row[i + 8] = factor * VALUES[usize::from(nibbles[i] >> 4)];
        }
    }
}

/// Half of an unsigned float with four exponent bits (bias 7) and three mantissa bits, as ggml reads it: the top
/// bit is ignored, 0x7f is no number and counts as zero.
#[inline(always)]
fn half_of_e4m3(bits: u8) -> f32 {
    let exponent = u32::from(bits >> 3) & 15;
    let mantissa = u32::from(bits & 7);
    match (bits, exponent) {
        (0x7f, _) => 0.0,
        (_, 0) => mantissa as f32 * (1.0 / 1024.0),
        // One less than the bias difference of 120 halves the value.
        (_, _) => f32::from_bits((exponent + 119) << 23 | mantissa << 20),
    }
}
