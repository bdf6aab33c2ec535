//! The cpu form's choice of tiles: which format the kernels are given a GGUF tensor in, and why some have none.

use crate::options::Weights;
use gguf_file::{BlockFormat, TensorInfo};
use studio_kernels::{TileFormat, abi::MAX_ROW};

/// How faithfully a tile format holds a tensor's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fidelity {
    /// It is the tensor's own format: every bit is kept.
    Kept,
    /// Another format, which has each of the values.
    Exact,
    /// Another format; each value is rounded to the nearest that it has.
    Rounded,
}

/// Why a tensor can't be made tiles of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TileError {
    /// Rows longer than the kernels take.
    #[error(
        "tensor {tensor}: its rows have {columns} values, the cpu form's kernels take at most {MAX_ROW}; export it with \
         --form stablehlo"
    )]
    TooLong {
        /// The tensor.
        tensor: String,
        /// Values of a row.
        columns: u64,
    },
    /// Rows that are no whole blocks of the tile format.
    #[error(
        "tensor {tensor}: its rows have {columns} values, tiles of {} take a multiple of {}; export it with \
         --weights bf16", .tile.ggml_name(), .tile.block_elements()
    )]
    PartialBlock {
        /// The tensor.
        tensor: String,
        /// Values of a row.
        columns: u64,
        /// The tile format.
        tile: TileFormat,
    },
    /// Tiles that its values can't be turned into.
    #[error("tensor {tensor}: there is no conversion from {format} to tiles of {}", .tile.ggml_name())]
    NoConversion {
        /// The tensor.
        tensor: String,
        /// Its format.
        format: BlockFormat,
        /// The tile format.
        tile: TileFormat,
    },
    /// A format without a decoder.
    #[error(
        "tensor {tensor}: its format {format} cannot be decoded yet; requantise the model with llama-quantize"
    )]
    Format {
        /// The tensor.
        tensor: String,
        /// Its format.
        format: BlockFormat,
    },
}

/// The tile format of a matrix, if it can have one: with [`Weights::Keep`] the one that loses nothing, or as little as
/// possible; else plain floats of the width asked for.
pub fn choose(tensor: &TensorInfo, weights: Weights) -> Result<TileFormat, TileError> {
    let tile = match weights {
        Weights::Keep => kept(tensor.format()),
        Weights::Bf16 => Some(TileFormat::BF16),
        Weights::F16 => Some(TileFormat::F16),
        Weights::F32 => Some(TileFormat::F32),
    };
    let no_decoder = || TileError::Format { tensor: tensor.name().to_owned(), format: tensor.format() };
    let tile = tile.filter(|_| tensor.format().can_decode()).ok_or_else(no_decoder)?;
    check(tensor, tile)?;
    Ok(tile)
}

/// Whether a matrix can be made tiles of a format.
pub(crate) fn check(tensor: &TensorInfo, tile: TileFormat) -> Result<(), TileError> {
    let (format, columns) = (tensor.format(), tensor.dims().first().copied().unwrap_or(1));
    let name = || tensor.name().to_owned();
    let plain = matches!(tile, TileFormat::F32 | TileFormat::F16 | TileFormat::BF16 | TileFormat::Q8_0);
    if !plain && kept(format) != Some(tile) {
        return Err(TileError::NoConversion { tensor: name(), format, tile });
    }
    if columns > MAX_ROW as u64 {
        return Err(TileError::TooLong { tensor: name(), columns });
    }
    if !columns.is_multiple_of(tile.block_elements() as u64) {
        return Err(TileError::PartialBlock { tensor: name(), columns, tile });
    }
    Ok(())
}

/// The tile format that keeps a GGUF format's values: its own, or the smallest that has each of them, or, where none
/// has, the finest of the quantised ones. `None` for formats that can't be decoded.
#[must_use]
pub fn kept(format: BlockFormat) -> Option<TileFormat> {
    use BlockFormat as F;
    Some(match format {
        F::Q4_0 => TileFormat::Q4_0,
        F::Q4_1 => TileFormat::Q4_1,
        F::Q5_0 => TileFormat::Q5_0,
        F::Q5_1 => TileFormat::Q5_1,
        F::Q8_0 => TileFormat::Q8_0,
        F::Q4_K => TileFormat::Q4_K,
        F::Q5_K => TileFormat::Q5_K,
        F::Q6_K => TileFormat::Q6_K,
        F::F16 => TileFormat::F16,
        F::BF16 => TileFormat::BF16,
        F::F32 => TileFormat::F32,
        // The same scales of 16 values each, fewer bits.
        F::Q3_K => TileFormat::Q6_K,
        // Whole multiples from -8 to 7 of one scale.
        F::TQ1_0 | F::TQ2_0 | F::Q1_0 | F::Q2_0 => TileFormat::Q4_0,
        // Whole multiples up to 127 of one scale: exact. The others are rounded.
        F::IQ4_NL => TileFormat::Q8_0,
        F::Q2_K | F::IQ4_XS | F::MXFP4 | F::NVFP4 => TileFormat::Q8_0,
        F::IQ1_S | F::IQ1_M | F::IQ2_XXS | F::IQ2_XS | F::IQ2_S | F::IQ3_XXS | F::IQ3_S => TileFormat::Q8_0,
        F::Q8_1 | F::Q8_K | F::I8 | F::I16 | F::I32 | F::I64 | F::F64 => return None,
    })
}

/// How faithfully tiles of a format hold values of a GGUF format.
#[must_use]
pub fn fidelity(format: BlockFormat, tile: TileFormat) -> Fidelity {
    use BlockFormat as F;
    if kept(format) == Some(tile) {
        return match format {
            F::Q3_K | F::TQ1_0 | F::TQ2_0 | F::Q1_0 | F::Q2_0 | F::IQ4_NL => Fidelity::Exact,
            _ if format.name() == tile.ggml_name() => Fidelity::Kept,
            _ => Fidelity::Rounded,
        };
    }
    match (format, tile) {
        // What is decoded is f32.
        (_, TileFormat::F32) => Fidelity::Exact,
        _ => Fidelity::Rounded,
    }
}
