//! `.safetensors`: a JSON header that names, types and places tensors, then their bytes without gaps.
//!
//! Read and written here rather than with the `safetensors` crate: its writer wants all data in memory at once, and
//! its reader sorts the tensors, where IREE's tools (and [`super::dump`]) list them as the header does. The crate
//! is what the tests compare with.

use super::archive::{Item, Layout, Place, TooLarge};
use super::element::{safetensors_name, size_bytes};
use super::index::{IndexEntry, Storage};
use gguf_file::{ReadAt, ReadError};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::HashSet;
use std::fmt;

/// The most bytes that a header may take; the `safetensors` crate has the same limit.
const MAX_HEADER_BYTES: u64 = 100_000_000;
const LENGTH_BYTES: u64 = 8;
/// Data begins at a multiple of this, so that a mapped file's tensors are aligned.
const DATA_ALIGNMENT: u64 = 64;
const METADATA_KEY: &str = "__metadata__";

/// Lays a file out. Tensors with larger elements come first, so that each is aligned to its elements; those of one
/// size keep their order.
pub fn layout(items: &[Item<'_>]) -> Result<Layout, TooLarge> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|item| std::cmp::Reverse(size_bytes(items[*item].element_type)));
    let mut end = 0u64;
    let mut places = Vec::with_capacity(items.len());
    let mut header = String::from("{\"__metadata__\":{\"format\":\"pt\"}");
    for item in order {
        let Item { name, shape, element_type, size_bytes } = items[item];
        let begin = end;
        end = begin.checked_add(size_bytes).ok_or(TooLarge)?;
        let entry = serde_json::json!(name).to_string();
        let dtype = safetensors_name(element_type);
        let tensor = Written { dtype, shape, data_offsets: [begin, end] };
        header.push(',');
        header.push_str(&entry);
        header.push(':');
        // Strings and integers always have a JSON form.
        header.push_str(&serde_json::to_string(&tensor).unwrap_or_default());
        places.push(Place { item, offset: begin, size_bytes });
    }
    header.push('}');
    let data_offset = (LENGTH_BYTES + header.len() as u64).next_multiple_of(DATA_ALIGNMENT);
    let mut head = Vec::from((data_offset - LENGTH_BYTES).to_le_bytes());
    head.extend(header.bytes());
    head.resize(data_offset as usize, b' ');
    for place in &mut places {
        place.offset += data_offset;
    }
    Ok(Layout { head, places, size_bytes: data_offset.checked_add(end).ok_or(TooLarge)? })
}

#[derive(Serialize)]
struct Written<'a> {
    dtype: &'static str,
    shape: &'a [u64],
    data_offsets: [u64; 2],
}

/// Why a file cannot be read as safetensors.
#[derive(Debug, thiserror::Error)]
pub enum SafetensorsError {
    /// The source failed.
    #[error("safetensors: reading {length} bytes at offset {offset}: {source}")]
    Read {
        /// Where.
        offset: u64,
        /// How many bytes.
        length: u64,
        /// Why it failed.
        source: ReadError,
    },
    /// The header does not fit.
    #[error(
        "safetensors: the first 8 bytes promise a header of {length} bytes, but the file has {file} bytes"
    )]
    HeaderPastEnd {
        /// What the file says.
        length: u64,
        /// The file's length.
        file: u64,
    },
    /// A header that nobody has use for.
    #[error("safetensors: a header of {0} bytes; at most {MAX_HEADER_BYTES} are read")]
    HeaderSize(u64),
    /// The header is no JSON of the right form.
    #[error("safetensors: the header: {0}")]
    Json(serde_json::Error),
    /// Two tensors with one name.
    #[error("safetensors: two tensors are called `{0}`")]
    Duplicate(String),
    /// A type that the format does not have.
    #[error("safetensors: tensor `{name}` is of type `{dtype}`, which is unknown")]
    Dtype {
        /// The tensor.
        name: String,
        /// Its type.
        dtype: String,
    },
    /// Shape, type and place disagree.
    #[error("safetensors: tensor `{name}`: {dtype} {shape:?} does not take the bytes from {begin} to {end}")]
    Size {
        /// The tensor.
        name: String,
        /// Its type.
        dtype: String,
        /// Its shape.
        shape: Vec<u64>,
        /// From the start of the data.
        begin: u64,
        /// From the start of the data.
        end: u64,
    },
    /// The format allows neither gaps nor overlaps.
    #[error(
        "safetensors: tensor `{name}` begins at {begin} of the data, but the one before it ends at {expected}"
    )]
    Gap {
        /// The tensor.
        name: String,
        /// From the start of the data.
        begin: u64,
        /// From the start of the data.
        expected: u64,
    },
    /// Too little data, or too much.
    #[error("safetensors: the tensors take {expected} bytes, but {found} bytes of data are there")]
    DataSize {
        /// What the header says.
        expected: u64,
        /// What is there.
        found: u64,
    },
}

/// Reads a file's index, in the header's order; the data stays where it is.
pub fn read(source: &dyn ReadAt) -> Result<Vec<IndexEntry>, SafetensorsError> {
    let file = source.len();
    let mut length = [0; LENGTH_BYTES as usize];
    if file < LENGTH_BYTES {
        return Err(SafetensorsError::HeaderPastEnd { length: 0, file });
    }
    read_at(source, 0, &mut length)?;
    let length = u64::from_le_bytes(length);
    if length > file - LENGTH_BYTES {
        return Err(SafetensorsError::HeaderPastEnd { length, file });
    }
    if length > MAX_HEADER_BYTES {
        return Err(SafetensorsError::HeaderSize(length));
    }
    let mut header = vec![0; length as usize];
    read_at(source, LENGTH_BYTES, &mut header)?;
    let Header(tensors) = serde_json::from_slice(&header).map_err(SafetensorsError::Json)?;
    check(&tensors, file - LENGTH_BYTES - length)?;
    let data_offset = LENGTH_BYTES + length;
    let entry = |(name, tensor): (String, Tensor)| {
        let [begin, end] = tensor.data_offsets;
        IndexEntry { name, size_bytes: end - begin, storage: Storage::File { offset: data_offset + begin } }
    };
    Ok(tensors.into_iter().map(entry).collect())
}

fn read_at(source: &dyn ReadAt, offset: u64, bytes: &mut [u8]) -> Result<(), SafetensorsError> {
    let length = bytes.len() as u64;
    source.read_at(offset, bytes).map_err(|source| SafetensorsError::Read { offset, length, source })
}

fn check(tensors: &[(String, Tensor)], data_bytes: u64) -> Result<(), SafetensorsError> {
    let mut names = HashSet::new();
    for (name, tensor) in tensors {
        if !names.insert(name) {
            return Err(SafetensorsError::Duplicate(name.clone()));
        }
        let Tensor { dtype, shape, data_offsets: [begin, end] } = tensor;
        let Some(bits) = dtype_bits(dtype) else {
            return Err(SafetensorsError::Dtype { name: name.clone(), dtype: dtype.clone() });
        };
        let bits = shape.iter().try_fold(bits, |product, dim| product.checked_mul(*dim));
        if bits.is_none() || bits != end.checked_sub(*begin).and_then(|bytes| bytes.checked_mul(8)) {
            let (name, dtype, shape) = (name.clone(), dtype.clone(), shape.clone());
            return Err(SafetensorsError::Size { name, dtype, shape, begin: *begin, end: *end });
        }
    }
    let mut by_place: Vec<_> = tensors.iter().collect();
    by_place.sort_by_key(|(_, tensor)| tensor.data_offsets);
    let mut expected = 0;
    for (name, tensor) in by_place {
        let [begin, end] = tensor.data_offsets;
        if begin != expected {
            return Err(SafetensorsError::Gap { name: name.clone(), begin, expected });
        }
        expected = end;
    }
    if expected == data_bytes {
        Ok(())
    } else {
        Err(SafetensorsError::DataSize { expected, found: data_bytes })
    }
}

fn dtype_bits(name: &str) -> Option<u64> {
    Some(match name {
        "F4" => 4,
        "F6_E2M3" | "F6_E3M2" => 6,
        "BOOL" | "U8" | "I8" | "F8_E5M2" | "F8_E4M3" | "F8_E8M0" | "F8_E5M2FNUZ" | "F8_E4M3FNUZ" => 8,
        "I16" | "U16" | "F16" | "BF16" => 16,
        "I32" | "U32" | "F32" => 32,
        "I64" | "U64" | "F64" | "C64" => 64,
        _ => return None,
    })
}

/// The header's tensors as they stand in it, the metadata left out.
struct Header(Vec<(String, Tensor)>);

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HeaderVisitor)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Header;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
        let mut tensors = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == METADATA_KEY {
                map.next_value::<serde::de::IgnoredAny>()?;
            } else {
                tensors.push((name, map.next_value()?));
            }
        }
        Ok(Header(tensors))
    }
}
