//! Q1_0: `d: f16`, 16 bytes of bits. Element `i` is bit `i % 8` of byte `i / 8`: `d` if it is set, else `-d`.

use super::half_float::f16;
use super::split::split;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn decode<O: ByteOrder>(block: &[u8; 18], out: &mut [f32; 128]) {
    let (d, bits) = split::<2, 16, 18>(block);
    let positive = f16::<O>(*d).to_bits();
    let (eights, _) = out.as_chunks_mut::<8>();
    for (eight, byte) in eights.iter_mut().zip(bits) {
        for (i, out) in eight.iter_mut().enumerate() {
            let clear = (u32::from(!byte) >> i) & 1;
            *out = f32::from_bits(positive ^ clear << 31);
        }
    }
}
