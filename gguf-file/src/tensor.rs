//! [`TensorInfo`]: what a file says about one tensor, checked.

use crate::block::BlockFormat;
use crate::error::ErrorKind;
use crate::place::TensorPart;

/// Name, dimensions, format and place of a tensor. One that came from a file lies wholly within that file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    pub(crate) name: String,
    /// 1 to 4 of them, none zero, their product counted in `extent`.
    pub(crate) dims: Vec<u64>,
    pub(crate) format: BlockFormat,
    pub(crate) extent: Extent,
    /// From the start of the file.
    pub(crate) offset: u64,
    pub(crate) shard: usize,
}

impl TensorInfo {
    /// The name, such as `blk.0.attn_q.weight`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The dimensions in ggml's order: the first is the one that is contiguous in memory. Reversed, it is the
    /// row-major shape.
    pub fn dims(&self) -> &[u64] {
        &self.dims
    }

    /// The block format of the data.
    pub fn format(&self) -> BlockFormat {
        self.format
    }

    /// Where the data starts, in bytes from the start of its file.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How long the data is, in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.extent.size_bytes
    }

    /// How many elements there are.
    pub fn elements(&self) -> u64 {
        self.extent.elements
    }

    /// The index of the tensor's file among the sources given to [`Gguf::open_split`](crate::Gguf::open_split);
    /// 0 for a model in one file.
    pub fn shard(&self) -> usize {
        self.shard
    }
}

/// The size of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) elements: u64,
    pub(crate) size_bytes: u64,
}

impl Extent {
    /// Multiplies dimensions out, none of which is zero. An error comes with the part that it is about.
    pub(crate) fn new(dims: &[u64], format: BlockFormat) -> Result<Extent, (TensorPart, ErrorKind)> {
        let row = dims.first().copied().unwrap_or_default();
        let block_elements = format.block_elements();
        if !row.is_multiple_of(block_elements) {
            let kind = ErrorKind::PartialBlock { elements: row, block_elements, format: format.name() };
            return Err((TensorPart::Dimension(0), kind));
        }
        // ggml counts elements and bytes in i64.
        let countable = |n: &u64| i64::try_from(*n).is_ok();
        let elements =
            dims.iter().try_fold(1_u64, |product, dim| product.checked_mul(*dim).filter(countable));
        let size_bytes = elements.and_then(|elements| format.size_bytes(elements)).filter(countable);
        match (elements, size_bytes) {
            (Some(elements), Some(size_bytes)) => Ok(Extent { elements, size_bytes }),
            (None, _) | (_, None) => Err((TensorPart::Dimensions, ErrorKind::SizeOverflow)),
        }
    }
}
