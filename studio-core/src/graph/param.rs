//! What a graph asks of the parameter archive.

use super::TensorType;
use std::ops::Range;
use std::sync::Arc;
use studio_kernels::{TileFormat, format::TILE_ROWS};

/// The element type of a tensor, by MLIR's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementType {
    /// `bf16`
    Bf16,
    /// `f16`
    F16,
    /// `f32`
    F32,
    /// `i32`
    I32,
    /// `i8`
    I8,
    /// `i1`
    I1,
}

/// One entry of the archive: what the graph loads, and what it is made from.
///
/// `params::plan` turns the list of these into both the MLIR's globals and the archive, in the list's order.
#[derive(Debug, Clone, PartialEq)]
pub struct ParamSpec {
    /// The key in the archive: the GGUF tensor's name where it stems from one, such as `blk.0.attn_q.weight`; where it
    /// is only a part of the tensor, with the part's name, such as `blk.0.attn_qkv.weight[q]`.
    pub name: String,
    /// Row-major dimensions, slowest first, as MLIR writes them.
    pub shape: Vec<u64>,
    /// The element type that the graph computes with: in the archive, too, unless it has tiles.
    pub element_type: ElementType,
    /// Where the values come from.
    pub source: ParamSource,
    /// How they lie in the archive.
    pub storage: Storage,
}

/// How a parameter's values lie in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// Row-major, in the parameter's shape and element type.
    Dense,
    /// As tiles of the rows of a GGUF matrix, which kernels stream: `tensor<BYTESxi8>`. Tiles are the same whether the
    /// graph wants the matrix transposed or not; rows are reordered before.
    Tiles(TileFormat),
}

/// Where a parameter's values come from.
#[derive(Debug, Clone, PartialEq)]
pub enum ParamSource {
    /// A tensor of the GGUF.
    Tensor {
        /// Its name there.
        name: String,
        /// Which of its rows are taken, all if `None`. A GGUF matrix of dimensions `ne = [K, N]` has N rows of K values;
        /// what is taken of a vector are its values.
        rows: Option<Range<u64>>,
        /// How these rows are reordered.
        row_order: RowOrder,
        /// Whether rows become columns, after reordering: `[N, K]` is stored as `[K, N]`.
        transpose: bool,
    },
    /// Values computed at export, row-major in the parameter's shape.
    Values(Arc<[f32]>),
}

/// The order in which a matrix's rows are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOrder {
    /// As in the GGUF.
    AsStored,
    /// The GGUF stores each head's rows as interleaved pairs (ggml's `NORM` rope); the archive stores first
    /// halves, then second halves (rotate-half rope): `reshape(heads, head_dim / 2, 2, K).swapaxes(1, 2)`.
    RopeHalves {
        /// Heads in the matrix.
        head_count: u64,
        /// Rows of a head.
        head_dim: u64,
    },
    /// Of each head, the GGUF stores first the rows that rope turns, as halves (ggml's `NEOX` rope), then those that
    /// stand still. The archive stores the first half of either, then the second half of either, so that a row's
    /// partner is `head_dim / 2` away, turned or not.
    PartialHalves {
        /// Heads in the matrix.
        head_count: u64,
        /// Rows of a head.
        head_dim: u64,
        /// How many of them are turned: even.
        rotated: u64,
    },
}

impl RowOrder {
    /// How many heads there are and how many rows each has, where rows change places within heads.
    pub fn heads(self) -> Option<(u64, u64)> {
        match self {
            RowOrder::AsStored => None,
            RowOrder::RopeHalves { head_count, head_dim }
            | RowOrder::PartialHalves { head_count, head_dim, .. } => Some((head_count, head_dim)),
        }
    }

    /// The row of the source that stands at `row` after reordering.
    pub fn source_row(self, row: u64) -> u64 {
        let Some((_, head_dim)) = self.heads() else { return row };
        let (head, place) = (row - row % head_dim, row % head_dim);
        let half = head_dim / 2;
        let (side, pair) = (place / half, place % half);
        head + match self {
            RowOrder::AsStored => place,
            RowOrder::RopeHalves { .. } => pair * 2 + side,
            RowOrder::PartialHalves { rotated, .. } if pair < rotated / 2 => side * (rotated / 2) + pair,
            RowOrder::PartialHalves { rotated, .. } => {
                rotated + side * (half - rotated / 2) + pair - rotated / 2
            }
        }
    }
}

impl ParamSpec {
    /// The type that the graph computes with.
    pub fn tensor_type(&self) -> TensorType {
        TensorType::new(self.shape.as_slice(), self.element_type)
    }

    /// The type of the entry in the archive. Of a checked graph's parameter, it can be counted.
    pub fn archive_type(&self) -> TensorType {
        match (self.storage, self.matrix()) {
            (Storage::Tiles(format), Some([rows, columns])) => {
                let columns = usize::try_from(columns).unwrap_or(usize::MAX);
                TensorType::new([tiles_bytes(format, rows, columns)], ElementType::I8)
            }
            (Storage::Tiles(_) | Storage::Dense, _) => self.tensor_type(),
        }
    }

    /// Rows and columns of the GGUF's matrix, if the parameter is made from one.
    pub fn matrix(&self) -> Option<[u64; 2]> {
        match (&self.shape[..], &self.source) {
            (&[rows, columns], ParamSource::Tensor { transpose: false, .. }) => Some([rows, columns]),
            (&[columns, rows], ParamSource::Tensor { transpose: true, .. }) => Some([rows, columns]),
            _ => None,
        }
    }
}

/// Bytes of the tiles of a matrix.
pub(crate) fn tiles_bytes(format: TileFormat, rows: u64, columns: usize) -> u64 {
    rows.div_ceil(TILE_ROWS as u64).saturating_mul(format.tile_bytes(columns) as u64)
}
