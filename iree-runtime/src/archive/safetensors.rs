//! Safetensors files, through the format's own crate, which checks sizes, order and overlaps.

use safetensors::SafeTensors;

use super::{Content, Entry};
use crate::error::Failure;

/// Reads the directory; `file` is the whole file.
pub(super) fn read(file: &[u8]) -> Result<Vec<Entry>, Failure> {
    let (header_length, metadata) = SafeTensors::read_metadata(file)
        .map_err(|error| Failure::data_loss(format!("neither an irpa nor a safetensors file: {error}")))?;
    // The header comes after its own length.
    let data = header_length as u64 + 8;
    let mut entries: Vec<_> = metadata
        .tensors()
        .into_iter()
        .map(|(name, tensor)| {
            let (start, end) = tensor.data_offsets;
            Entry {
                name,
                length: (end - start) as u64,
                content: Content::Range { offset: data + start as u64 },
            }
        })
        .collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}
