//! IREE's parameter archive (`.irpa`), version 0: a header, a table of entries, a segment of names and a segment of data,
//! little-endian and packed. The layout is that of IREE's `schemas/parameter_archive.h`.

use super::{Content, Entry};
use crate::error::Failure;

pub(super) const MAGIC: &[u8] = b"IRPA";

const HEADER_LENGTH: u64 = 88;
const ENTRY_HEADER_LENGTH: usize = 60;
const SPLAT_ENTRY_LENGTH: usize = 85;
const DATA_ENTRY_LENGTH: usize = 76;
const ENTRY_ALIGNMENT: u64 = 16;

/// Longer names would let a small file with many entries of one long name fill the memory.
const MAX_NAME_LENGTH: u64 = 4096;

/// Reads the directory; `file` is the whole file and starts with the magic.
pub(super) fn read(file: &[u8]) -> Result<Vec<Entry>, Failure> {
    let header = Header::read(file)?;
    let mut table = header.entries;
    let mut entries = Vec::new();
    for index in 0..header.entry_count {
        let at = |message: &str| Failure::data_loss(format!("entry {index}: {message}"));
        let size = u64_at(table, 0).ok_or_else(|| at("the table of entries ends before it"))?;
        let entry = usize::try_from(size).ok().and_then(|size| table.get(..size));
        let entry = entry.filter(|entry| entry.len() >= ENTRY_HEADER_LENGTH);
        let entry = entry
            .ok_or_else(|| at(&format!("a size of {size} bytes is too small or past the table's end")))?;
        if let Some(entry) =
            read_entry(entry, &header).map_err(|failure| failure.at(format_args!("entry {index}")))?
        {
            entries.push(entry);
        }
        // The last entry may lack its padding.
        let next = size.checked_next_multiple_of(ENTRY_ALIGNMENT).and_then(|next| usize::try_from(next).ok());
        table = next.and_then(|next| table.get(next..)).unwrap_or_default();
    }
    Ok(entries)
}

/// Reads an entry; `None` for one that was erased.
fn read_entry(entry: &[u8], header: &Header<'_>) -> Result<Option<Entry>, Failure> {
    let kind = u32_at(entry, 8);
    if kind == Some(0) {
        return Ok(None);
    }
    let name = read_name(entry, header.names)?;
    let truncated = || Failure::data_loss(format!("`{name}` is too short for its kind"));
    let (length, content) = match kind {
        Some(1) => {
            let entry = entry.get(..SPLAT_ENTRY_LENGTH).ok_or_else(truncated)?;
            let length = u64_at(entry, ENTRY_HEADER_LENGTH).ok_or_else(truncated)?;
            let pattern_length = usize::from(entry[84]);
            let whole = length.checked_rem(pattern_length as u64) == Some(0);
            let pattern =
                entry[68..84].get(..pattern_length).filter(|_| pattern_length.is_power_of_two() && whole);
            let pattern = pattern.ok_or_else(|| {
                Failure::data_loss(format!("`{name}`: {pattern_length} bytes do not repeat to {length}"))
            })?;
            (length, Content::Splat { pattern: pattern.to_vec() })
        }
        Some(2) => {
            let entry = entry.get(..DATA_ENTRY_LENGTH).ok_or_else(truncated)?;
            let range = Range::read(entry, ENTRY_HEADER_LENGTH).ok_or_else(truncated)?;
            let offset = range.within(header.data).ok_or_else(|| {
                Failure::data_loss(format!(
                    "`{name}`: {range} past the end of the data segment ({})",
                    header.data
                ))
            })?;
            (range.length, Content::Range { offset })
        }
        Some(3) => return Err(Failure::unimplemented(format!("`{name}` lies in another file"))),
        Some(kind) => return Err(Failure::unimplemented(format!("`{name}` is of the unknown kind {kind}"))),
        None => return Err(truncated()),
    };
    Ok(Some(Entry { name, length, content }))
}

fn read_name(entry: &[u8], names: &[u8]) -> Result<String, Failure> {
    let range = Range::read(entry, 20).ok_or_else(|| Failure::data_loss("too short for a name"))?;
    if range.length > MAX_NAME_LENGTH {
        return Err(Failure::data_loss(format!("a name of {} bytes", range.length)));
    }
    let name = range
        .of(names)
        .ok_or_else(|| Failure::data_loss(format!("its name ({range}) is past the segment's end")))?;
    String::from_utf8(name.to_vec())
        .map_err(|error| Failure::data_loss(format!("its name is not UTF-8: {error}")))
}

struct Header<'a> {
    entry_count: u64,
    entries: &'a [u8],
    names: &'a [u8],
    /// The data segment, which lies in the file.
    data: Range,
}

impl<'a> Header<'a> {
    fn read(file: &'a [u8]) -> Result<Self, Failure> {
        let truncated = || Failure::data_loss(format!("{} bytes are too few for a header", file.len()));
        let (major, minor) = (u16_at(file, 4).ok_or_else(truncated)?, u16_at(file, 6).ok_or_else(truncated)?);
        if (major, minor) != (0, 0) {
            return Err(Failure::unimplemented(format!("archive version {major}.{minor}, not 0.0")));
        }
        let header_length = u64_at(file, 8).ok_or_else(truncated)?;
        if header_length != HEADER_LENGTH {
            return Err(Failure::data_loss(format!(
                "a header of {header_length} bytes, not {HEADER_LENGTH}"
            )));
        }
        if u64_at(file, 16).ok_or_else(truncated)? != 0 {
            return Err(Failure::unimplemented(
                "archives linked in one file; repack it (iree-convert-parameters)",
            ));
        }
        let segment = |name: &str, at: usize| {
            let range = Range::read(file, at).ok_or_else(truncated)?;
            let bytes = range.of(file).ok_or_else(|| {
                Failure::data_loss(format!(
                    "{name} segment: {range} past the end of the file ({} bytes)",
                    file.len()
                ))
            })?;
            Ok((range, bytes))
        };
        Ok(Self {
            entry_count: u64_at(file, 32).ok_or_else(truncated)?,
            entries: segment("entry", 40)?.1,
            names: segment("metadata", 56)?.1,
            data: segment("data", 72)?.0,
        })
    }
}

#[derive(Clone, Copy)]
struct Range {
    offset: u64,
    length: u64,
}

impl Range {
    fn read(bytes: &[u8], at: usize) -> Option<Self> {
        Some(Self { offset: u64_at(bytes, at)?, length: u64_at(bytes, at + 8)? })
    }

    /// The bytes of the range. An empty one is in range wherever it is.
    fn of(self, bytes: &[u8]) -> Option<&[u8]> {
        if self.length == 0 {
            return Some(&[]);
        }
        let end = usize::try_from(self.offset.checked_add(self.length)?).ok()?;
        bytes.get(usize::try_from(self.offset).ok()?..end)
    }

    /// The absolute offset of this range in a segment that lies in the file.
    fn within(self, segment: Self) -> Option<u64> {
        if self.length == 0 {
            return Some(0);
        }
        let end = self.offset.checked_add(self.length)?;
        (end <= segment.length).then(|| segment.offset.checked_add(self.offset))?
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes at {}", self.length, self.offset)
    }
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_le_bytes(*chunk))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|chunk| u16::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests;
