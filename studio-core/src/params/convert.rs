//! Turns a GGUF tensor into an archive entry, a panel of the output at a time: decode blocks, reorder rows,
//! transpose, round. What is held in memory doesn't grow with the tensor: one that is larger than the budget is
//! read again for each panel.

use super::element::{Bf16, Bits, F16, F32, Float, size_bytes, to_bits, to_bytes};
use super::plan::TensorConversion;
use super::stream::StreamError;
use super::transpose::{Row, TILE_COLUMNS, TILE_ROWS, Target, Turn, turn};
use super::window::Window;
use crate::graph::{ElementType, RowOrder};
use gguf_file::ReadAt;
use std::ops::Range;

/// How much memory a conversion may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of a tensor as stored in the GGUF that are held at a time.
    pub raw_bytes: u64,
    /// Bytes of output made at a time, as far as blocks allow. Small enough to be in the cache when it is hashed
    /// and written.
    pub panel_bytes: u64,
    /// Bytes of output made at a time, at most. A transposed matrix of large blocks and many rows wants more than
    /// `panel_bytes`, for each block is decoded as often as there are panels that it has a part in.
    pub panel_limit_bytes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { raw_bytes: 32 << 20, panel_bytes: 1 << 20, panel_limit_bytes: 24 << 20 }
    }
}

/// Buffers of a conversion, used again for every tensor.
pub(crate) struct Converter {
    budget: Budget,
    window: Window,
    raw: Vec<u8>,
    values: Vec<f32>,
    tile16: Vec<Row<u16>>,
    tile32: Vec<Row<u32>>,
}

/// A rectangle of the output matrix, contiguous in the archive.
struct Panel {
    rows: Range<u64>,
    columns: Range<u64>,
}

/// Where a conversion reads from and what it may use meanwhile.
struct Reader<'a> {
    conversion: &'a TensorConversion,
    sources: &'a [&'a dyn ReadAt],
    window: &'a mut Window,
    raw: &'a mut Vec<u8>,
    values: &'a mut Vec<f32>,
}

impl Converter {
    pub(crate) fn new(budget: Budget) -> Self {
        Self {
            budget,
            window: Window::new(budget.raw_bytes),
            raw: Vec::new(),
            values: Vec::new(),
            tile16: Vec::new(),
            tile32: Vec::new(),
        }
    }

    /// Replaces `panel` by the output that begins at element `first`, which is not past the last; never empty.
    pub(crate) fn fill(
        &mut self,
        conversion: &TensorConversion,
        first: u64,
        sources: &[&dyn ReadAt],
        panel: &mut Vec<u8>,
    ) -> Result<(), StreamError> {
        let at = panel_at(conversion, first, self.budget);
        let size = (at.rows.end - at.rows.start) * (at.columns.end - at.columns.start);
        // At most the budget's limit.
        panel.resize((size * size_bytes(conversion.element_type)) as usize, 0);
        let Self { window, raw, values, tile16, tile32, .. } = self;
        let mut reader = Reader { conversion, sources, window, raw, values };
        match conversion.element_type {
            ElementType::Bf16 => reader.fill::<Bf16>(at, panel, tile16),
            ElementType::F16 => reader.fill::<F16>(at, panel, tile16),
            ElementType::F32 => reader.fill::<F32>(at, panel, tile32),
            // The plan refuses these.
            ElementType::I32 | ElementType::I1 => Ok(()),
        }
    }
}

/// Chooses the panel that begins at element `first`.
fn panel_at(conversion: &TensorConversion, first: u64, budget: Budget) -> Panel {
    let block = conversion.format.block_elements();
    let element_bytes = size_bytes(conversion.element_type);
    let (rows, columns) = match (conversion.transpose, conversion.row_order) {
        (true, _) => (conversion.columns, conversion.rows),
        (false, RowOrder::RopeHalves { .. }) => (conversion.rows, conversion.columns),
        // Rows in their order are one long row.
        (false, RowOrder::AsStored) => (1, conversion.rows * conversion.columns),
    };
    let (row, column) = (first / columns, first % columns);
    let row_bytes = columns * element_bytes;
    if column > 0 || row_bytes > budget.panel_limit_bytes || rows == 1 {
        let wanted = (budget.panel_bytes / element_bytes).max(1);
        let whole_blocks = (wanted - wanted % block).max(block);
        let wanted = if conversion.transpose { wanted } else { whole_blocks };
        return Panel { rows: row..row + 1, columns: column..columns.min(column + wanted) };
    }
    let wanted = budget.panel_bytes / row_bytes;
    let count = match conversion.transpose {
        true if wanted >= block => wanted - wanted % block,
        true => (block - row % block).min(budget.panel_limit_bytes / row_bytes),
        false => wanted,
    };
    Panel { rows: row..rows.min(row + count.max(1)), columns: 0..columns }
}

impl Reader<'_> {
    fn fill<F: Float>(
        &mut self,
        at: Panel,
        panel: &mut [u8],
        tile: &mut Vec<Row<F::Bits>>,
    ) -> Result<(), StreamError>
    where
        F::Bits: Turn,
    {
        match (self.conversion.transpose, self.conversion.row_order) {
            (true, _) => self.fill_transposed::<F>(at, panel, tile),
            (false, RowOrder::RopeHalves { .. }) => self.fill_rows::<F>(at, panel),
            (false, RowOrder::AsStored) => self.fill_flat::<F>(at.columns, panel),
        }
    }

    /// The tensor's values `elements`, in its own order; they begin with a block.
    fn fill_flat<F: Float>(&mut self, elements: Range<u64>, panel: &mut [u8]) -> Result<(), StreamError> {
        let format = self.conversion.format;
        let blocks = elements.start / format.block_elements()..elements.end / format.block_elements();
        let length = (blocks.end - blocks.start) * format.block_bytes();
        self.conversion.read(blocks.start * format.block_bytes(), length, self.raw, self.sources)?;
        let chunk_bytes = TILE_COLUMNS * format.block_bytes() as usize / format.block_elements() as usize;
        let pieces = self.raw.chunks(chunk_bytes).zip(panel.chunks_mut(TILE_COLUMNS * F::Bits::SIZE));
        for (blocks, bytes) in pieces {
            let values = decode(self.conversion, blocks, self.values)?;
            to_bytes::<F>(values, bytes);
        }
        Ok(())
    }

    /// Rows in another order than the tensor's.
    fn fill_rows<F: Float>(&mut self, at: Panel, panel: &mut [u8]) -> Result<(), StreamError> {
        let columns = (at.columns.end - at.columns.start) as usize;
        for (row, bytes) in at.rows.zip(panel.chunks_mut(columns * F::Bits::SIZE)) {
            let row = self.conversion.source_row(row);
            let chunks = at.columns.clone().step_by(TILE_COLUMNS);
            for (start, bytes) in chunks.zip(bytes.chunks_mut(TILE_COLUMNS * F::Bits::SIZE)) {
                let end = at.columns.end.min(start + TILE_COLUMNS as u64);
                to_bytes::<F>(self.values(row, start..end)?, bytes);
            }
        }
        Ok(())
    }

    /// The panel's rows are columns of the tensor, its columns rows.
    fn fill_transposed<F: Float>(
        &mut self,
        at: Panel,
        panel: &mut [u8],
        tile: &mut Vec<Row<F::Bits>>,
    ) -> Result<(), StreamError>
    where
        F::Bits: Turn,
    {
        tile.resize(TILE_ROWS, [F::Bits::default(); TILE_COLUMNS]);
        let block = self.conversion.format.block_elements();
        let stride = (at.columns.end - at.columns.start) as usize * F::Bits::SIZE;
        for first in at.columns.clone().step_by(TILE_ROWS) {
            let rows = (at.columns.end - first).min(TILE_ROWS as u64) as usize;
            let mut start = at.rows.start;
            while start < at.rows.end {
                // To the end of the tile's blocks, so that no block is decoded for two tiles.
                let end = (start - start % block + TILE_COLUMNS as u64).min(at.rows.end);
                let count = (end - start) as usize;
                for (row, bits) in (first..).zip(tile[..rows].iter_mut()) {
                    let values = self.values(self.conversion.source_row(row), start..end)?;
                    to_bits::<F>(values, &mut bits[..count]);
                }
                let offset = (start - at.rows.start) as usize * stride
                    + (first - at.columns.start) as usize * F::Bits::SIZE;
                turn(&tile[..rows], count, panel, Target { offset, stride });
                start = end;
            }
        }
        Ok(())
    }

    /// Decodes some values of a row of the tensor, at most [`TILE_COLUMNS`].
    fn values(&mut self, row: u64, columns: Range<u64>) -> Result<&[f32], StreamError> {
        let block = self.conversion.format.block_elements();
        let blocks = columns.start / block..columns.end.div_ceil(block);
        let before = (columns.start - blocks.start * block) as usize;
        let count = (columns.end - columns.start) as usize;
        let bytes = self.window.blocks(self.conversion, row, blocks, self.sources)?;
        let values = decode(self.conversion, bytes, self.values)?;
        Ok(&values[before..before + count])
    }
}

fn decode<'a>(
    conversion: &TensorConversion,
    blocks: &[u8],
    values: &'a mut Vec<f32>,
) -> Result<&'a [f32], StreamError> {
    let format = conversion.format;
    let count = blocks.len() / format.block_bytes() as usize * format.block_elements() as usize;
    if values.len() < count {
        values.resize(count, 0.0);
    }
    let values = &mut values[..count];
    format
        .decode_endian(conversion.endian, blocks, values)
        .map_err(|source| StreamError::Decode { tensor: conversion.tensor.clone(), source })?;
    Ok(values)
}
