//! The codebooks of the IQ1, IQ2 and IQ3 formats: which points of a lattice an index stands for.
//!
//! `codebooks.bin` holds them as little-endian `u16`, one for each point: eight coordinates of two bits for IQ1
//! and IQ2, four of four bits for IQ3. `tests/make_codebooks.py` writes it from the tables of the Python
//! package `gguf`.

const BYTES: &[u8; 2 * 4608] = include_bytes!("codebooks.bin");

pub(super) static IQ2_XXS: [u16; 256] = book(0);
pub(super) static IQ2_XS: [u16; 512] = book(256);
pub(super) static IQ2_S: [u16; 1024] = book(768);
pub(super) static IQ1: [u16; 2048] = book(1792);
pub(super) static IQ3_XXS: [u16; 256] = book(3840);
pub(super) static IQ3_S: [u16; 512] = book(4096);

const fn book<const N: usize>(start: usize) -> [u16; N] {
    let mut points = [0; N];
    let mut i = 0;
    while i < N {
        let at = 2 * (start + i);
        points[i] = u16::from_le_bytes([BYTES[at], BYTES[at + 1]]);
        i += 1;
    }
    points
}

/// The signs of eight numbers, given those of seven: an even number of them is negative.
#[inline(always)]
pub(super) fn even_signs(seven: u8) -> u8 {
    let seven = seven & 127;
    seven | ((seven.count_ones() & 1) as u8) << 7
}

/// `factor` times each value, negated where the sign's bit is set.
#[inline(always)]
pub(super) fn write_signed(factor: f32, values: [i32; 8], signs: u8, out: &mut [f32; 8]) {
    for i in 0..8 {
        let product = factor * values[i] as f32;
        // The sign bit is flipped without a branch.
        out[i] = f32::from_bits(product.to_bits() ^ (u32::from(signs) >> i & 1) << 31);
    }
}
