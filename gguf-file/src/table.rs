//! The table of tensors: each entry checked by itself, then all of them together.

use std::collections::HashMap;

use crate::block::BlockFormat;
use crate::cursor::Cursor;
use crate::error::{Error, ErrorKind};
use crate::limits::{MAX_DIMENSIONS, MAX_TENSOR_NAME_BYTES};
use crate::place::{Field, TensorPart};
use crate::tensor::{Extent, TensorInfo};

/// The least bytes of an entry: name length, one byte of name, dimension count, one dimension, format, offset.
pub(crate) const MIN_TENSOR_BYTES: u64 = 8 + 1 + 4 + 8 + 4 + 8;

/// A table that was checked.
pub(crate) struct Table {
    pub(crate) data_offset: u64,
    pub(crate) tensors: Vec<TensorInfo>,
    /// From each name to its place in `tensors`.
    pub(crate) index: HashMap<String, usize>,
}

/// Reads a table of `count` entries. `shard` is what the tensors will say they belong to.
pub(crate) fn read_table(
    cursor: &mut Cursor<'_>,
    count: usize,
    alignment: u64,
    shard: usize,
) -> Result<Table, Error> {
    let mut rows: Vec<Row> = Vec::new();
    let mut index = HashMap::new();
    for number in 0..count {
        let row = read_tensor(cursor, number as u64, alignment, shard)?;
        if let Some(first) = index.insert(row.info.name.clone(), number) {
            let first_offset = rows.get(first).map_or(0, |row| row.entry_offset);
            let field = Field::Tensor { name: row.info.name, part: TensorPart::Name };
            return Err(cursor.error_at(row.entry_offset, field, ErrorKind::Duplicate { first_offset }));
        }
        rows.push(row);
    }
    // Header and alignment are limited, so this cannot overflow.
    let data_offset = cursor.position().next_multiple_of(alignment);
    place_data(cursor, data_offset, &mut rows)?;
    check_overlaps(cursor, &rows)?;
    Ok(Table { data_offset, tensors: rows.into_iter().map(|row| row.info).collect(), index })
}

/// A tensor's entry while its data isn't placed yet: `info.offset` counts from the start of the data.
pub(crate) struct Row {
    pub(crate) info: TensorInfo,
    entry_offset: u64,
    /// Where the field with the offset is.
    offset_field: u64,
}

pub(crate) fn read_tensor(
    cursor: &mut Cursor<'_>,
    index: u64,
    alignment: u64,
    shard: usize,
) -> Result<Row, Error> {
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
        .map_err(|(part, kind)| cursor.error_at(first_dim_offset, field(part), kind))?;

    let offset_field = cursor.position();
    let offset = cursor.u64(|| field(TensorPart::Offset))?;
    if !offset.is_multiple_of(alignment) {
        let kind = ErrorKind::Misaligned { offset, alignment };
        return Err(cursor.error_at(offset_field, field(TensorPart::Offset), kind));
    }
    let info = TensorInfo { name, dims, format, extent, offset, shard };
    Ok(Row { info, entry_offset, offset_field })
}

/// Turns offsets within the data into offsets within the file, and checks that each tensor lies in the file.
fn place_data(cursor: &Cursor<'_>, data_offset: u64, rows: &mut [Row]) -> Result<(), Error> {
    let file_bytes = cursor.len();
    for row in rows.iter_mut() {
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
    Ok(())
}

/// No two tensors share a byte.
fn check_overlaps(cursor: &Cursor<'_>, rows: &[Row]) -> Result<(), Error> {
    let mut by_offset: Vec<&Row> = rows.iter().collect();
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
