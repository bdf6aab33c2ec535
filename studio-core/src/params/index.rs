//! What a parameter file holds, whatever its format: names, lengths and places.

/// One parameter of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// The key that a module looks it up by.
    pub name: String,
    /// Its length in bytes.
    pub size_bytes: u64,
    /// Where its bytes are.
    pub storage: Storage,
}

/// Where a parameter's bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Storage {
    /// In the file, at this offset from its start. The whole range lies within the file.
    File {
        /// Bytes from the start of the file.
        offset: u64,
    },
    /// Nowhere: the bytes are this pattern over and over.
    Splat {
        /// 1, 2, 4, 8 or 16 bytes.
        pattern: Vec<u8>,
    },
}
