//! Makes tiles, a panel of them at a time.

use super::TileConversion;
use super::{requantise, swap};
use crate::params::Budget;
use crate::params::element::{Bf16, F16, F32, to_bytes};
use crate::params::plan::TensorSource;
use crate::params::stream::{StreamError, buffer};
use gguf_file::{BlockFormat, Endian, ReadAt};
use std::ops::Range;
use studio_kernels::{TILE_ROWS, TileFormat, pack_tile};

/// Buffers of a conversion, used again for every tensor.
#[derive(Default)]
pub(in crate::params) struct Tiler {
    /// Rows as they are in the GGUF.
    raw: Vec<u8>,
    /// A row's values.
    values: Vec<f32>,
    /// A tile's rows in the tile's format.
    packed: Vec<u8>,
}

impl Tiler {
    /// Fills the head of `panel` with the tiles from byte `first` of the entry on, where a tile begins. Gives the bytes
    /// written, more than none.
    pub(in crate::params) fn fill(
        &mut self,
        conversion: &TileConversion,
        first: u64,
        budget: Budget,
        sources: &[&dyn ReadAt],
        panel: &mut Vec<u8>,
    ) -> Result<usize, StreamError> {
        let source = &conversion.source;
        let (tile_bytes, tile_rows) = (conversion.tile_bytes(), TILE_ROWS as u64);
        let tiles = (budget.panel_bytes / tile_bytes).max(1);
        let start = first / tile_bytes * tile_rows;
        let rows = start..source.rows.min(start + tiles * tile_rows);
        let tiles = (rows.end - rows.start).div_ceil(tile_rows);
        // At most the budget's panel, or one tile.
        let panel = buffer(panel, (tiles * tile_bytes) as usize);
        let held = self.hold(source, rows.clone(), budget, sources)?;
        for (tile, out) in rows.clone().step_by(TILE_ROWS).zip(panel.chunks_exact_mut(tile_bytes as usize)) {
            let rows = tile..rows.end.min(tile + tile_rows);
            match &held {
                Some(held) if conversion.keeps_bytes() => self.pack_held(conversion, rows, held, out),
                _ => self.pack_converted(conversion, rows, held.as_ref(), sources, out)?,
            }
        }
        Ok(panel.len())
    }

    /// Reads the rows of the tensor that `rows` are made of, and says which it read; none, where they exceed the budget.
    fn hold(
        &mut self,
        source: &TensorSource,
        rows: Range<u64>,
        budget: Budget,
        sources: &[&dyn ReadAt],
    ) -> Result<Option<Range<u64>>, StreamError> {
        let span = match source.row_order.heads() {
            None => rows,
            // Rows change places within their head.
            Some((_, head_dim)) => rows.start - rows.start % head_dim..rows.end.next_multiple_of(head_dim),
        };
        let length = (span.end - span.start) * source.row_bytes();
        if length > budget.raw_bytes {
            return Ok(None);
        }
        source.read(span.start * source.row_bytes(), length, &mut self.raw, sources)?;
        Ok(Some(span))
    }

    /// Makes the tile of `rows`, at most [`TILE_ROWS`], from rows that are held and are packed as they are.
    fn pack_held(&self, conversion: &TileConversion, rows: Range<u64>, held: &Range<u64>, out: &mut [u8]) {
        let row_bytes = conversion.source.row_bytes() as usize;
        let mut packed: [&[u8]; TILE_ROWS] = [&[]; TILE_ROWS];
        let count = (rows.end - rows.start) as usize;
        for (row, packed) in rows.zip(&mut packed) {
            let at = (conversion.source.source_row(row) - held.start) as usize * row_bytes;
            *packed = &self.raw[at..at + row_bytes];
        }
        pack_tile(conversion.format, &packed[..count], conversion.source.columns as usize, out);
    }

    /// Makes the tile of `rows`, at most [`TILE_ROWS`], from rows that are held or read one by one, after a conversion.
    fn pack_converted(
        &mut self,
        conversion: &TileConversion,
        rows: Range<u64>,
        held: Option<&Range<u64>>,
        sources: &[&dyn ReadAt],
        out: &mut [u8],
    ) -> Result<(), StreamError> {
        let source = &conversion.source;
        let row_bytes = source.row_bytes() as usize;
        let packed_bytes = conversion.packed_row_bytes();
        let count = (rows.end - rows.start) as usize;
        let Self { raw, values, packed } = self;
        let packed = buffer(packed, count * packed_bytes);
        for (row, packed) in rows.zip(packed.chunks_exact_mut(packed_bytes)) {
            let row = source.source_row(row);
            let row = match held {
                Some(held) => &raw[(row - held.start) as usize * row_bytes..][..row_bytes],
                None => source.read(row * row_bytes as u64, row_bytes as u64, raw, sources)?,
            };
            convert(conversion, row, values, packed)?;
        }
        let mut rows: [&[u8]; TILE_ROWS] = [&[]; TILE_ROWS];
        for (row, packed) in rows.iter_mut().zip(packed.chunks_exact(packed_bytes)) {
            *row = packed;
        }
        pack_tile(conversion.format, &rows[..count], source.columns as usize, out);
        Ok(())
    }
}

/// Writes a row of the tensor as little-endian blocks of the tiles' format.
fn convert(
    conversion: &TileConversion,
    row: &[u8],
    values: &mut Vec<f32>,
    out: &mut [u8],
) -> Result<(), StreamError> {
    let source = &conversion.source;
    if conversion.keeps_blocks() {
        out.copy_from_slice(row);
        if source.endian == Endian::Big {
            swap::to_little_endian(conversion.format, out);
        }
        return Ok(());
    }
    if (source.format, conversion.format) == (BlockFormat::Q3_K, TileFormat::Q6_K) {
        requantise::q3_k_to_q6_k(row, out);
        if source.endian == Endian::Big {
            swap::to_little_endian(conversion.format, out);
        }
        return Ok(());
    }
    let values = buffer(values, source.columns as usize);
    let failed = |error| StreamError::Decode { tensor: source.tensor.clone(), source: error };
    source.format.decode_endian(source.endian, row, values).map_err(failed)?;
    match conversion.format {
        TileFormat::F32 => to_bytes::<F32>(values, out),
        TileFormat::F16 => to_bytes::<F16>(values, out),
        TileFormat::BF16 => to_bytes::<Bf16>(values, out),
        TileFormat::Q4_0 => requantise::q4_0(values, out),
        TileFormat::Q8_0 => requantise::q8_0(values, out),
        // The plan refuses these.
        TileFormat::Q4_1 | TileFormat::Q5_0 | TileFormat::Q5_1 => {}
        TileFormat::Q4_K | TileFormat::Q5_K | TileFormat::Q6_K => {}
    }
    Ok(())
}
