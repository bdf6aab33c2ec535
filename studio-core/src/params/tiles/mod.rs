//! Turns a GGUF tensor into tiles, as the kernels stream them: a panel of tiles at a time, so that what is held in memory
//! doesn't grow with the tensor.

mod requantise;
mod swap;
mod tiler;

pub(super) use tiler::Tiler;

use super::plan::TensorSource;
use crate::tiles::{Fidelity, fidelity};
use gguf_file::Endian;
use studio_kernels::TileFormat;

/// How a tensor of the GGUF becomes tiles.
#[derive(Debug, Clone, PartialEq)]
pub struct TileConversion {
    /// The tensor.
    pub source: TensorSource,
    /// The tiles' format.
    pub format: TileFormat,
}

impl TileConversion {
    /// How faithfully the tiles hold the tensor's values.
    #[must_use]
    pub fn fidelity(&self) -> Fidelity {
        fidelity(self.source.format, self.format)
    }

    /// Bytes of a tile.
    fn tile_bytes(&self) -> u64 {
        // The plan refuses rows whose tiles would be larger than a few megabytes.
        self.format.tile_bytes(self.source.columns as usize) as u64
    }

    /// Whether blocks are packed as they are, but for the order of their bytes.
    fn keeps_blocks(&self) -> bool {
        self.source.format.name() == self.format.ggml_name()
    }

    /// Whether blocks are packed as they are.
    fn keeps_bytes(&self) -> bool {
        self.keeps_blocks() && self.source.endian == Endian::Little
    }

    /// Bytes of a row in the tiles' format.
    fn packed_row_bytes(&self) -> usize {
        self.source.columns as usize / self.format.block_elements() * self.format.block_bytes()
    }

    /// The start of the tile that the byte `byte` of the entry is in.
    pub(super) fn panel_start(&self, byte: u64) -> u64 {
        byte - byte % self.tile_bytes()
    }
}
