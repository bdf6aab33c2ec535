//! [`Gguf`]: a file's header, which exists only when all of it was checked.

use std::collections::HashMap;

use crate::block::BlockFormat;
use crate::cursor::Cursor;
use crate::endian::Endian;
use crate::error::{Error, ErrorKind, Field, TensorPart};
use crate::limits::{
    MAX_ALIGNMENT, MAX_DIMENSIONS, MAX_KEY_BYTES, MAX_METADATA_ENTRIES, MAX_TENSOR_NAME_BYTES, MAX_TENSORS,
};
use crate::metadata::Metadata;
use crate::source::ReadAt;
use crate::split;
use crate::tensor::{Extent, TensorInfo};
use crate::value::Value;
use crate::value_read::read_value;

pub(crate) const MAGIC: [u8; 4] = *b"GGUF";
pub(crate) const ALIGNMENT_KEY: &str = "general.alignment";
pub(crate) const DEFAULT_ALIGNMENT: u32 = 32;

/// The least bytes of a pair: key length, one byte of key, type, one byte of value.
const MIN_ENTRY_BYTES: u64 = 8 + 1 + 4 + 1;
/// The least bytes of a tensor's entry: name length, one byte of name, one dimension, format, offset.
const MIN_TENSOR_BYTES: u64 = 8 + 1 + 4 + 8 + 4 + 8;

/// The header of a model: of one file, or of all files of a split model together.
///
/// Opening reads the header only. Tensor data is read from the source by whoever wants it, at
/// [`TensorInfo::offset`].
#[derive(Clone, Debug)]
pub struct Gguf {
    pub(crate) version: u32,
    pub(crate) endian: Endian,
    pub(crate) alignment: u64,
    pub(crate) data_offset: u64,
    pub(crate) metadata: Metadata,
    /// In the order of the files' tables.
    pub(crate) tensors: Vec<TensorInfo>,
    /// From each name to its place in `tensors`.
    pub(crate) index: HashMap<String, usize>,
}

impl Gguf {
    /// Reads and checks the header of a model in one file. A part of a split model is refused.
    pub fn open(source: &dyn ReadAt) -> Result<Gguf, Error> {
        let gguf = Gguf::open_part(source)?;
        split::refuse_part(&gguf)?;
        Ok(gguf)
    }

    /// Reads and checks the headers of all files of a split model, in any order. Metadata is that of the
    /// first part; [`TensorInfo::shard`] is an index into `sources`.
    pub fn open_split(sources: &[&dyn ReadAt]) -> Result<Gguf, Error> {
        split::open(sources)
    }

    /// As [`Gguf::open`], for one file taken by itself even if it is a part of a split model.
    pub fn open_part(source: &dyn ReadAt) -> Result<Gguf, Error> {
        read_header(source, None)
    }

    /// The format's version, 2 or 3.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The byte order of header and data.
    pub fn endian(&self) -> Endian {
        self.endian
    }

    /// What the offsets of tensors are multiples of, in bytes. For a split model, that of the first part.
    pub fn alignment(&self) -> u64 {
        self.alignment
    }

    /// Where tensor data starts, in bytes from the start of the file. For a split model, that of the first part.
    pub fn data_offset(&self) -> u64 {
        self.data_offset
    }

    /// Everything that isn't a tensor.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// All tensors, in the order of the file's table.
    pub fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }

    /// The tensor called `name`.
    pub fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        self.tensors.get(*self.index.get(name)?)
    }
}

/// Reads one file. `shard` is its index if it is opened with others.
pub(crate) fn read_header(source: &dyn ReadAt, shard: Option<usize>) -> Result<Gguf, Error> {
    let cursor = &mut Cursor::new(source, shard);
    let version = read_version(cursor)?;
    let tensor_count_offset = cursor.position();
    let tensor_count = cursor.u64(|| Field::TensorCount)?;
    let entry_count = cursor.count(MIN_ENTRY_BYTES, MAX_METADATA_ENTRIES, || Field::MetadataCount)?;
    let tensor_count =
        cursor.check_count(tensor_count_offset, tensor_count, MIN_TENSOR_BYTES, MAX_TENSORS, || {
            Field::TensorCount
        })?;
    let metadata = read_metadata(cursor, entry_count, shard)?;
    let alignment = u64::from(alignment_of(&metadata)?);
    let mut table = Vec::new();
    let mut index = HashMap::new();
    for number in 0..tensor_count {
        let row = read_tensor(cursor, number as u64, alignment, shard.unwrap_or(0))?;
        if let Some(first) = index.insert(row.info.name.clone(), number) {
            let first_offset = table.get(first).map_or(0, |row: &Row| row.entry_offset);
            let field = Field::Tensor { name: row.info.name, part: TensorPart::Name };
            return Err(cursor.error_at(row.entry_offset, field, ErrorKind::Duplicate { first_offset }));
        }
        table.push(row);
    }
    // The header is at most MAX_HEADER_BYTES, so this cannot overflow.
    let data_offset = cursor.position().next_multiple_of(alignment);
    place_data(cursor, data_offset, &mut table)?;
    Ok(Gguf {
        version,
        endian: cursor.endian,
        alignment,
        data_offset,
        metadata,
        tensors: table.into_iter().map(|row| row.info).collect(),
        index,
    })
}

/// Checks magic and version. The version tells the byte order: no version comes near 2^16.
fn read_version(cursor: &mut Cursor<'_>) -> Result<u32, Error> {
    let found = cursor.bytes4(|| Field::Magic)?;
    if found != MAGIC {
        return Err(cursor.error_at(0, Field::Magic, ErrorKind::NotGguf { found }));
    }
    let offset = cursor.position();
    let bytes = cursor.bytes4(|| Field::Version)?;
    let little = Endian::Little.u32(bytes);
    if little & 0xffff == 0 && little != 0 {
        cursor.endian = Endian::Big;
    }
    match cursor.endian.u32(bytes) {
        version @ (2 | 3) => Ok(version),
        version => Err(cursor.error_at(offset, Field::Version, ErrorKind::UnsupportedVersion { version })),
    }
}

fn read_metadata(cursor: &mut Cursor<'_>, count: usize, shard: Option<usize>) -> Result<Metadata, Error> {
    let mut metadata = Metadata::of_shard(shard);
    for index in 0..count {
        let offset = cursor.position();
        let key = cursor.name(MAX_KEY_BYTES, || Field::Key { index: index as u64 })?;
        let value = read_value(cursor, &key)?;
        metadata.insert_at(Some(offset), key, value)?;
    }
    Ok(metadata)
}

/// The alignment that metadata asks for.
pub(crate) fn alignment_of(metadata: &Metadata) -> Result<u32, Error> {
    let value = match metadata.get(ALIGNMENT_KEY) {
        None => return Ok(DEFAULT_ALIGNMENT),
        Some(Value::U32(value)) => *value,
        Some(other) => {
            return Err(metadata.error(ALIGNMENT_KEY, ErrorKind::wrong_type("u32", other.value_type())));
        }
    };
    if value.is_power_of_two() && value <= MAX_ALIGNMENT {
        Ok(value)
    } else {
        let kind = ErrorKind::BadAlignment { value: u64::from(value), limit: MAX_ALIGNMENT };
        Err(metadata.error(ALIGNMENT_KEY, kind))
    }
}

/// A tensor's entry while its data isn't placed yet: `info.offset` counts from the start of the data.
struct Row {
    info: TensorInfo,
    entry_offset: u64,
    /// Where the field with the offset is.
    offset_field: u64,
}

fn read_tensor(cursor: &mut Cursor<'_>, index: u64, alignment: u64, shard: usize) -> Result<Row, Error> {
    let entry_offset = cursor.position();
    let name = cursor.name(MAX_TENSOR_NAME_BYTES, || Field::TensorName { index })?;
    let field = |part| Field::Tensor { name: name.clone(), part };

    let dims_offset = cursor.position();
    let dim_count = cursor.u32(|| field(TensorPart::DimensionCount))?;
    if dim_count == 0 || dim_count > MAX_DIMENSIONS {
        let kind = ErrorKind::DimensionCount { count: dim_count };
        return Err(cursor.error_at(dims_offset, field(TensorPart::DimensionCount), kind));
    }
    let first_dim_offset = cursor.position();
    let mut dims = Vec::new();
    for dim in 0..dim_count {
        let offset = cursor.position();
        match cursor.u64(|| field(TensorPart::Dimension(dim)))? {
            0 => {
                return Err(cursor.error_at(
                    offset,
                    field(TensorPart::Dimension(dim)),
                    ErrorKind::ZeroDimension,
                ));
            }
            elements => dims.push(elements),
        }
    }

    let format_offset = cursor.position();
    let number = cursor.u32(|| field(TensorPart::Format))?;
    let format = BlockFormat::from_number(number).ok_or_else(|| {
        cursor.error_at(format_offset, field(TensorPart::Format), BlockFormat::unknown(number))
    })?;
    let extent = Extent::new(&dims, format)
        .map_err(|kind| cursor.error_at(first_dim_offset, field(TensorPart::Dimension(0)), kind))?;

    let offset_field = cursor.position();
    let offset = cursor.u64(|| field(TensorPart::Offset))?;
    if !offset.is_multiple_of(alignment) {
        let kind = ErrorKind::Misaligned { offset, alignment };
        return Err(cursor.error_at(offset_field, field(TensorPart::Offset), kind));
    }
    let info = TensorInfo { name, dims, format, extent, offset, shard };
    Ok(Row { info, entry_offset, offset_field })
}

/// Turns offsets within the data into offsets within the file, and checks that each tensor lies in the file
/// and no two share a byte.
fn place_data(cursor: &Cursor<'_>, data_offset: u64, table: &mut [Row]) -> Result<(), Error> {
    let file_bytes = cursor.len();
    for row in table.iter_mut() {
        let start = data_offset.checked_add(row.info.offset);
        let end = start.and_then(|start| start.checked_add(row.info.size_bytes()));
        if end.is_none_or(|end| end > file_bytes) {
            let field = Field::Tensor { name: row.info.name.clone(), part: TensorPart::Offset };
            let kind = ErrorKind::PastEnd {
                start: data_offset.saturating_add(row.info.offset),
                size_bytes: row.info.size_bytes(),
                file_bytes,
            };
            return Err(cursor.error_at(row.offset_field, field, kind));
        }
        row.info.offset = start.unwrap_or_default();
    }
    let mut by_offset: Vec<&Row> = table.iter().collect();
    by_offset.sort_by_key(|row| row.info.offset);
    for (before, row) in by_offset.iter().zip(by_offset.iter().skip(1)) {
        let other_end = before.info.offset.saturating_add(before.info.size_bytes());
        if other_end > row.info.offset {
            let field = Field::Tensor { name: row.info.name.clone(), part: TensorPart::Offset };
            let kind =
                ErrorKind::Overlap { start: row.info.offset, other: before.info.name.clone(), other_end };
            return Err(cursor.error_at(row.offset_field, field, kind));
        }
    }
    Ok(())
}
