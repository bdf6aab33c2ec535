//! Reading the directories of parameter files. IREE has readers of its own, which trust what they read; these believe
//! nothing before it is checked, and IREE is then told the ranges.

use crate::error::Failure;

mod irpa;
mod safetensors;

/// A name and where its bytes are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) length: u64,
    pub(crate) content: Content,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Bytes of the file from an offset on.
    Range { offset: u64 },
    /// A pattern of 1, 2, 4, 8 or 16 bytes, repeated.
    Splat { pattern: Vec<u8> },
}

/// Reads a directory by its first bytes: an `.irpa` has its magic, everything else must be a safetensors file, which has
/// none. All ranges that are returned lie in the file.
pub(crate) fn read(file: &[u8]) -> Result<Vec<Entry>, Failure> {
    if file.starts_with(irpa::MAGIC) {
        irpa::read(file)
    } else if file.starts_with(b"GGUF") {
        Err(Failure::unimplemented(
            "the names and ranges of a GGUF are not read here: pass them (`open_ranges`)",
        ))
    } else {
        safetensors::read(file)
    }
}
