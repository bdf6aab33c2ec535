//! How the tiles of a matrix, or the rows of a vector, are cut into chunks.

use core::ops::Range;

/// Items in chunks of `grain`, the last one shorter.
#[derive(Clone, Copy)]
pub(crate) struct Split {
    items: usize,
    grain: usize,
}

/// There are at least so many chunks, if there are so many items: a few for each worker.
const FEWEST_CHUNKS: usize = 16;

impl Split {
    /// Chunks of about `chunk_cost`, where an item costs `item_cost`.
    #[inline(always)]
    pub(crate) fn new(items: usize, item_cost: usize, chunk_cost: usize) -> Self {
        let by_cost = chunk_cost.checked_div(item_cost).unwrap_or(1);
        Split { items, grain: by_cost.min(items / FEWEST_CHUNKS).max(1) }
    }

    #[inline(always)]
    pub(crate) fn chunks(self) -> usize {
        self.items.div_ceil(self.grain.max(1))
    }

    /// The items of a chunk.
    #[inline(always)]
    pub(crate) fn items(self, chunk: usize) -> Range<usize> {
        chunk * self.grain..self.items.min((chunk + 1) * self.grain)
    }
}
