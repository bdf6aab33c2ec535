//! The BLAKE3 of a long file from parts that are hashed independently: by several threads, in any order.
//!
//! BLAKE3 is a tree. A part of [`PART_BYTES`], a power of two, is one of its subtrees; what stands for a part is that
//! subtree's chaining value, and joining those gives the hash of the whole. A file of one part has no subtrees.

use blake3::hazmat::{HasherExt, Mode, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root};
use blake3::{Hash, Hasher};
use std::ops::Range;

/// Bytes of a part, but for a file's last.
pub const PART_BYTES: u64 = 8 << 20;

/// What stands for a part: a chaining value, or the hash of a file that has one part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartHash(pub [u8; 32]);

/// How many parts a file of this length has: one at least.
#[must_use]
pub fn part_count(size_bytes: u64) -> u64 {
    size_bytes.div_ceil(PART_BYTES).max(1)
}

/// Where the part `index` lies in a file of this length; an empty range for a part that it doesn't have.
#[must_use]
pub fn part_range(index: u64, size_bytes: u64) -> Range<u64> {
    let start = index.saturating_mul(PART_BYTES).min(size_bytes);
    start..start.saturating_add(PART_BYTES).min(size_bytes)
}

/// Hashes one part.
pub struct PartHasher {
    hasher: Hasher,
    range: Range<u64>,
    /// Whether the part is the whole file.
    is_whole: bool,
}

impl PartHasher {
    /// A hasher of the part `index` of a file of this length.
    #[must_use]
    pub fn new(index: u64, size_bytes: u64) -> Self {
        let range = part_range(index, size_bytes);
        let mut hasher = Hasher::new();
        hasher.set_input_offset(range.start - range.start % PART_BYTES);
        Self { hasher, range, is_whole: size_bytes <= PART_BYTES }
    }

    /// Takes the part's next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }

    /// What stands for the part; `None` where it was given more or fewer bytes than the part has.
    #[must_use]
    pub fn finish(&self) -> Option<PartHash> {
        let is_full = self.hasher.count() == self.range.end - self.range.start;
        is_full.then(|| match self.is_whole {
            true => PartHash(*self.hasher.finalize().as_bytes()),
            false => PartHash(self.hasher.finalize_non_root()),
        })
    }
}

/// The hash of a file of this length from all of its parts in order; `None` where there are more or fewer of them.
#[must_use]
pub fn join(parts: &[PartHash], size_bytes: u64) -> Option<Hash> {
    if parts.len() as u64 != part_count(size_bytes) {
        return None;
    }
    match parts {
        [whole] => Some(Hash::from_bytes(whole.0)),
        _ => {
            let (left, right) = halves(parts, size_bytes);
            Some(merge_subtrees_root(&left, &right, Mode::Hash))
        }
    }
}

/// The chaining values of a tree's two halves. It has two parts at least.
fn halves(parts: &[PartHash], size_bytes: u64) -> ([u8; 32], [u8; 32]) {
    let left_bytes = left_subtree_len(size_bytes);
    // Of several parts, the left half is whole ones.
    let (left, right) = parts.split_at((left_bytes / PART_BYTES) as usize);
    (chaining_value(left, left_bytes), chaining_value(right, size_bytes - left_bytes))
}

fn chaining_value(parts: &[PartHash], size_bytes: u64) -> [u8; 32] {
    match parts {
        [part] => part.0,
        _ => {
            let (left, right) = halves(parts, size_bytes);
            merge_subtrees_non_root(&left, &right, Mode::Hash)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_parts_give_the_hash_of_the_whole() {
        let part = PART_BYTES as usize;
        let bytes: Vec<u8> = (0..7 * part + 12_345).map(|at| (at * 31 % 251) as u8).collect();
        let sizes = [0, 1, 1_024, part - 1, part, part + 1, 2 * part, 3 * part, 4 * part + 7, 6 * part];
        for size in sizes.into_iter().chain([bytes.len()]) {
            let whole = &bytes[..size];
            let parts: Vec<PartHash> = (0..part_count(size as u64))
                .map(|index| {
                    let range = part_range(index, size as u64);
                    let mut hasher = PartHasher::new(index, size as u64);
                    // Pieces of no particular length.
                    whole[range.start as usize..range.end as usize]
                        .chunks(100_003)
                        .for_each(|piece| hasher.update(piece));
                    hasher.finish().expect("all bytes were given")
                })
                .collect();
            assert_eq!(join(&parts, size as u64), Some(blake3::hash(whole)), "{size} bytes");
        }
    }

    #[test]
    fn parts_that_are_missing_or_too_short_are_noticed() {
        let mut hasher = PartHasher::new(1, PART_BYTES + 10);
        hasher.update(&[1; 9]);
        assert_eq!(hasher.finish(), None);
        assert_eq!(join(&[PartHash([0; 32])], PART_BYTES + 1), None);
        assert_eq!(join(&[], 0), None);
        assert!(part_range(2, PART_BYTES + 1).is_empty());
    }
}
