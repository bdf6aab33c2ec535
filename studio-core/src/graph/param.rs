//! What a graph asks of the parameter archive.

use std::sync::Arc;

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
    /// `i1`
    I1,
}

/// One entry of the archive: what the graph loads, and what it is made from.
///
/// `params::plan` turns the list of these into both the MLIR's globals and the archive, in the list's order.
#[derive(Debug, Clone, PartialEq)]
pub struct ParamSpec {
    /// The key in the archive: the GGUF tensor's name where it stems from one, such as `blk.0.attn_q.weight`.
    pub name: String,
    /// Row-major dimensions, slowest first, as MLIR writes them.
    pub shape: Vec<u64>,
    /// The element type in the archive.
    pub element_type: ElementType,
    /// Where the values come from.
    pub source: ParamSource,
}

/// Where a parameter's values come from.
#[derive(Debug, Clone, PartialEq)]
pub enum ParamSource {
    /// A tensor of the GGUF.
    Tensor {
        /// Its name there.
        name: String,
        /// How its rows are reordered. A GGUF matrix of dimensions `ne = [K, N]` has N rows of K values.
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
}
