//! How the positions that one token sees are split, so that several workgroups can look at them: only by how many they
//! are, never by who looks, so that results are the same with any number of threads.

use super::batch::BLOCK;
use super::shape::TILE;

/// The longest split: what a batch looks at in one go.
const MAX_SPLIT: usize = BLOCK;
/// What is too short to be worth another split.
const MIN_SPLIT: usize = 48;
/// Splits of all kv heads together, if there is enough to split: two or three workgroups get as many each.
const WANTED: usize = 6;

/// Splits of the positions from a first to a last.
#[derive(Clone, Copy)]
pub(super) struct Splits {
    start: usize,
    end: usize,
    length: usize,
    /// How many, at least 1.
    pub(super) count: usize,
}

impl Splits {
    /// Of the positions from `first` to before `end`, at least one, for each of so many kv heads.
    #[inline(always)]
    pub(super) fn new(first: usize, end: usize, kv_heads: usize) -> Self {
        let start = first / TILE * TILE;
        let positions = end - start;
        let wanted = WANTED.div_ceil(kv_heads.max(1)).min(positions / MIN_SPLIT);
        let count = wanted.max(positions.div_ceil(MAX_SPLIT));
        let tiles = positions.div_ceil(TILE).div_ceil(count.max(1)).max(1);
        Self { start, end, length: tiles * TILE, count: positions.div_ceil(TILE).div_ceil(tiles) }
    }

    /// The positions of a split, from the first tile on that has any that are seen.
    #[inline(always)]
    pub(super) fn range(&self, split: usize) -> [usize; 2] {
        let start = self.start + split * self.length;
        [start, (start + self.length).min(self.end)]
    }
}

/// The most splits with a cache of `capacity` positions.
pub(crate) const fn max_splits(capacity: usize) -> usize {
    let many = capacity.div_ceil(MAX_SPLIT) + 1;
    if many < 16 { 16 } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_cover_each_position_once_and_are_never_more_than_there_is_room_for() {
        for end in 1..9000usize {
            for first in [0, end / 3, end.saturating_sub(1), end.saturating_sub(700)] {
                if first >= end {
                    continue;
                }
                let splits = Splits::new(first, end, 1 + end % 9);
                assert!(splits.count <= max_splits(end.next_multiple_of(64)), "{first}..{end}");
                let mut next = first / TILE * TILE;
                for split in 0..splits.count {
                    let [start, stop] = splits.range(split);
                    assert_eq!(start, next);
                    assert!(start < stop && stop - start <= MAX_SPLIT && start % TILE == 0);
                    next = stop;
                }
                assert_eq!(next, end);
            }
        }
    }
}
