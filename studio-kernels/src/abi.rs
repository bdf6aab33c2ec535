//! What the callers of the entry points must know: names, flags, limits and the sizes of buffers.
//!
//! An entry point takes the team's memory and the number of its phase, then its operands, each as a pointer and an
//! offset in elements of the pointer's type, then numbers. Operands that the flags don't ask for may be any valid
//! pointer. It returns when every chunk of its work is claimed, which is before the work is done: whoever reads the
//! results calls `wait` with the phase first. Whoever writes to what an earlier phase reads or writes waits for that one.
//!
//! - Names are `matvec_F_A`, `gated_matvec_F_A`, `matmul_F_A`, `gated_matmul_F_A` and `experts_F_A`, with `F` of
//!   [`TileFormat::name`] and `A` of [`Precision::name`]; `embed_F`; `prepare_A`; `attend_C`, `append_C` and
//!   `attend_chunk_C` with `C` of [`CacheType::name`]; `combine`; `route`; `argmax`; `wait`.
//! - Matrices are tiles ([`crate::format`]), `n` rows of `k` elements; their last tile is padded. Vectors of `n` and `k`
//!   numbers are not padded.
//! - `k` is a multiple of the format's block, at most [`MAX_K`] in `matvec` and `gated_matvec`, at most [`MAX_ROW`]
//!   elsewhere; `n` is at least 1.
//! - A residual may be the result's own memory. No other operand may overlap with a result.
//! - Numbers may be NaN or infinite; so are the results then.

use crate::attention::max_splits;
use crate::format::TileFormat;

/// The longest vector of activations that `matvec` and `gated_matvec` accept; its quantised copy lives on a worker's
/// stack. Longer ones are for `prepare` and `matmul`.
pub const MAX_K: usize = 16384;

/// The longest row of a matrix that any kernel is meant for: sixteen of them, a tile, are 4 MiB of `f32`.
pub const MAX_ROW: usize = 65536;

/// The largest head that attention accepts, a multiple of 8; a few queries live on a worker's stack.
pub const MAX_HEAD_DIM: usize = 512;

/// The `f32` that `attend` needs for partial results, with a cache of `capacity` positions.
pub const fn attend_partials_len(heads: usize, head_dim: usize, capacity: usize) -> usize {
    max_splits(capacity) * heads * (head_dim + 2)
}

/// The numbers that keys and values are kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheType {
    /// Half precision.
    F16,
    /// `f32`.
    F32,
}

impl CacheType {
    /// The suffix of entry points: `f16` or `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            CacheType::F16 => "f16",
            CacheType::F32 => "f32",
        }
    }
}

/// Elements that share a scale in int8 activations.
pub const ACTIVATION_BLOCK: usize = 32;

/// The bytes of a row of `k` int8 activations; `k` is a multiple of 32. A block of 32 is a line of 64 bytes.
pub const fn activation_bytes(k: usize) -> usize {
    k / ACTIVATION_BLOCK * 64
}

/// The `u32` words of a phase's line in a team's memory; see [`crate::team`].
pub const PHASE_WORDS: usize = 16;

/// What happens to activations before they are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Prologue {
    /// They are taken as they are.
    None = 0,
    /// RMS norm with a gain.
    RmsNorm = 1,
    /// `silu(x) · aux`.
    SiluMul = 2,
    /// `gelu(x) · aux`, by the tanh approximation.
    GeluMul = 3,
    /// Layer norm with a gain.
    LayerNorm = 4,
    /// Layer norm with a gain; then `aux` is added, which is as long as the gain.
    BiasedLayerNorm = 5,
    /// `silu(x)`.
    Silu = 6,
    /// `gelu(x)`, by the tanh approximation.
    Gelu = 7,
    /// `epsilon · tanh(x / epsilon)`.
    SoftCap = 8,
    /// `logistic(aux) · x`, where `aux` has a number for each row; in `combine` only.
    RowGate = 9,
}

/// The bits that say what happens to a product before it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Epilogue(pub usize);

impl Epilogue {
    /// A bias for each row of the matrix is added.
    pub const BIAS: Epilogue = Epilogue(1);
    /// A vector of the result's shape is added, after the product with its bias was multiplied by `scale`; it may be
    /// the result's own memory.
    pub const RESIDUAL: Epilogue = Epilogue(2);

    /// Both.
    pub const fn and(self, other: Epilogue) -> Epilogue {
        Epilogue(self.0 | other.0)
    }

    /// Whether every bit of `other` is set.
    pub const fn has(self, other: Epilogue) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What comes of the products with the experts that a row has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum ExpertsMode {
    /// A row of results for each, all of the same row of activations.
    Each = 0,
    /// Their sum, each times its weight, of a row of activations for each.
    Sum = 1,
}

/// The activation function of a gated product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Activation {
    /// `x · sigmoid(x)`.
    Silu = 0,
    /// GELU by the tanh approximation.
    Gelu = 1,
}

/// The numbers that activations are kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// `i8` with a scale for 32; for block formats only.
    Int8,
    /// `f32`.
    Float32,
}

impl Precision {
    /// The suffix of entry points: `i8` or `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            Precision::Int8 => "i8",
            Precision::Float32 => "f32",
        }
    }

    /// Whether there are kernels for `format` with these activations.
    pub const fn supports(self, format: TileFormat) -> bool {
        match self {
            Precision::Int8 => format.is_quantised(),
            Precision::Float32 => true,
        }
    }

    /// The bytes of a row of `k` activations as `prepare` writes it.
    pub const fn row_bytes(self, k: usize) -> usize {
        match self {
            Precision::Int8 => activation_bytes(k),
            Precision::Float32 => k * 4,
        }
    }
}
