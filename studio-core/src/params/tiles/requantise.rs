//! Formats that no kernel reads, in one that some kernel does: with the same values where the target has them, with the
//! nearest otherwise.

use half::f16;

/// Values of a block of Q4_0 and Q8_0.
const BLOCK: usize = 32;
/// Values of a block of Q3_K and Q6_K.
const SUPER_BLOCK: usize = 256;

/// Writes values as blocks of Q8_0; `out` is as long as these take.
pub(super) fn q8_0(values: &[f32], out: &mut [u8]) {
    for (values, block) in values.as_chunks::<BLOCK>().0.iter().zip(out.as_chunks_mut::<34>().0) {
        let (scale, quants) = multiples::<-127, 127>(values);
        block[..2].copy_from_slice(&scale.to_le_bytes());
        for (byte, quant) in block[2..].iter_mut().zip(quants) {
            *byte = quant as u8;
        }
    }
}

/// Writes values as blocks of Q4_0; `out` is as long as these take.
pub(super) fn q4_0(values: &[f32], out: &mut [u8]) {
    for (values, block) in values.as_chunks::<BLOCK>().0.iter().zip(out.as_chunks_mut::<18>().0) {
        let (scale, quants) = multiples::<-8, 7>(values);
        block[..2].copy_from_slice(&scale.to_le_bytes());
        for (at, byte) in block[2..].iter_mut().enumerate() {
            let nibble = |quant: i8| (quant + 8) as u8;
            *byte = nibble(quants[at]) | nibble(quants[at + BLOCK / 2]) << 4;
        }
    }
}

/// A scale, and each value as a whole multiple of it from `LOW` to `HIGH`: exactly, where there is such a scale.
fn multiples<const LOW: i32, const HIGH: i32>(values: &[f32; BLOCK]) -> (f16, [i8; BLOCK]) {
    let magnitudes = || values.iter().map(|value| value.abs());
    if magnitudes().any(|magnitude| !magnitude.is_finite()) {
        return (f16::NAN, [0; BLOCK]);
    }
    let Some(least) = magnitudes().filter(|magnitude| *magnitude > 0.0).reduce(f32::min) else {
        return (f16::ZERO, [0; BLOCK]);
    };
    if let Some(exact) = (1..=HIGH).find_map(|count| exact::<LOW, HIGH>(values, least, count)) {
        return exact;
    }
    let greatest = magnitudes().fold(0.0, f32::max);
    // Past f16's range, the greatest scale is the nearest.
    let scale = f16::from_f32(greatest / HIGH as f32).min(f16::MAX);
    let quants = values.map(|value| {
        let quant = if scale == f16::ZERO { 0.0 } else { (value / scale.to_f32()).round() };
        quant.clamp(LOW as f32, HIGH as f32) as i8
    });
    (scale, quants)
}

/// The multiples of the scale of which the value `least` is `count` times, if that is a scale of all values.
fn exact<const LOW: i32, const HIGH: i32>(
    values: &[f32; BLOCK],
    least: f32,
    count: i32,
) -> Option<(f16, [i8; BLOCK])> {
    let scale = f16::from_f32(least / count as f32);
    let unit = scale.to_f32();
    // Products of 11 and 8 bits are exact.
    if unit * count as f32 != least || !unit.is_finite() {
        return None;
    }
    let mut quants = [0; BLOCK];
    for (quant, value) in quants.iter_mut().zip(values) {
        let multiple = (value / unit).round();
        if multiple * unit != *value || !(LOW as f32..=HIGH as f32).contains(&multiple) {
            return None;
        }
        *quant = multiple as i8;
    }
    Some((scale, quants))
}

/// Writes blocks of Q3_K as blocks of Q6_K with the same values, in the same byte order; `out` is as long as these take.
pub(super) fn q3_k_to_q6_k(blocks: &[u8], out: &mut [u8]) {
    for (block, out) in blocks.as_chunks::<110>().0.iter().zip(out.as_chunks_mut::<210>().0) {
        let (high, rest) = block.split_at(32);
        let (low, rest) = rest.split_at(64);
        let (scales, d) = rest.split_at(12);
        out.fill(0);
        for at in 0..SUPER_BLOCK {
            // Both formats have 128 values in each half, 32 in each quarter of it.
            let (half, quarter, place) = (at / 128, at % 128 / 32, at % 32);
            let two_bits = (low[32 * half + place] >> (2 * quarter)) & 3;
            let third_bit = (high[place] >> (at / 32)) & 1;
            // Q3_K takes 4 away, Q6_K 32.
            let quant = (two_bits | third_bit << 2) + 28;
            out[64 * half + 32 * (quarter % 2) + place] |= (quant & 15) << (4 * (quarter / 2));
            out[128 + 32 * half + place] |= (quant >> 4) << (2 * quarter);
        }
        for at in 0..16 {
            let four_bits = (scales[at % 8] >> (4 * (at / 8))) & 15;
            let two_bits = (scales[8 + at % 4] >> (2 * (at / 4))) & 3;
            out[192 + at] = (four_bits | two_bits << 4).wrapping_sub(32);
        }
        out[208..].copy_from_slice(d);
    }
}
