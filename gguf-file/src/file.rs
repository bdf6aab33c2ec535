//! [`Gguf`]: a file's header, which exists only when all of it was checked.

use std::collections::HashMap;

use crate::cursor::Cursor;
use crate::endian::Endian;
use crate::error::{Error, ErrorKind};
use crate::limits::{MAX_ALIGNMENT, MAX_KEY_BYTES, MAX_METADATA_ENTRIES, MAX_TENSORS};
use crate::metadata::Metadata;
use crate::place::Field;
use crate::source::ReadAt;
use crate::split;
use crate::table::{MIN_TENSOR_BYTES, Table, read_table};
use crate::tensor::TensorInfo;
use crate::value::Value;
use crate::value_read::read_value;

pub(crate) const MAGIC: [u8; 4] = *b"GGUF";
pub(crate) const ALIGNMENT_KEY: &str = "general.alignment";
pub(crate) const DEFAULT_ALIGNMENT: u32 = 32;

/// The least bytes of a pair: key length, one byte of key, type, one byte of value.
const MIN_ENTRY_BYTES: u64 = 8 + 1 + 4 + 1;
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
    let mut metadata = Metadata::of_shard(shard);
    read_metadata(cursor, entry_count as u64, &mut metadata)?;
    let alignment = u64::from(alignment_of(&metadata)?);
    let Table { data_offset, tensors, index } =
        read_table(cursor, tensor_count, alignment, shard.unwrap_or(0))?;
    Ok(Gguf { version, endian: cursor.endian, alignment, data_offset, metadata, tensors, index })
}

/// Checks magic and version. The version tells the byte order: no version comes near 2^16.
pub(crate) fn read_version(cursor: &mut Cursor<'_>) -> Result<u32, Error> {
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

/// Reads pairs, of which those before an error are there.
pub(crate) fn read_metadata(
    cursor: &mut Cursor<'_>,
    count: u64,
    metadata: &mut Metadata,
) -> Result<(), Error> {
    for index in 0..count {
        let offset = cursor.position();
        let key = cursor.name(MAX_KEY_BYTES, || Field::Key { index })?;
        let value = read_value(cursor, &key)?;
        metadata.insert_at(Some(offset), key, value)?;
    }
    Ok(())
}

/// The alignment that metadata asks for.
pub(crate) fn alignment_of(metadata: &Metadata) -> Result<u32, Error> {
    let Some(value) = metadata.get(ALIGNMENT_KEY) else { return Ok(DEFAULT_ALIGNMENT) };
    check_alignment(value).map_err(|kind| metadata.error(ALIGNMENT_KEY, kind))
}

/// Whether a value is one that [`ALIGNMENT_KEY`] may have.
pub(crate) fn check_alignment(value: &Value) -> Result<u32, ErrorKind> {
    match value {
        Value::U32(alignment) if alignment.is_power_of_two() && *alignment <= MAX_ALIGNMENT => Ok(*alignment),
        Value::U32(alignment) => Err(ErrorKind::BadAlignment { value: *alignment, limit: MAX_ALIGNMENT }),
        other => Err(ErrorKind::wrong_type("u32", other.value_type())),
    }
}
