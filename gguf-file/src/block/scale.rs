//! The scale of a block, for those who look at how a tensor was quantised.

use super::BlockFormat;
use super::half_float::f32_from_f16_bits;
use crate::endian::Endian;

impl BlockFormat {
    /// The bytes before a block's `d: f16`, in formats that have one `d` a block.
    const fn scale_offset(self) -> Option<usize> {
        use BlockFormat as F;
        match self {
            F::Q4_0 | F::Q4_1 | F::Q5_0 | F::Q5_1 | F::Q8_0 | F::Q1_0 | F::Q2_0 => Some(0),
            F::Q4_K | F::Q5_K | F::IQ4_NL | F::IQ4_XS => Some(0),
            F::IQ2_XXS | F::IQ2_XS | F::IQ2_S | F::IQ3_XXS | F::IQ3_S | F::IQ1_S => Some(0),
            F::TQ1_0 => Some(52),
            F::TQ2_0 => Some(64),
            F::Q2_K => Some(80),
            F::Q3_K => Some(108),
            F::Q6_K => Some(208),
            // Its bits are spread over those of other scales; the 4-bit floats have exponents.
            F::IQ1_M | F::MXFP4 | F::NVFP4 => None,
            F::Q8_1 | F::Q8_K => None,
            F::F32 | F::F16 | F::BF16 | F::I8 | F::I16 | F::I32 | F::I64 | F::F64 => None,
        }
    }

    /// The `d` of a block of a file of this byte order: what all of the block's values are multiples of, or its other
    /// scales. `None` where the format has no such number, or `block` isn't one.
    pub fn block_scale(self, endian: Endian, block: &[u8]) -> Option<f32> {
        if block.len() as u64 != self.block_bytes() {
            return None;
        }
        let offset = self.scale_offset()?;
        let bytes = [*block.get(offset)?, *block.get(offset + 1)?];
        Some(f32_from_f16_bits(match endian {
            Endian::Little => u16::from_le_bytes(bytes),
            Endian::Big => u16::from_be_bytes(bytes),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Doubling `d` alone must change what a block decodes to, wherever the offset says that it is; and no other pair
    /// of bytes does so by exactly two for every element of a block without minima.
    #[test]
    fn the_scale_is_what_all_values_are_multiplied_by() {
        for &format in BlockFormat::ALL {
            let Some(offset) = format.scale_offset() else { continue };
            let mut block: Vec<u8> = (0..format.block_bytes()).map(|byte| (byte * 37 % 64) as u8).collect();
            let mut decoded = |scale: f32| {
                let bits = half::f16::from_f32(scale).to_le_bytes();
                block[offset..offset + 2].copy_from_slice(&bits);
                // A minimum of zero, where there is one beside the scale.
                match format {
                    BlockFormat::Q4_1 | BlockFormat::Q5_1 | BlockFormat::Q4_K | BlockFormat::Q5_K => {
                        block[2..4].fill(0);
                    }
                    BlockFormat::Q2_K => block[82..84].fill(0),
                    _ => {}
                }
                assert_eq!(format.block_scale(Endian::Little, &block), Some(scale), "{format}");
                let mut out = vec![0.0; format.block_elements() as usize];
                format.decode(&block, &mut out).unwrap();
                out
            };
            let (once, twice) = (decoded(0.5), decoded(1.0));
            assert!(once.iter().any(|value| *value != 0.0), "{format}");
            assert!(once.iter().zip(&twice).all(|(a, b)| 2.0 * a == *b), "{format}");
        }
    }
}
