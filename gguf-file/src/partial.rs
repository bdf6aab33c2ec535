//! [`Partial`]: what can still be read of a file that isn't whole, such as a download that broke off.

use crate::block::BlockFormat;
use crate::cursor::Cursor;
use crate::error::Error;
use crate::file::{alignment_of, read_metadata, read_version};
use crate::metadata::Metadata;
use crate::place::Field;
use crate::source::ReadAt;
use crate::table::read_tensor;
use crate::tensor::TensorInfo;

/// What can be read of a file from its start up to where it ends or makes no sense. Why it isn't a model is what
/// [`Gguf::open`](crate::Gguf::open) says.
#[derive(Clone, Debug)]
pub struct Partial {
    version: u32,
    metadata: Metadata,
    metadata_count: u64,
    tensors: Vec<TensorInfo>,
    cut: Vec<CutTensor>,
    tensor_count: u64,
}

/// A tensor that the table names and whose data the file has in part or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutTensor {
    /// Its name.
    pub name: String,
    /// Its dimensions in ggml's order.
    pub dims: Vec<u64>,
    /// Its format.
    pub format: BlockFormat,
    /// How long its data would be, in bytes.
    pub size_bytes: u64,
    /// How much of that is there.
    pub there_bytes: u64,
}

impl Partial {
    /// Reads what can be read. Fails where not even the counts at the start can, as of a file of another kind.
    pub fn read(source: &dyn ReadAt) -> Result<Partial, Error> {
        let cursor = &mut Cursor::new(source, None);
        let version = read_version(cursor)?;
        let tensor_count = cursor.u64(|| Field::TensorCount)?;
        let metadata_count = cursor.u64(|| Field::MetadataCount)?;
        let mut partial = Partial {
            version,
            metadata: Metadata::new(),
            metadata_count,
            tensors: Vec::new(),
            cut: Vec::new(),
            tensor_count,
        };
        // Whatever ends the reading, what came before it is there.
        let (Ok(()) | Err(_)) = partial.fill(cursor);
        Ok(partial)
    }

    /// Each pair and each entry takes bytes of the file, which so bounds the loops, whatever the counts are.
    fn fill(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        read_metadata(cursor, self.metadata_count, &mut self.metadata)?;
        let alignment = u64::from(alignment_of(&self.metadata)?);
        let mut table = Vec::new();
        let mut read = Ok(());
        for number in 0..self.tensor_count {
            match read_tensor(cursor, number, alignment, 0) {
                Ok(row) => table.push(row.info),
                Err(error) => {
                    read = Err(error);
                    break;
                }
            }
        }
        // Where the table isn't whole, nobody knows where the data begins: behind the file's end, most likely.
        let data_offset =
            if read.is_ok() { cursor.position().next_multiple_of(alignment) } else { cursor.len() };
        for info in table {
            let start = data_offset.saturating_add(info.offset);
            let there_bytes = cursor.len().saturating_sub(start).min(info.size_bytes());
            if there_bytes == info.size_bytes() {
                self.tensors.push(TensorInfo { offset: start, ..info });
            } else {
                let size_bytes = info.size_bytes();
                let TensorInfo { name, dims, format, .. } = info;
                self.cut.push(CutTensor { name, dims, format, size_bytes, there_bytes });
            }
        }
        read
    }

    /// The format's version, 2 or 3.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The metadata that is there.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// How many pairs of metadata the file says that it has.
    pub fn metadata_count(&self) -> u64 {
        self.metadata_count
    }

    /// The tensors whose data is there as a whole, in the order of the table.
    pub fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }

    /// The tensors whose data isn't.
    pub fn cut(&self) -> &[CutTensor] {
        &self.cut
    }

    /// How many tensors the file says that it has.
    pub fn tensor_count(&self) -> u64 {
        self.tensor_count
    }
}
