//! IEEE half precision to single, without a branch, so that loops over it vectorise on any processor and on
//! wasm, which has no instruction for it.

use crate::endian::ByteOrder;

/// Exact for every input, a NaN's payload included.
#[inline(always)]
pub(super) fn f32_from_f16_bits(half: u16) -> f32 {
    const EXPONENT: u32 = 0x7c00 << 13;
    const REBIAS: u32 = (127 - 15) << 23;
    let magnitude = (u32::from(half) & 0x7fff) << 13;
    let exponent = magnitude & EXPONENT;
    let normal = magnitude + REBIAS;
    let special = normal + REBIAS;
    // With the exponent one up, the implicit bit is there to be taken away again; the rest is exact.
    let smallest = f32::from_bits(REBIAS + (1 << 23));
    let subnormal = (f32::from_bits(normal + (1 << 23)) - smallest).to_bits();
    let bits = if exponent == EXPONENT { special } else { normal };
    let bits = if exponent == 0 { subnormal } else { bits };
    f32::from_bits(bits | (u32::from(half) & 0x8000) << 16)
}

/// A half as it stands in a block.
#[inline(always)]
pub(super) fn f16<O: ByteOrder>(bytes: [u8; 2]) -> f32 {
    f32_from_f16_bits(O::u16(bytes))
}

#[cfg(test)]
mod tests {
    use super::f32_from_f16_bits;

    #[test]
    fn every_half_becomes_what_the_half_crate_says() {
        for bits in 0..=u16::MAX {
            let ours = f32_from_f16_bits(bits);
            let theirs = half::f16::from_bits(bits).to_f32();
            assert_eq!(ours.is_nan(), theirs.is_nan(), "{bits:#06x}");
            if !ours.is_nan() {
                assert_eq!(ours.to_bits(), theirs.to_bits(), "{bits:#06x}");
            }
        }
    }
}
