//! `.irpa`, IREE's parameter archive: laid out as IREE's own builder does, read with every field checked.
//!
//! A header, a table of entries, their names, and the data, all little-endian. Offsets in the table count from
//! the start of a segment, those of segments from the header.

use super::archive::{Item, Layout, Place, TooLarge, align};
use super::index::{IndexEntry, Storage};
use gguf_file::{ReadAt, ReadError};
use std::collections::HashSet;

const MAGIC: [u8; 4] = *b"IRPA";
const HEADER_BYTES: u64 = 88;
const ENTRY_HEADER_BYTES: u64 = 60;
const DATA_ENTRY_BYTES: u64 = 76;
const SPLAT_ENTRY_BYTES: u64 = 85;
const ENTRY_ALIGNMENT: u64 = 16;
const DATA_ALIGNMENT: u64 = 64;
const FILE_ALIGNMENT: u64 = 4096;

/// The most bytes that the entry table and the metadata of an archive may take each.
const MAX_TABLE_BYTES: u64 = 64 << 20;

mod entry_type {
    pub(super) const SKIP: u32 = 0;
    pub(super) const SPLAT: u32 = 1;
    pub(super) const DATA: u32 = 2;
    pub(super) const EXTERNAL: u32 = 3;
}

/// Lays an archive out, entries in the order given, byte for byte as IREE's builder would.
pub fn layout(items: &[Item<'_>]) -> Result<Layout, TooLarge> {
    let table_offset = HEADER_BYTES.next_multiple_of(ENTRY_ALIGNMENT);
    let mut table = Vec::new();
    let mut names = Vec::new();
    let mut storage_bytes = 0u64;
    let mut offsets = Vec::with_capacity(items.len());
    for item in items {
        pad(&mut table, ENTRY_ALIGNMENT);
        let offset = align(storage_bytes, DATA_ALIGNMENT)?;
        put(&mut table, &[DATA_ENTRY_BYTES]);
        table.extend(entry_type::DATA.to_le_bytes());
        let name = [names.len() as u64, item.name.len() as u64];
        put(&mut table, &[0, name[0], name[1], 0, 0, DATA_ALIGNMENT, offset, item.size_bytes]);
        names.extend(item.name.bytes());
        storage_bytes = offset.checked_add(item.size_bytes).ok_or(TooLarge)?;
        offsets.push(offset);
    }
    let names_offset = table_offset + table.len() as u64;
    let storage_alignment = if items.is_empty() { 1 } else { DATA_ALIGNMENT };
    let storage_offset = align(names_offset + names.len() as u64, storage_alignment)?;
    let end = storage_offset.checked_add(storage_bytes).ok_or(TooLarge)?;

    let mut head = Vec::from(MAGIC);
    head.extend([0; 4]); // version 0.0
    let no_next_header_no_flags = [0, 0];
    put(&mut head, &[HEADER_BYTES]);
    put(&mut head, &no_next_header_no_flags);
    put(&mut head, &[items.len() as u64, table_offset, table.len() as u64]);
    put(&mut head, &[names_offset, names.len() as u64, storage_offset, storage_bytes]);
    pad(&mut head, ENTRY_ALIGNMENT);
    head.extend(table);
    head.extend(names);
    let places = items.iter().zip(offsets).enumerate();
    let places = places.map(|(item, (Item { size_bytes, .. }, offset))| Place {
        item,
        offset: storage_offset + offset,
        size_bytes: *size_bytes,
    });
    Ok(Layout { head, places: places.collect(), size_bytes: align(end, FILE_ALIGNMENT)? })
}

fn put(to: &mut Vec<u8>, numbers: &[u64]) {
    to.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn pad(to: &mut Vec<u8>, alignment: u64) {
    to.resize((to.len() as u64).next_multiple_of(alignment) as usize, 0);
}

/// Why a file cannot be read as an archive.
#[derive(Debug, thiserror::Error)]
pub enum IrpaError {
    /// The source failed.
    #[error("parameter archive: reading the {what} at offset {offset}: {source}")]
    Read {
        /// What was being read.
        what: &'static str,
        /// Where.
        offset: u64,
        /// Why it failed.
        source: ReadError,
    },
    /// The first bytes are others.
    #[error("not a parameter archive: it begins with \"{}\" instead of \"IRPA\"", .0.escape_ascii())]
    Magic([u8; 4]),
    /// A version that this reader does not know.
    #[error("parameter archive of version {major}.{minor}: only 0.0 is known")]
    Version {
        /// Incompatible changes.
        major: u16,
        /// Compatible changes.
        minor: u16,
    },
    /// The header has another size than its version says.
    #[error("parameter archive: the header says that it takes {0} bytes; version 0 takes 88")]
    HeaderSize(u64),
    /// Several archives in one file.
    #[error(
        "parameter archive: another archive is linked at offset {0}; linked archives are not read, repack them"
    )]
    Linked(u64),
    /// A segment that is not in the file.
    #[error(
        "parameter archive: the {what} (offset {offset}, {length} bytes) ends past the file's {file} bytes"
    )]
    Segment {
        /// Which.
        what: &'static str,
        /// From the start of the file.
        offset: u64,
        /// Bytes.
        length: u64,
        /// The file's length.
        file: u64,
    },
    /// A table that nobody has use for.
    #[error("parameter archive: the {what} takes {length} bytes; at most {MAX_TABLE_BYTES} are read")]
    TableSize {
        /// Which.
        what: &'static str,
        /// Bytes.
        length: u64,
    },
    /// The table ends in the middle of an entry.
    #[error(
        "parameter archive: entry {entry} of {count} (offset {offset}) is cut off or has an impossible size"
    )]
    Entry {
        /// From 0.
        entry: u64,
        /// How many the header promises.
        count: u64,
        /// From the start of the file.
        offset: u64,
    },
    /// An entry type that this reader does not know.
    #[error("parameter archive: entry {entry} (offset {offset}) is of type {kind}, which is not read")]
    EntryType {
        /// From 0.
        entry: u64,
        /// From the start of the file.
        offset: u64,
        /// Its type.
        kind: u32,
    },
    /// A range that is not in its segment.
    #[error(
        "parameter archive: entry {entry}: its {what} (offset {offset}, {length} bytes) ends past its segment's \
         {segment} bytes"
    )]
    Range {
        /// From 0.
        entry: u64,
        /// Name, metadata or data.
        what: &'static str,
        /// From the start of the segment.
        offset: u64,
        /// Bytes.
        length: u64,
        /// The segment's length.
        segment: u64,
    },
    /// A name that is not text.
    #[error("parameter archive: the name of entry {0} is not UTF-8")]
    Name(u64),
    /// Two entries with one name.
    #[error("parameter archive: two entries are called `{0}`")]
    Duplicate(String),
    /// A pattern that does not fit its entry.
    #[error(
        "parameter archive: entry {entry}: a pattern of {pattern} bytes cannot fill {length} bytes; it takes 1, 2, \
         4, 8 or 16 bytes and divides the length"
    )]
    Splat {
        /// From 0.
        entry: u64,
        /// Bytes of the pattern.
        pattern: u8,
        /// Bytes of the entry.
        length: u64,
    },
}

/// Reads an archive's index; the data stays where it is. Entries come in the table's order; data ranges may
/// overlap, as the format allows.
pub fn read(source: &dyn ReadAt) -> Result<Vec<IndexEntry>, IrpaError> {
    let header = read_range(source, "header", 0, HEADER_BYTES.min(source.len().max(4)))?;
    let magic = Fields(&header).array(0).unwrap_or_default();
    if magic != MAGIC {
        return Err(IrpaError::Magic(magic));
    }
    let header = read_range(source, "header", 0, HEADER_BYTES)?;
    let fields = Fields(&header);
    let (major, minor) = (fields.u16(4), fields.u16(6));
    if (major, minor) != (0, 0) {
        return Err(IrpaError::Version { major, minor });
    }
    if fields.u64(8) != HEADER_BYTES {
        return Err(IrpaError::HeaderSize(fields.u64(8)));
    }
    if fields.u64(16) != 0 {
        return Err(IrpaError::Linked(fields.u64(16)));
    }
    let count = fields.u64(32);
    let table = read_segment(source, "entry table", fields.u64(40), fields.u64(48))?;
    let metadata = read_segment(source, "metadata segment", fields.u64(56), fields.u64(64))?;
    let storage = Range { offset: fields.u64(72), length: fields.u64(80) };
    check_segment(source, "storage segment", storage)?;

    let mut entries = Vec::new();
    let mut names = HashSet::new();
    let mut position = 0;
    for entry in 0..count {
        let place = fields.u64(40).saturating_add(position);
        let cut_off = || IrpaError::Entry { entry, count, offset: place };
        let rest = usize::try_from(position).ok().and_then(|from| table.get(from..)).ok_or_else(cut_off)?;
        if (rest.len() as u64) < ENTRY_HEADER_BYTES {
            return Err(cut_off());
        }
        let size = Fields(rest).u64(0);
        if size < ENTRY_HEADER_BYTES || size > rest.len() as u64 {
            return Err(cut_off());
        }
        let row = Row { fields: Fields(&rest[..size as usize]), entry, place, count };
        position += size.next_multiple_of(ENTRY_ALIGNMENT);
        if let Some(found) = row.read(&metadata, storage)? {
            if !names.insert(found.name.clone()) {
                return Err(IrpaError::Duplicate(found.name));
            }
            entries.push(found);
        }
    }
    Ok(entries)
}

/// One row of the entry table, as long as it says that it is.
struct Row<'a> {
    fields: Fields<'a>,
    entry: u64,
    place: u64,
    count: u64,
}

impl Row<'_> {
    fn read(&self, metadata: &[u8], storage: Range) -> Result<Option<IndexEntry>, IrpaError> {
        let (fields, entry) = (&self.fields, self.entry);
        let name = self.within("name", fields.range(20), metadata.len() as u64)?;
        self.within("metadata", fields.range(36), metadata.len() as u64)?;
        let name =
            metadata.get(name.offset as usize..(name.offset + name.length) as usize).unwrap_or_default();
        let kind = fields.u32(8);
        let (size_bytes, storage) = match kind {
            entry_type::SKIP => return Ok(None),
            entry_type::SPLAT => {
                self.at_least(SPLAT_ENTRY_BYTES)?;
                let (length, pattern) = (fields.u64(60), fields.0[84]);
                if !matches!(pattern, 1 | 2 | 4 | 8 | 16) || !length.is_multiple_of(u64::from(pattern)) {
                    return Err(IrpaError::Splat { entry, pattern, length });
                }
                let pattern = fields.0[68..68 + usize::from(pattern)].to_vec();
                (length, Storage::Splat { pattern })
            }
            entry_type::DATA => {
                self.at_least(DATA_ENTRY_BYTES)?;
                let range = self.within("data", fields.range(60), storage.length)?;
                // IREE gives data of no bytes no place either.
                let base = if range.length == 0 { 0 } else { storage.offset };
                (range.length, Storage::File { offset: base + range.offset })
            }
            entry_type::EXTERNAL.. => {
                return Err(IrpaError::EntryType { entry, offset: self.place, kind });
            }
        };
        let name = std::str::from_utf8(name).map_err(|_not_text| IrpaError::Name(entry))?.to_owned();
        Ok(Some(IndexEntry { name, size_bytes, storage }))
    }

    fn at_least(&self, size: u64) -> Result<(), IrpaError> {
        let Row { entry, place, count, .. } = *self;
        let long_enough = self.fields.0.len() as u64 >= size;
        long_enough.then_some(()).ok_or(IrpaError::Entry { entry, count, offset: place })
    }

    fn within(&self, what: &'static str, range: Range, segment: u64) -> Result<Range, IrpaError> {
        let Range { offset, length } = range;
        match offset.checked_add(length) {
            // The offset of an empty range says nothing.
            _ if length == 0 => Ok(Range { offset: 0, length: 0 }),
            Some(end) if end <= segment => Ok(range),
            _ => Err(IrpaError::Range { entry: self.entry, what, offset, length, segment }),
        }
    }
}

#[derive(Clone, Copy)]
struct Range {
    offset: u64,
    length: u64,
}

/// Little-endian fields by offset, zero where the bytes end.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn array<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        self.0.get(offset..)?.first_chunk().copied()
    }
    fn u16(&self, offset: usize) -> u16 {
        u16::from_le_bytes(self.array(offset).unwrap_or_default())
    }
    fn u32(&self, offset: usize) -> u32 {
        u32::from_le_bytes(self.array(offset).unwrap_or_default())
    }
    fn u64(&self, offset: usize) -> u64 {
        u64::from_le_bytes(self.array(offset).unwrap_or_default())
    }
    fn range(&self, offset: usize) -> Range {
        Range { offset: self.u64(offset), length: self.u64(offset + 8) }
    }
}

fn check_segment(source: &dyn ReadAt, what: &'static str, range: Range) -> Result<(), IrpaError> {
    let Range { offset, length } = range;
    match offset.checked_add(length) {
        _ if length == 0 => Ok(()),
        Some(end) if end <= source.len() => Ok(()),
        _ => Err(IrpaError::Segment { what, offset, length, file: source.len() }),
    }
}

fn read_segment(
    source: &dyn ReadAt,
    what: &'static str,
    offset: u64,
    length: u64,
) -> Result<Vec<u8>, IrpaError> {
    if length == 0 {
        return Ok(Vec::new());
    }
    check_segment(source, what, Range { offset, length })?;
    if length > MAX_TABLE_BYTES {
        return Err(IrpaError::TableSize { what, length });
    }
    read_range(source, what, offset, length)
}

/// `length` is known to be small.
fn read_range(
    source: &dyn ReadAt,
    what: &'static str,
    offset: u64,
    length: u64,
) -> Result<Vec<u8>, IrpaError> {
    let mut bytes = vec![0; length as usize];
    source.read_at(offset, &mut bytes).map_err(|source| IrpaError::Read { what, offset, source })?;
    Ok(bytes)
}
