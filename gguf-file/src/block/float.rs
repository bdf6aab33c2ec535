//! F32, F16, BF16: plain numbers, one to a block.

use super::half_float;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn f32<O: ByteOrder>(bytes: &[u8; 4], out: &mut [f32; 1]) {
    *out = [f32::from_bits(O::u32(*bytes))];
}

#[inline(always)]
pub(super) fn f16<O: ByteOrder>(bytes: &[u8; 2], out: &mut [f32; 1]) {
    *out = [half_float::f16::<O>(*bytes)];
}

#[inline(always)]
pub(super) fn bf16<O: ByteOrder>(bytes: &[u8; 2], out: &mut [f32; 1]) {
    *out = [f32::from_bits(u32::from(O::u16(*bytes)) << 16)];
}
