//! Where everything lies in a parameter file that is about to be written.

use crate::graph::ElementType;

/// An entry that wants a place.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    /// The key.
    pub name: &'a str,
    /// Row-major dimensions.
    pub shape: &'a [u64],
    /// The element type.
    pub element_type: ElementType,
    /// Its length in bytes.
    pub size_bytes: u64,
}

/// The layout of a parameter file: its head, then entries in ascending places, zeros between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// The bytes from the start of the file up to the first gap or entry.
    pub head: Vec<u8>,
    /// The entries in the order of their bytes.
    pub places: Vec<Place>,
    /// The file's length.
    pub size_bytes: u64,
}

/// Where an entry's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The entry's index among the items that were laid out.
    pub item: usize,
    /// Bytes from the start of the file.
    pub offset: u64,
    /// Bytes.
    pub size_bytes: u64,
}

/// The file would be larger than a 64-bit offset can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the parameters are too large: their file would pass 2^64 bytes")]
pub struct TooLarge;

/// `offset` rounded up to a multiple of `alignment`, a power of two.
pub(crate) fn align(offset: u64, alignment: u64) -> Result<u64, TooLarge> {
    offset.checked_next_multiple_of(alignment).ok_or(TooLarge)
}
