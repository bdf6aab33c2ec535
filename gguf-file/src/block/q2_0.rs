//! Q2_0: `d: f16`, 16 bytes of four 2-bit numbers. Element `i` is in byte `i / 4`, lowest bits first; its value
//! `d · (q - 1)`.

use super::half_float::f16;
use super::split::split;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn decode<O: ByteOrder>(block: &[u8; 18], out: &mut [f32; 64]) {
    let (d, quants) = split::<2, 16, 18>(block);
    let d = f16::<O>(*d);
    let (fours, _) = out.as_chunks_mut::<4>();
    for (four, byte) in fours.iter_mut().zip(quants) {
        for (i, out) in four.iter_mut().enumerate() {
            *out = d * (i32::from((byte >> (2 * i)) & 3) - 1) as f32;
        }
    }
}
