//! Writes GGUF files: header first, then the tensors' data as it comes, so that no model has to be in memory.

use std::io::Write;

use crate::block::BlockFormat;
use crate::endian::Endian;
use crate::error::{Error, ErrorKind, Field, Place, TensorPart, ValuePart};
use crate::file::{MAGIC, alignment_of};
use crate::limits::{MAX_DIMENSIONS, MAX_KEY_BYTES, MAX_TENSOR_NAME_BYTES};
use crate::metadata::Metadata;
use crate::tensor::Extent;
use crate::value::{Value, ValueArray};
use crate::value_write::write_value;

/// What a file is going to hold: metadata and tensors in the order in which they are added.
///
/// Then either [`GgufBuilder::write_to`], if the data was given with [`GgufBuilder::tensor`], or
/// [`GgufBuilder::write_header`], which leaves the data to be streamed. A builder without tensors makes a
/// file of metadata only.
#[derive(Clone, Debug)]
pub struct GgufBuilder {
    version: u32,
    endian: Endian,
    metadata: Metadata,
    tensors: Vec<Declared>,
    names: std::collections::HashSet<String>,
}

#[derive(Clone, Debug)]
struct Declared {
    name: String,
    dims: Vec<u64>,
    format: BlockFormat,
    extent: Extent,
    data: Option<Vec<u8>>,
}

impl Default for GgufBuilder {
    fn default() -> Self {
        GgufBuilder::new()
    }
}

impl GgufBuilder {
    /// An empty file of version 3, little-endian.
    pub fn new() -> Self {
        GgufBuilder {
            version: 3,
            endian: Endian::Little,
            metadata: Metadata::new(),
            tensors: Vec::new(),
            names: std::collections::HashSet::new(),
        }
    }

    /// Sets the byte order. Tensor data has to be given in that order too: it is written as it is.
    pub fn endian(mut self, endian: Endian) -> Self {
        self.endian = endian;
        self
    }

    /// Writes version 2 instead of 3, for old readers. The two differ in name only.
    pub fn version_2(mut self) -> Self {
        self.version = 2;
        self
    }

    /// Adds a metadata pair. `general.alignment` (a `u32`) also sets the alignment of the data; without it, it
    /// is 32.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Result<&mut Self, Error> {
        let (key, value) = (key.into(), value.into());
        let refuse = |kind| {
            let field = Field::Value { key: key.clone(), part: ValuePart::Content };
            Err(Error::new(Place { shard: None, field, offset: None }, kind))
        };
        if key.is_empty() {
            return refuse(ErrorKind::Empty);
        }
        if key.len() as u64 > MAX_KEY_BYTES {
            return refuse(ErrorKind::OverLimit { value: key.len() as u64, limit: MAX_KEY_BYTES });
        }
        if let Value::Array(array) = &value
            && let Err(kind) = check_array(array, 1)
        {
            return refuse(kind);
        }
        self.metadata.insert(key, value)?;
        alignment_of(&self.metadata)?;
        Ok(self)
    }

    /// Declares a tensor whose data is streamed later. `dims` are in ggml's order, the contiguous one first.
    pub fn declare(
        &mut self,
        name: impl Into<String>,
        dims: &[u64],
        format: BlockFormat,
    ) -> Result<&mut Self, Error> {
        self.add(name.into(), dims, format, None)
    }

    /// Adds a tensor with its data.
    pub fn tensor(
        &mut self,
        name: impl Into<String>,
        dims: &[u64],
        format: BlockFormat,
        data: impl Into<Vec<u8>>,
    ) -> Result<&mut Self, Error> {
        self.add(name.into(), dims, format, Some(data.into()))
    }

    fn add(
        &mut self,
        name: String,
        dims: &[u64],
        format: BlockFormat,
        data: Option<Vec<u8>>,
    ) -> Result<&mut Self, Error> {
        let extent = check_tensor(&name, dims, format)?;
        if let Some(data) = &data
            && data.len() as u64 != extent.size_bytes
        {
            let given = data.len() as u64;
            let kind = ErrorKind::DataLength { given, size_bytes: extent.size_bytes };
            return Err(tensor_error(&name, TensorPart::Data, kind));
        }
        if !self.names.insert(name.clone()) {
            return Err(tensor_error(&name, TensorPart::Name, ErrorKind::DuplicateEntry));
        }
        self.tensors.push(Declared { name, dims: dims.to_vec(), format, extent, data });
        Ok(self)
    }

    /// Writes the whole file from data given with [`GgufBuilder::tensor`].
    pub fn write_to<W: Write>(&self, out: W) -> Result<W, Error> {
        let mut writer = self.write_header(out)?;
        for tensor in &self.tensors {
            if let Some(data) = &tensor.data {
                writer.write(data)?;
            }
        }
        writer.finish()
    }

    /// Writes the header. The data of all tensors, in the order of declaration, has to follow.
    pub fn write_header<W: Write>(&self, mut out: W) -> Result<TensorWriter<W>, Error> {
        let alignment = u64::from(alignment_of(&self.metadata)?);
        let header = self.header(alignment)?;
        out.write_all(&header).map_err(|error| {
            let place = Place { shard: None, field: Field::Magic, offset: Some(0) };
            Error::new(place, ErrorKind::Write(error))
        })?;
        let pending = self.tensors.iter().map(|t| (t.name.clone(), t.extent.size_bytes)).collect();
        Ok(TensorWriter { out, alignment, pending, written_of_first: 0, position: header.len() as u64 })
    }

    fn header(&self, alignment: u64) -> Result<Vec<u8>, Error> {
        let endian = self.endian;
        let mut bytes = MAGIC.to_vec();
        endian.put_u32(&mut bytes, self.version);
        endian.put_u64(&mut bytes, self.tensors.len() as u64);
        endian.put_u64(&mut bytes, self.metadata.len() as u64);
        for (key, value) in self.metadata.iter() {
            endian.put_bytes(&mut bytes, key.as_bytes());
            write_value(&mut bytes, endian, value);
        }
        let mut offset = 0_u64;
        for tensor in &self.tensors {
            endian.put_bytes(&mut bytes, tensor.name.as_bytes());
            // There are at most four.
            endian.put_u32(&mut bytes, u32::try_from(tensor.dims.len()).unwrap_or(MAX_DIMENSIONS));
            for dim in &tensor.dims {
                endian.put_u64(&mut bytes, *dim);
            }
            endian.put_u32(&mut bytes, tensor.format.number());
            endian.put_u64(&mut bytes, offset);
            offset = offset
                .checked_add(tensor.extent.size_bytes)
                .and_then(|end| end.checked_next_multiple_of(alignment))
                .ok_or_else(|| tensor_error(&tensor.name, TensorPart::Offset, ErrorKind::SizeOverflow))?;
        }
        pad(&mut bytes, alignment);
        Ok(bytes)
    }
}

fn pad(bytes: &mut Vec<u8>, alignment: u64) {
    let padding = padding_after(bytes.len() as u64, alignment);
    bytes.extend(std::iter::repeat_n(0, padding));
}

/// The bytes from `position` to the next multiple of `alignment`, which is at most
/// [`MAX_ALIGNMENT`](crate::limits::MAX_ALIGNMENT).
fn padding_after(position: u64, alignment: u64) -> usize {
    let past = position.checked_rem(alignment).unwrap_or(0);
    if past == 0 { 0 } else { usize::try_from(alignment.saturating_sub(past)).unwrap_or(0) }
}

fn tensor_error(name: &str, part: TensorPart, kind: ErrorKind) -> Error {
    let field = Field::Tensor { name: name.to_owned(), part };
    Error::new(Place { shard: None, field, offset: None }, kind)
}

fn check_tensor(name: &str, dims: &[u64], format: BlockFormat) -> Result<Extent, Error> {
    let refuse = |part, kind| Err(tensor_error(name, part, kind));
    if name.is_empty() {
        return refuse(TensorPart::Name, ErrorKind::Empty);
    }
    if name.len() as u64 > MAX_TENSOR_NAME_BYTES {
        let kind = ErrorKind::OverLimit { value: name.len() as u64, limit: MAX_TENSOR_NAME_BYTES };
        return refuse(TensorPart::Name, kind);
    }
    let count = u32::try_from(dims.len()).unwrap_or(u32::MAX);
    if count == 0 || count > MAX_DIMENSIONS {
        return refuse(TensorPart::DimensionCount, ErrorKind::DimensionCount { count });
    }
    if let Some((dim, _)) = (0_u32..).zip(dims).find(|(_, elements)| **elements == 0) {
        return refuse(TensorPart::Dimension(dim), ErrorKind::ZeroDimension);
    }
    Extent::new(dims, format).or_else(|kind| refuse(TensorPart::Dimension(0), kind))
}

/// Refuses what the reader would refuse.
fn check_array(array: &ValueArray, depth: u32) -> Result<(), ErrorKind> {
    use crate::limits::{MAX_ARRAY_DEPTH, MAX_ARRAY_ELEMENTS};
    if array.len() as u64 > MAX_ARRAY_ELEMENTS {
        return Err(ErrorKind::OverLimit { value: array.len() as u64, limit: MAX_ARRAY_ELEMENTS });
    }
    match array {
        ValueArray::Arrays(_) if depth >= MAX_ARRAY_DEPTH => {
            Err(ErrorKind::NestedTooDeep { limit: MAX_ARRAY_DEPTH })
        }
        ValueArray::Arrays(arrays) => {
            arrays.iter().try_for_each(|inner| check_array(inner, depth.saturating_add(1)))
        }
        _ => Ok(()),
    }
}

/// Takes the tensors' data after [`GgufBuilder::write_header`], in the order of declaration and in pieces of
/// any size; places and pads them.
#[derive(Debug)]
pub struct TensorWriter<W> {
    out: W,
    alignment: u64,
    /// Name and size of the tensors that aren't complete.
    pending: std::collections::VecDeque<(String, u64)>,
    written_of_first: u64,
    position: u64,
}

impl<W: Write> TensorWriter<W> {
    /// The tensor that the next byte belongs to, and how many bytes it still takes.
    pub fn next_tensor(&self) -> Option<(&str, u64)> {
        let (name, size) = self.pending.front()?;
        Some((name, size.saturating_sub(self.written_of_first)))
    }

    /// Writes bytes of the current tensor, at most as many as it still takes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some((name, size)) = self.pending.front() else {
            let place = Place { shard: None, field: Field::TensorCount, offset: Some(self.position) };
            return Err(Error::new(place, ErrorKind::Unwritable { reason: "all tensors are complete" }));
        };
        let written = self.written_of_first.saturating_add(bytes.len() as u64);
        if written > *size {
            let kind = ErrorKind::DataLength { given: written, size_bytes: *size };
            return Err(tensor_error(name, TensorPart::Data, kind));
        }
        self.out
            .write_all(bytes)
            .map_err(|error| tensor_error(name, TensorPart::Data, ErrorKind::Write(error)))?;
        self.written_of_first = written;
        self.position = self.position.saturating_add(bytes.len() as u64);
        if written == *size {
            self.end_tensor()?;
        }
        Ok(())
    }

    fn end_tensor(&mut self) -> Result<(), Error> {
        let Some((name, _)) = self.pending.pop_front() else { return Ok(()) };
        self.written_of_first = 0;
        let padding = padding_after(self.position, self.alignment);
        self.out
            .write_all(&vec![0; padding])
            .map_err(|error| tensor_error(&name, TensorPart::Data, ErrorKind::Write(error)))?;
        self.position = self.position.saturating_add(padding as u64);
        Ok(())
    }

    /// Flushes and gives the destination back. Refused while a tensor lacks bytes.
    pub fn finish(mut self) -> Result<W, Error> {
        if let Some((name, size_bytes)) = self.pending.front() {
            let kind = ErrorKind::DataLength { given: self.written_of_first, size_bytes: *size_bytes };
            return Err(tensor_error(name, TensorPart::Data, kind));
        }
        self.out.flush().map_err(|error| {
            let place = Place { shard: None, field: Field::TensorCount, offset: Some(self.position) };
            Error::new(place, ErrorKind::Write(error))
        })?;
        Ok(self.out)
    }
}
