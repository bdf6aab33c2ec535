//! From blocks to `f32`: the choice of decoder, and the loop that all of them share.

use super::{
    BlockFormat, float, fp4, iq1, iq2, iq3, iq4, q1_0, q2_0, q2_k, q3_k, q4_0, q4_1, q4_k, q5_0, q5_1, q5_k,
    q6_k, q8_0, ternary,
};
use crate::endian::{BigEndian, ByteOrder, Endian, LittleEndian};

/// Why blocks weren't decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// There is no decoder for the format; [`BlockFormat::can_decode`] says so beforehand.
    #[error("{format} has no decoder to f32")]
    NoDecoder {
        /// The format.
        format: BlockFormat,
    },
    /// The input isn't a whole number of blocks.
    #[error("{bytes} bytes are not whole blocks of {format}, which take {block_bytes}")]
    PartialBlock {
        /// The format.
        format: BlockFormat,
        /// Bytes given.
        bytes: usize,
        /// Bytes in a block.
        block_bytes: usize,
    },
    /// Input and output don't hold the same number of elements.
    #[error("{bytes} bytes of {format} are {elements} elements and the output holds {output}")]
    OutputLength {
        /// The format.
        format: BlockFormat,
        /// Bytes given.
        bytes: usize,
        /// Elements in them.
        elements: usize,
        /// Elements that the output holds.
        output: usize,
    },
}

/// Runs a decoder over all blocks. Its array types are the layout's sizes, so the loop has no bounds to check; `pulp`
/// picks, at run time, the one compiled for the widest vectors that the processor has. The numbers are the same.
///
/// All of the loop has to end up in the function of `pulp`'s that has these vectors. So this is a macro, for a decoder
/// passed as a value is called through a function of its own; and the closure gives `out` away, for one that could be
/// called twice is, too.
macro_rules! each_block {
    ($blocks:expr, $out:expr, $decode:path) => {{
        let (blocks, out) = ($blocks.as_chunks().0, $out.as_chunks_mut().0);
        pulp::Arch::new().dispatch(
            #[inline(always)]
            move || {
                for (block, out) in blocks.iter().zip(out) {
                    $decode(block, out);
                }
            },
        )
    }};
}

impl BlockFormat {
    /// Whether [`BlockFormat::decode`] works for this format.
    pub const fn can_decode(self) -> bool {
        use BlockFormat as F;
        match self {
            F::F32 | F::F16 | F::BF16 => true,
            F::Q4_0 | F::Q4_1 | F::Q5_0 | F::Q5_1 | F::Q8_0 => true,
            F::Q2_K | F::Q3_K | F::Q4_K | F::Q5_K | F::Q6_K => true,
            F::IQ4_NL | F::IQ4_XS | F::TQ1_0 | F::TQ2_0 | F::MXFP4 | F::NVFP4 => true,
            F::IQ2_XXS | F::IQ2_XS | F::IQ2_S | F::IQ3_XXS | F::IQ3_S | F::IQ1_S | F::IQ1_M => true,
            F::Q1_0 | F::Q2_0 => true,
            F::Q8_1 | F::Q8_K => false,
            F::I8 | F::I16 | F::I32 | F::I64 | F::F64 => false,
        }
    }

    /// Decodes whole blocks of a little-endian file. `out` must hold exactly their elements.
    ///
    /// The numbers are those of `dequantize` in the Python package `gguf` (for Q1_0 and Q2_0, which it lacks, of
    /// ggml), bit for bit, as long as they are numbers: which NaN comes out of an operation on NaN or infinity is left to the processor.
    pub fn decode(self, blocks: &[u8], out: &mut [f32]) -> Result<(), DecodeError> {
        self.decode_in::<LittleEndian>(blocks, out)
    }

    /// As [`BlockFormat::decode`], for a file of either byte order.
    pub fn decode_endian(self, endian: Endian, blocks: &[u8], out: &mut [f32]) -> Result<(), DecodeError> {
        match endian {
            Endian::Little => self.decode_in::<LittleEndian>(blocks, out),
            Endian::Big => self.decode_in::<BigEndian>(blocks, out),
        }
    }

    fn decode_in<O: ByteOrder>(self, blocks: &[u8], out: &mut [f32]) -> Result<(), DecodeError> {
        use BlockFormat as F;
        self.check_lengths(blocks, out)?;
        match self {
            F::F32 => each_block!(blocks, out, float::f32::<O>),
            F::F16 => each_block!(blocks, out, float::f16::<O>),
            F::BF16 => each_block!(blocks, out, float::bf16::<O>),
            F::Q4_0 => each_block!(blocks, out, q4_0::decode::<O>),
            F::Q4_1 => each_block!(blocks, out, q4_1::decode::<O>),
            F::Q5_0 => each_block!(blocks, out, q5_0::decode::<O>),
            F::Q5_1 => each_block!(blocks, out, q5_1::decode::<O>),
            F::Q8_0 => each_block!(blocks, out, q8_0::decode::<O>),
            F::Q2_K => each_block!(blocks, out, q2_k::decode::<O>),
            F::Q3_K => each_block!(blocks, out, q3_k::decode::<O>),
            F::Q4_K => each_block!(blocks, out, q4_k::decode::<O>),
            F::Q5_K => each_block!(blocks, out, q5_k::decode::<O>),
            F::Q6_K => each_block!(blocks, out, q6_k::decode::<O>),
            F::IQ1_S => each_block!(blocks, out, iq1::decode_s::<O>),
            F::IQ1_M => each_block!(blocks, out, iq1::decode_m::<O>),
            F::IQ2_XXS => each_block!(blocks, out, iq2::decode_xxs::<O>),
            F::IQ2_XS => each_block!(blocks, out, iq2::decode_xs::<O>),
            F::IQ2_S => each_block!(blocks, out, iq2::decode_s::<O>),
            F::IQ3_XXS => each_block!(blocks, out, iq3::decode_xxs::<O>),
            F::IQ3_S => each_block!(blocks, out, iq3::decode_s::<O>),
            F::IQ4_NL => each_block!(blocks, out, iq4::decode_nl::<O>),
            F::IQ4_XS => each_block!(blocks, out, iq4::decode_xs::<O>),
            F::TQ1_0 => each_block!(blocks, out, ternary::decode_tq1::<O>),
            F::TQ2_0 => each_block!(blocks, out, ternary::decode_tq2::<O>),
            F::MXFP4 => each_block!(blocks, out, fp4::decode_mx),
            F::NVFP4 => each_block!(blocks, out, fp4::decode_nv),
            F::Q1_0 => each_block!(blocks, out, q1_0::decode::<O>),
            F::Q2_0 => each_block!(blocks, out, q2_0::decode::<O>),
            F::Q8_1 | F::Q8_K => return Err(DecodeError::NoDecoder { format: self }),
            F::I8 | F::I16 | F::I32 | F::I64 | F::F64 => {
                return Err(DecodeError::NoDecoder { format: self });
            }
        }
        Ok(())
    }

    fn check_lengths(self, blocks: &[u8], out: &[f32]) -> Result<(), DecodeError> {
        // Both are at most 292.
        let block_bytes = self.block_bytes() as usize;
        let block_elements = self.block_elements() as usize;
        let bytes = blocks.len();
        if !bytes.is_multiple_of(block_bytes) {
            return Err(DecodeError::PartialBlock { format: self, bytes, block_bytes });
        }
        let elements = (bytes / block_bytes).saturating_mul(block_elements);
        if elements != out.len() {
            return Err(DecodeError::OutputLength { format: self, bytes, elements, output: out.len() });
        }
        Ok(())
    }
}
