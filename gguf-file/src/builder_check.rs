//! What the writer refuses: everything that the reader would.

use crate::block::BlockFormat;
use crate::error::ErrorKind;
use crate::file::{ALIGNMENT_KEY, check_alignment};
use crate::limits::{
    MAX_ARRAY_DEPTH, MAX_ARRAY_ELEMENTS, MAX_DIMENSIONS, MAX_KEY_BYTES, MAX_STRING_BYTES,
    MAX_TENSOR_NAME_BYTES,
};
use crate::place::TensorPart;
use crate::tensor::Extent;
use crate::value::{Value, ValueArray};

pub(crate) fn check_pair(key: &str, value: &Value) -> Result<(), ErrorKind> {
    check_name(key, MAX_KEY_BYTES)?;
    if key == ALIGNMENT_KEY {
        check_alignment(value)?;
    }
    match value {
        Value::Array(array) => check_array(array, 1),
        Value::String(text) => within(text.len(), MAX_STRING_BYTES),
        Value::Bytes(bytes) => within(bytes.len(), MAX_STRING_BYTES),
        _ => Ok(()),
    }
}

pub(crate) fn check_tensor(
    name: &str,
    dims: &[u64],
    format: BlockFormat,
) -> Result<Extent, (TensorPart, ErrorKind)> {
    check_name(name, MAX_TENSOR_NAME_BYTES).map_err(|kind| (TensorPart::Name, kind))?;
    let count = u32::try_from(dims.len()).unwrap_or(u32::MAX);
    if count == 0 || count > MAX_DIMENSIONS {
        return Err((TensorPart::DimensionCount, ErrorKind::DimensionCount { count }));
    }
    if let Some((dim, _)) = (0_u32..).zip(dims).find(|(_, elements)| **elements == 0) {
        return Err((TensorPart::Dimension(dim), ErrorKind::ZeroDimension));
    }
    Extent::new(dims, format)
}

fn check_name(name: &str, limit: u64) -> Result<(), ErrorKind> {
    if name.is_empty() { Err(ErrorKind::Empty) } else { within(name.len(), limit) }
}

fn check_array(array: &ValueArray, depth: u32) -> Result<(), ErrorKind> {
    within(array.len(), MAX_ARRAY_ELEMENTS)?;
    match array {
        ValueArray::Arrays(_) if depth >= MAX_ARRAY_DEPTH => {
            Err(ErrorKind::NestedTooDeep { limit: MAX_ARRAY_DEPTH })
        }
        ValueArray::Arrays(arrays) => {
            arrays.iter().try_for_each(|inner| check_array(inner, depth.saturating_add(1)))
        }
        ValueArray::Strings(texts) => texts.iter().try_for_each(|text| within(text.len(), MAX_STRING_BYTES)),
        ValueArray::Bytes(strings) => {
            strings.iter().try_for_each(|bytes| within(bytes.len(), MAX_STRING_BYTES))
        }
        _ => Ok(()),
    }
}

pub(crate) fn within(value: usize, limit: u64) -> Result<(), ErrorKind> {
    let value = value as u64;
    if value <= limit { Ok(()) } else { Err(ErrorKind::OverLimit { value, limit }) }
}
