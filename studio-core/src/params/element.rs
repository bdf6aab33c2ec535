//! Element types of the archive: their sizes and names, and f32 values turned into their bytes.
//!
//! The loops have no branches and no calls, so that the compiler turns them into vector code; `pulp` picks, at run time,
//! the one compiled for the widest vectors that the processor has. They depend on nothing but IEEE arithmetic: a page
//! and a native binary write the same bytes.

use crate::graph::ElementType;

/// Bytes of one element in the archive.
#[must_use]
pub fn size_bytes(element_type: ElementType) -> u64 {
    match element_type {
        ElementType::I1 | ElementType::I8 => 1,
        ElementType::Bf16 | ElementType::F16 => 2,
        ElementType::F32 | ElementType::I32 => 4,
    }
}

/// The element type by the name that MLIR uses.
#[must_use]
pub fn mlir_name(element_type: ElementType) -> &'static str {
    match element_type {
        ElementType::Bf16 => "bf16",
        ElementType::F16 => "f16",
        ElementType::F32 => "f32",
        ElementType::I32 => "i32",
        ElementType::I8 => "i8",
        ElementType::I1 => "i1",
    }
}

/// The element type by the name that a safetensors header uses.
#[must_use]
pub fn safetensors_name(element_type: ElementType) -> &'static str {
    match element_type {
        ElementType::Bf16 => "BF16",
        ElementType::F16 => "F16",
        ElementType::F32 => "F32",
        ElementType::I32 => "I32",
        ElementType::I8 => "I8",
        ElementType::I1 => "BOOL",
    }
}

/// A float format that weights are stored in.
pub(crate) trait Float {
    /// Bytes of a value, 2 or 4.
    const SIZE: usize;
    /// The bits of the format's nearest value, ties to even, in the low bytes; a NaN stays a NaN.
    fn bits(value: f32) -> u32;
}

/// bfloat16
pub(crate) struct Bf16;
/// IEEE half precision
pub(crate) struct F16;
/// IEEE single precision
pub(crate) struct F32;

impl Float for Bf16 {
    const SIZE: usize = 2;
    #[inline(always)]
    fn bits(value: f32) -> u32 {
        let bits = value.to_bits();
        // Adding half of the last kept place, less one when that place is even, rounds ties to even; a carry
        // into the exponent is the right result too.
        let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
        let quiet_nan = (bits >> 16) | 0x40;
        if bits & 0x7fff_ffff > 0x7f80_0000 { quiet_nan } else { rounded }
    }
}

impl Float for F16 {
    const SIZE: usize = 2;
    #[inline(always)]
    fn bits(value: f32) -> u32 {
        const SMALLEST_NORMAL: u32 = 113 << 23;
        const TOO_LARGE: u32 = 143 << 23;
        // 0.5, whose last place is the last place of f16's subnormals: the addition does the rounding.
        const SUBNORMAL_MAGIC: u32 = 126 << 23;
        let sign = value.to_bits() & 0x8000_0000;
        let magnitude = value.to_bits() ^ sign;
        let normal = magnitude.wrapping_add((0xfff + ((magnitude >> 13) & 1)).wrapping_sub(112 << 23)) >> 13;
        let subnormal = (f32::from_bits(magnitude) + f32::from_bits(SUBNORMAL_MAGIC))
            .to_bits()
            .wrapping_sub(SUBNORMAL_MAGIC);
        let special = if magnitude > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
        let small_or_normal = if magnitude < SMALLEST_NORMAL { subnormal } else { normal };
        let bits = if magnitude >= TOO_LARGE { special } else { small_or_normal };
        bits | (sign >> 16)
    }
}

impl Float for F32 {
    const SIZE: usize = 4;
    #[inline(always)]
    fn bits(value: f32) -> u32 {
        value.to_bits()
    }
}

/// Turns values into the file's bytes; `bytes` is as long as the values take.
pub(crate) fn to_bytes<F: Float>(values: &[f32], bytes: &mut [u8]) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            if F::SIZE == 2 {
                for (to, value) in bytes.as_chunks_mut::<2>().0.iter_mut().zip(values) {
                    *to = (F::bits(*value) as u16).to_le_bytes();
                }
            } else {
                for (to, value) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(values) {
                    *to = F::bits(*value).to_le_bytes();
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every exponent and sign with mantissas around each rounding boundary of both 16-bit formats.
    fn values() -> impl Iterator<Item = f32> {
        let mantissas: Vec<u32> = (0..=23)
            .flat_map(|bit| [0u32, 1, 0x7f_ffff].map(|low| (1u32 << bit).wrapping_add(low) & 0x7f_ffff))
            .chain((0..4096).map(|step| step * 0x7ff + (step & 1)))
            .map(|mantissa| mantissa & 0x7f_ffff)
            .collect();
        (0u32..512)
            .flat_map(move |high| mantissas.clone().into_iter().map(move |m| f32::from_bits(high << 23 | m)))
    }

    #[test]
    fn bf16_rounds_as_the_half_crate_does() {
        for value in values() {
            let expected = half::bf16::from_f32(value);
            assert_eq!(
                Bf16::bits(value),
                u32::from(expected.to_bits()),
                "{value:e} ({:#x})",
                value.to_bits()
            );
        }
    }

    #[test]
    fn f16_rounds_as_the_half_crate_does() {
        for value in values() {
            let expected = half::f16::from_f32(value);
            let got = half::f16::from_bits(F16::bits(value) as u16);
            if expected.is_nan() {
                assert!(got.is_nan() && got.is_sign_negative() == expected.is_sign_negative());
            } else {
                assert_eq!(got.to_bits(), expected.to_bits(), "{value:e} ({:#x})", value.to_bits());
            }
        }
    }

    #[test]
    fn bytes_are_little_endian() {
        let mut bytes = [0; 8];
        to_bytes::<F32>(&[1.0, -2.5], &mut bytes);
        assert_eq!(bytes, [0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0]);
        let mut bytes = [0; 4];
        to_bytes::<Bf16>(&[1.0, -2.5], &mut bytes);
        assert_eq!(bytes, [0x80, 0x3f, 0x20, 0xc0]);
    }
}
