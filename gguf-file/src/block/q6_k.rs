//! Q6_K: 128 bytes of two nibbles, 64 bytes of four 2-bit tops, 16 `i8` scales, `d: f16`. Each half of the
//! block is 128 elements from 64 bytes of nibbles (low ones first) and 32 bytes of tops. Values are
//! `d·scale · (q - 32)`.

use super::half_float::f16;
use super::split::split;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn decode<O: ByteOrder>(block: &[u8; 210], out: &mut [f32; 256]) {
    let (nibbles, rest) = split::<128, 82, 210>(block);
    let (tops, rest) = split::<64, 18, 82>(rest);
    let (scales, d) = split::<16, 2, 18>(rest);
    let d = f16::<O>(*d);
    let (nibbles, _) = nibbles.as_chunks::<32>();
    let (tops, _) = tops.as_chunks::<32>();
    let (rows, _) = out.as_chunks_mut::<16>();
    for (group, (row, scale)) in rows.iter_mut().zip(scales).enumerate() {
        let scaled = d * f32::from(*scale as i8);
        let (half, quarter, start) = (group / 8, group % 8 / 2, 16 * (group % 2));
        let nibbles = &nibbles[2 * half + quarter % 2];
        let tops = &tops[half];
        for i in start..start + 16 {
            let quant = (nibbles[i] >> (4 * (quarter / 2))) & 15 | ((tops[i] >> (2 * quarter)) & 3) << 4;
            row[i - start] = scaled * (i32::from(quant) - 32) as f32;
        }
    }
}
