//! Rows of a GGUF tensor, held in memory as far as a budget allows.

use super::plan::TensorSource;
use super::stream::StreamError;
use gguf_file::ReadAt;
use std::ops::Range;

/// Rows that are needed one after the other, at most: those of a tile of 16-bit elements.
const MOST_ROWS_OF_A_TILE: u64 = 32;

/// Bytes of rows that are held, where it need not be more: they stay in the second cache.
pub(crate) const WINDOW_BYTES: u64 = 1 << 20;

/// The rows that are held, and where they stem from.
pub(crate) struct Window {
    budget_bytes: u64,
    bytes: Vec<u8>,
    /// Shard and offset of the tensor that the rows are of.
    tensor: (usize, u64),
    rows: Range<u64>,
}

impl Window {
    pub(crate) fn new(budget_bytes: u64) -> Self {
        Self { budget_bytes, bytes: Vec::new(), tensor: (0, 0), rows: 0..0 }
    }

    /// The blocks `blocks` of the row `row`: from rows held, or read for this call where so few rows fit the budget
    /// that holding them would mean reading them again and again.
    pub(crate) fn blocks(
        &mut self,
        source: &TensorSource,
        row: u64,
        blocks: Range<u64>,
        sources: &[&dyn ReadAt],
    ) -> Result<&[u8], StreamError> {
        let block_bytes = source.format.block_bytes();
        let row_bytes = source.columns / source.format.block_elements() * block_bytes;
        let segment = blocks.start * block_bytes..blocks.end * block_bytes;
        let Some(count) = self.rows_held(source, row_bytes) else {
            self.rows = 0..0;
            let length = segment.end - segment.start;
            return source.read(row * row_bytes + segment.start, length, &mut self.bytes, sources);
        };
        let tensor = (source.shard, source.offset);
        if self.tensor != tensor || !self.rows.contains(&row) {
            self.rows = 0..0;
            let start = row - row % count;
            let end = source.rows.min(start + count);
            source.read(start * row_bytes, (end - start) * row_bytes, &mut self.bytes, sources)?;
            self.tensor = tensor;
            self.rows = start..end;
        }
        let start = (row - self.rows.start) * row_bytes;
        Ok(&self.bytes[(start + segment.start) as usize..(start + segment.end) as usize])
    }

    /// How many rows are held at a time: whole heads where rows are reordered within heads, and no fewer than are
    /// needed one after the other.
    fn rows_held(&self, source: &TensorSource, row_bytes: u64) -> Option<u64> {
        let unit = source.row_order.heads().map_or(1, |(_, head_dim)| head_dim);
        let fitting = self.budget_bytes / row_bytes.max(1);
        let wanted = unit.max(MOST_ROWS_OF_A_TILE).min(source.rows);
        let count = (WINDOW_BYTES / row_bytes.max(1)).max(wanted).min(source.rows);
        (fitting >= wanted)
            .then_some(count.min(fitting))
            .map(|count| count - count % unit)
            .filter(|count| *count > 0)
    }
}
