//! [`GgufBuilder`]: says what a file is going to hold, then writes its header.

use std::collections::HashSet;
use std::io::Write;

use crate::block::BlockFormat;
use crate::builder_check::{check_pair, check_tensor, within};
use crate::endian::Endian;
use crate::error::{Error, ErrorKind};
use crate::file::{ALIGNMENT_KEY, DEFAULT_ALIGNMENT, MAGIC};
use crate::limits::{MAX_HEADER_BYTES, MAX_METADATA_ENTRIES, MAX_TENSORS};
use crate::metadata::Metadata;
use crate::place::{Field, Place, TensorPart};
use crate::tensor::Extent;
use crate::value::Value;
use crate::value_write::write_value;
use crate::writer::{TensorWriter, padding_after};

/// What a file is going to hold: metadata and tensors in the order in which they are added.
///
/// Then either [`write_to`](GgufBuilder::write_to), if the data was given with
/// [`tensor`](GgufBuilder::tensor), or [`write_header`](GgufBuilder::write_header), which leaves the data to
/// be streamed. A builder without tensors makes a file of metadata only. What [`Gguf::open`](crate::Gguf::open)
/// would refuse is refused here.
#[derive(Clone, Debug)]
pub struct GgufBuilder {
    version: u32,
    endian: Endian,
    metadata: Metadata,
    /// No two have the same name.
    tensors: Vec<Declared>,
    names: HashSet<String>,
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
            names: HashSet::new(),
        }
    }

    /// Sets the byte order. Tensor data has to be given in that order too: it is written as it is.
    pub fn endian(mut self, endian: Endian) -> Self {
        self.endian = endian;
        self
    }

    /// Writes version 2 instead of 3, for old readers. Nothing else changes.
    pub fn version_2(mut self) -> Self {
        self.version = 2;
        self
    }

    /// Adds a metadata pair. `general.alignment` (a `u32`) also sets the alignment of the data, which is 32
    /// without it.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Result<&mut Self, Error> {
        let (key, value) = (key.into(), value.into());
        check_pair(&key, &value).map_err(|kind| self.metadata.error(&key, kind))?;
        self.metadata.insert(key, value)?;
        Ok(self)
    }

    /// Adds all pairs of another file's metadata.
    pub fn set_all(&mut self, metadata: &Metadata) -> Result<&mut Self, Error> {
        for (key, value) in metadata.iter() {
            self.set(key, value.clone())?;
        }
        Ok(self)
    }

    /// The bytes of a file, of version 3 and little-endian, that holds those pairs of another file's metadata whose key
    /// `keeps` takes, and no tensors. The values, vocabularies among them, are copied once, into the bytes.
    pub fn metadata_file(metadata: &Metadata, keeps: impl Fn(&str) -> bool) -> Result<Vec<u8>, Error> {
        let pairs: Vec<_> = metadata.iter().filter(|(key, _)| keeps(key)).collect();
        for (key, value) in &pairs {
            check_pair(key, value).map_err(|kind| metadata.error(key, kind))?;
        }
        GgufBuilder::new().header(&pairs)
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
        let extent =
            check_tensor(&name, dims, format).map_err(|(part, kind)| tensor_error(&name, part, kind))?;
        if let Some(data) = &data
            && data.len() as u64 != extent.size_bytes
        {
            let kind = ErrorKind::DataLength { given: data.len() as u64, size_bytes: extent.size_bytes };
            return Err(tensor_error(&name, TensorPart::Data, kind));
        }
        if !self.names.insert(name.clone()) {
            return Err(tensor_error(&name, TensorPart::Name, ErrorKind::DuplicateEntry));
        }
        self.tensors.push(Declared { name, dims: dims.to_vec(), format, extent, data });
        Ok(self)
    }

    /// Writes the whole file, whose tensors must all have come with their data.
    pub fn write_to<W: Write>(&self, out: W) -> Result<W, Error> {
        let mut writer = self.write_header(out)?;
        for tensor in &self.tensors {
            let Some(data) = &tensor.data else {
                let kind = ErrorKind::DataLength { given: 0, size_bytes: tensor.extent.size_bytes };
                return Err(tensor_error(&tensor.name, TensorPart::Data, kind));
            };
            writer.write(data)?;
        }
        writer.finish()
    }

    /// Writes the header. The data of all tensors, in the order of declaration, has to follow.
    pub fn write_header<W: Write>(&self, mut out: W) -> Result<TensorWriter<W>, Error> {
        let pairs: Vec<_> = self.metadata.iter().collect();
        let header = self.header(&pairs)?;
        let alignment = alignment(&pairs);
        out.write_all(&header)
            .map_err(|error| Error::new(Place::of(Field::Magic), ErrorKind::Write(error)))?;
        let tensors = self.tensors.iter().map(|tensor| (tensor.name.clone(), tensor.extent.size_bytes));
        Ok(TensorWriter::new(out, alignment, tensors.collect(), header.len() as u64))
    }

    /// The header with these pairs for metadata.
    fn header(&self, pairs: &[(&str, &Value)]) -> Result<Vec<u8>, Error> {
        let alignment = alignment(pairs);
        let refuse = |field| move |kind| Error::new(Place::of(field), kind);
        within(pairs.len(), MAX_METADATA_ENTRIES).map_err(refuse(Field::MetadataCount))?;
        within(self.tensors.len(), MAX_TENSORS).map_err(refuse(Field::TensorCount))?;
        let endian = self.endian;
        let mut bytes = MAGIC.to_vec();
        endian.put_u32(&mut bytes, self.version);
        endian.put_u64(&mut bytes, self.tensors.len() as u64);
        endian.put_u64(&mut bytes, pairs.len() as u64);
        for (key, value) in pairs {
            endian.put_bytes(&mut bytes, key.as_bytes());
            write_value(&mut bytes, endian, value);
        }
        let mut offset = 0_u64;
        for tensor in &self.tensors {
            endian.put_bytes(&mut bytes, tensor.name.as_bytes());
            // At most four, as checked.
            endian.put_u32(&mut bytes, u32::try_from(tensor.dims.len()).unwrap_or_default());
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
        let padding = padding_after(bytes.len() as u64, alignment);
        bytes.extend(std::iter::repeat_n(0, padding));
        if bytes.len() as u64 > MAX_HEADER_BYTES {
            return Err(refuse(Field::TensorCount)(ErrorKind::HeaderTooLarge { limit: MAX_HEADER_BYTES }));
        }
        Ok(bytes)
    }
}

/// What the data is aligned to in a file with these pairs.
fn alignment(pairs: &[(&str, &Value)]) -> u64 {
    match pairs.iter().find(|(key, _)| *key == ALIGNMENT_KEY) {
        Some((_, Value::U32(alignment))) => u64::from(*alignment),
        _ => u64::from(DEFAULT_ALIGNMENT),
    }
}

pub(crate) fn tensor_error(name: &str, part: TensorPart, kind: ErrorKind) -> Error {
    Error::new(Place::of(Field::Tensor { name: name.to_owned(), part }), kind)
}
