//! Turns a GGUF tensor into an archive entry, a panel of the output at a time: decode blocks, reorder rows,
//! transpose, round. What is held in memory doesn't grow with the tensor: one that is larger than the budget is
//! read again for each panel.

use super::element::{Bf16, F16, F32, Float, size_bytes, to_bytes};
use super::plan::TensorConversion;
use super::stream::{StreamError, buffer};
use super::transpose::{TILE_COLUMNS, Target, Tile, tile_rows};
use super::window::{WINDOW_BYTES, Window};
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
    /// Bytes of output made at a time, at most. A matrix that is transposed and too large to be held is read once for
    /// each panel, and a panel has to have whole rows of blocks: both want more than `panel_bytes`.
    pub panel_limit_bytes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { raw_bytes: 32 << 20, panel_bytes: 512 << 10, panel_limit_bytes: 24 << 20 }
    }
}

/// Buffers of a conversion, used again for every tensor.
pub(crate) struct Converter {
    window: Window,
    raw: Vec<u8>,
    values: Vec<f32>,
    tile: Tile,
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
    tile: &'a mut Tile,
}

impl Converter {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { window: Window::new(budget.raw_bytes), raw: Vec::new(), values: Vec::new(), tile: Tile::new() }
    }

    /// Fills the head of `panel` with the output that begins at element `first`, which is not past the last and which
    /// [`panel_start`] gave; not much more than `wanted_bytes`, of which there are some. Gives the bytes written, more
    /// than none.
    pub(crate) fn fill(
        &mut self,
        conversion: &TensorConversion,
        first: u64,
        wanted_bytes: u64,
        budget: Budget,
        sources: &[&dyn ReadAt],
        panel: &mut Vec<u8>,
    ) -> Result<usize, StreamError> {
        let at = panel_at(conversion, first, wanted_bytes, budget);
        let size = (at.rows.end - at.rows.start) * (at.columns.end - at.columns.start);
        // At most the budget's limit.
        let panel = buffer(panel, (size * size_bytes(conversion.element_type)) as usize);
        let Self { window, raw, values, tile, .. } = self;
        let mut reader = Reader { conversion, sources, window, raw, values, tile };
        match conversion.element_type {
            ElementType::Bf16 => reader.fill::<Bf16>(at, panel)?,
            ElementType::F16 => reader.fill::<F16>(at, panel)?,
            ElementType::F32 => reader.fill::<F32>(at, panel)?,
            // The plan refuses these.
            ElementType::I32 | ElementType::I8 | ElementType::I1 => {}
        }
        Ok(panel.len())
    }
}

/// Rows and columns of the output as panels see it: rows in their order are one long row.
fn output_matrix(conversion: &TensorConversion) -> (u64, u64) {
    match (conversion.transpose, conversion.source.row_order) {
        (true, _) => (conversion.source.columns, conversion.source.rows),
        (false, RowOrder::AsStored) => (1, conversion.source.rows * conversion.source.columns),
        (false, RowOrder::RopeHalves { .. } | RowOrder::PartialHalves { .. }) => {
            (conversion.source.rows, conversion.source.columns)
        }
    }
}

/// Whether panels are parts of a row rather than whole rows.
fn splits_rows(conversion: &TensorConversion, budget: Budget) -> bool {
    let (rows, columns) = output_matrix(conversion);
    rows == 1 || columns * size_bytes(conversion.element_type) > budget.panel_limit_bytes
}

/// The last element, not after `element`, that a panel may begin with. The element after a panel is one.
pub(crate) fn panel_start(conversion: &TensorConversion, element: u64, budget: Budget) -> u64 {
    let (_, columns) = output_matrix(conversion);
    let column = element % columns;
    let before = match (splits_rows(conversion, budget), conversion.transpose) {
        (true, true) => 0,
        (true, false) => column % conversion.source.format.block_elements(),
        (false, _) => column,
    };
    element - before
}

/// Chooses the panel that begins at element `first`, of whose rows no more than `wanted_bytes` are needed.
fn panel_at(conversion: &TensorConversion, first: u64, wanted_bytes: u64, budget: Budget) -> Panel {
    let block = conversion.source.format.block_elements();
    let element_bytes = size_bytes(conversion.element_type);
    let (rows, columns) = output_matrix(conversion);
    let (row, column) = (first / columns, first % columns);
    let row_bytes = columns * element_bytes;
    let panel_bytes = budget.panel_bytes.min(wanted_bytes);
    if splits_rows(conversion, budget) {
        let wanted = (panel_bytes / element_bytes).max(1);
        let whole_blocks = (wanted - wanted % block).max(block);
        let wanted = if conversion.transpose { wanted } else { whole_blocks };
        return Panel { rows: row..row + 1, columns: column..columns.min(column + wanted) };
    }
    let wanted = wanted_bytes.div_ceil(row_bytes);
    let count = if conversion.transpose {
        let most = budget.panel_limit_bytes / row_bytes;
        let raw_bytes = conversion.source.rows * conversion.source.columns / block
            * conversion.source.format.block_bytes();
        let cached = (panel_bytes / row_bytes).max(block);
        // A tensor that the window doesn't hold is read again for each panel.
        let together = if raw_bytes > WINDOW_BYTES { most } else { cached.min(most) }.min(wanted);
        // To the end of a block, which the next panel then doesn't decode again.
        let past = (row + together) % block;
        if past < together { together - past } else { together }
    } else {
        (panel_bytes / row_bytes).max(1)
    };
    Panel { rows: row..rows.min(row + count), columns: 0..columns }
}

impl Reader<'_> {
    fn fill<F: Float>(&mut self, at: Panel, panel: &mut [u8]) -> Result<(), StreamError> {
        match (self.conversion.transpose, self.conversion.source.row_order) {
            (true, _) => self.fill_transposed::<F>(at, panel),
            (false, RowOrder::RopeHalves { .. } | RowOrder::PartialHalves { .. }) => {
                self.fill_rows::<F>(at, panel)
            }
            (false, RowOrder::AsStored) => self.fill_flat::<F>(at.columns, panel),
        }
    }

    /// The tensor's values `elements`, in its own order; they begin with a block.
    fn fill_flat<F: Float>(&mut self, elements: Range<u64>, panel: &mut [u8]) -> Result<(), StreamError> {
        let format = self.conversion.source.format;
        let blocks = elements.start / format.block_elements()..elements.end / format.block_elements();
        let length = (blocks.end - blocks.start) * format.block_bytes();
        let offset = blocks.start * format.block_bytes();
        let raw = self.conversion.source.read(offset, length, self.raw, self.sources)?;
        let chunk_bytes = TILE_COLUMNS * format.block_bytes() as usize / format.block_elements() as usize;
        let pieces = raw.chunks(chunk_bytes).zip(panel.chunks_mut(TILE_COLUMNS * F::SIZE));
        for (blocks, bytes) in pieces {
            let values = decode(self.conversion, blocks, self.values)?;
            to_bytes::<F>(values, bytes);
        }
        Ok(())
    }

    /// Rows in another order than the tensor's.
    fn fill_rows<F: Float>(&mut self, at: Panel, panel: &mut [u8]) -> Result<(), StreamError> {
        let columns = (at.columns.end - at.columns.start) as usize;
        for (row, bytes) in at.rows.zip(panel.chunks_mut(columns * F::SIZE)) {
            let row = self.conversion.source.source_row(row);
            let chunks = at.columns.clone().step_by(TILE_COLUMNS);
            for (start, bytes) in chunks.zip(bytes.chunks_mut(TILE_COLUMNS * F::SIZE)) {
                let end = at.columns.end.min(start + TILE_COLUMNS as u64);
                to_bytes::<F>(self.values(row, start..end)?, bytes);
            }
        }
        Ok(())
    }

    /// The panel's rows are columns of the tensor, its columns rows.
    fn fill_transposed<F: Float>(&mut self, at: Panel, panel: &mut [u8]) -> Result<(), StreamError> {
        let block = self.conversion.source.format.block_elements();
        let stride = (at.columns.end - at.columns.start) as usize * F::SIZE;
        for first in at.columns.clone().step_by(tile_rows::<F>()) {
            let rows = (at.columns.end - first).min(tile_rows::<F>() as u64);
            let before = (first - at.columns.start) as usize * F::SIZE;
            let mut start = at.rows.start;
            while start < at.rows.end {
                // To the end of the tile's blocks, so that no block is decoded for two tiles.
                let end = (start - start % block + TILE_COLUMNS as u64).min(at.rows.end);
                for row in 0..rows {
                    let source_row = self.conversion.source.source_row(first + row);
                    let values = values(
                        self.conversion,
                        self.window,
                        self.values,
                        self.sources,
                        source_row,
                        start..end,
                    )?;
                    self.tile.put::<F>(row as usize, values);
                }
                let offset = (start - at.rows.start) as usize * stride + before;
                self.tile.turn::<F>(rows as usize, (end - start) as usize, panel, Target { offset, stride });
                start = end;
            }
        }
        Ok(())
    }

    fn values(&mut self, row: u64, columns: Range<u64>) -> Result<&[f32], StreamError> {
        values(self.conversion, self.window, self.values, self.sources, row, columns)
    }
}

/// Decodes some values of a row of the tensor, at most [`TILE_COLUMNS`].
fn values<'v>(
    conversion: &TensorConversion,
    window: &mut Window,
    buffer: &'v mut Vec<f32>,
    sources: &[&dyn ReadAt],
    row: u64,
    columns: Range<u64>,
) -> Result<&'v [f32], StreamError> {
    let block = conversion.source.format.block_elements();
    let blocks = columns.start / block..columns.end.div_ceil(block);
    let before = (columns.start - blocks.start * block) as usize;
    let count = (columns.end - columns.start) as usize;
    let bytes = window.blocks(&conversion.source, row, blocks, sources)?;
    let values = decode(conversion, bytes, buffer)?;
    Ok(&values[before..before + count])
}

fn decode<'a>(
    conversion: &TensorConversion,
    blocks: &[u8],
    values: &'a mut Vec<f32>,
) -> Result<&'a [f32], StreamError> {
    let format = conversion.source.format;
    let count = blocks.len() / format.block_bytes() as usize * format.block_elements() as usize;
    let values = buffer(values, count);
    format
        .decode_endian(conversion.source.endian, blocks, values)
        .map_err(|source| StreamError::Decode { tensor: conversion.source.tensor.clone(), source })?;
    Ok(values)
}
