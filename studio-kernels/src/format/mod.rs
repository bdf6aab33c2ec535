//! Tiles: how sixteen rows of a matrix lie in memory, one file a block format.
//!
//! A tile is one sequential stream in units of 64 bytes. Quantised values are unsigned after a bias and lie in vectors
//! of 64 bytes, `[16 rows][4 consecutive k]`: the operand of a four-way int8 dot product.

mod k_scales;
mod plain;
mod plane;
mod q4_0;
mod q4_1;
mod q4_k;
mod q5_0;
mod q5_1;
mod q5_k;
mod q6_k;
mod q8_0;
mod scale;
#[cfg(not(studio_bitcode))]
mod tile;

use crate::isa::Isa;
use core::mem::size_of;
pub(crate) use plain::{BF16, F16, F32};
pub(crate) use q4_0::Q4_0;
pub(crate) use q4_1::Q4_1;
pub(crate) use q4_k::Q4_K;
pub(crate) use q5_0::Q5_0;
pub(crate) use q5_1::Q5_1;
pub(crate) use q5_k::Q5_K;
pub(crate) use q6_k::Q6_K;
pub(crate) use q8_0::Q8_0;
#[cfg(not(studio_bitcode))]
pub use tile::{pack_tile, unpack_row};

/// Rows of a matrix in a tile.
pub const TILE_ROWS: usize = 16;

/// Evaluates an expression with the type of a format that is known at run time.
macro_rules! with_format {
    ($format:expr, $type:ident => $value:expr) => {
        $crate::format::with_format!(@ $format, $type => $value,
            Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, F16, BF16, F32)
    };
    (@ $format:expr, $type:ident => $value:expr, $($name:ident),*) => {
        match $format {
            $($crate::format::TileFormat::$name => {
                type $type = $crate::format::$name;
                $value
            })*
        }
    };
}
pub(crate) use with_format;

/// How a block format lies in a GGUF and in a tile.
///
/// Both types are made of bytes only and have an alignment of 1, so that any memory of their size is one.
pub(crate) trait Format {
    const FORMAT: TileFormat;
    /// A block of a row.
    type Block;
    /// What a tile is a sequence of: a block, or a pair of small ones, of each of its rows.
    type Unit;

    /// Puts a row's `index`th block of the unit in its places.
    fn put(unit: &mut Self::Unit, index: usize, row: usize, block: &Self::Block);

    /// Decodes a row of the unit, or its beginning, just as ggml does.
    fn get(unit: &Self::Unit, row: usize, out: &mut [f32]);
}

/// A format of scaled integers, as the kernels see it: in blocks of 32 elements, whatever the GGUF's blocks are.
///
/// A value is `scale · (quant - BIAS) + minimum`. Functions give those of the rows from `lane` on, as many as a vector
/// holds; `block` counts blocks of 32 within the unit.
pub(crate) trait Quantised: Format {
    /// What is subtracted from the unsigned quants: 0, 8, 16, 32, or 128 for quants of eight bits.
    const BIAS: i32 = 0;
    /// The scales of a block of 32: one for each half, or one for all.
    const SCALES: usize = 1;
    /// Whether there are minima.
    const HAS_MINIMA: bool = false;

    /// The scale of a block, or of a half of it.
    unsafe fn scale<I: Isa>(unit: *const Self::Unit, block: usize, half: usize, lane: usize) -> I::Floats;

    /// The minimum of a block.
    #[inline(always)]
    unsafe fn minimum<I: Isa>(_unit: *const Self::Unit, _block: usize, _lane: usize) -> I::Floats {
        I::splat(0.0)
    }

    /// The unsigned quants of groups `pair` and `pair + 4` of a block; see [`plane`].
    unsafe fn pair<I: Isa>(unit: *const Self::Unit, block: usize, pair: usize, lane: usize) -> [I::Ints; 2];
}

/// A format of plain numbers.
pub(crate) trait Plain: Format {
    /// The numbers of the rows from `lane` on, as many as a vector holds.
    unsafe fn load<I: Isa>(unit: *const Self::Unit, lane: usize) -> I::Floats;
}

/// The block formats that kernels know, each exactly as GGUF has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(non_camel_case_types, reason = "the names are ggml's")]
pub enum TileFormat {
    /// 4-bit, a scale for 32.
    Q4_0,
    /// 4-bit, a scale and a minimum for 32.
    Q4_1,
    /// 5-bit, a scale for 32.
    Q5_0,
    /// 5-bit, a scale and a minimum for 32.
    Q5_1,
    /// 8-bit, a scale for 32.
    Q8_0,
    /// 4-bit in super-blocks of 256.
    Q4_K,
    /// 5-bit in super-blocks of 256.
    Q5_K,
    /// 6-bit in super-blocks of 256.
    Q6_K,
    /// IEEE half precision.
    F16,
    /// The upper half of an IEEE single.
    BF16,
    /// IEEE single precision.
    F32,
}

impl TileFormat {
    /// Every format.
    pub const ALL: [TileFormat; 11] = [
        TileFormat::Q4_0,
        TileFormat::Q4_1,
        TileFormat::Q5_0,
        TileFormat::Q5_1,
        TileFormat::Q8_0,
        TileFormat::Q4_K,
        TileFormat::Q5_K,
        TileFormat::Q6_K,
        TileFormat::F16,
        TileFormat::BF16,
        TileFormat::F32,
    ];

    /// ggml's name, such as `Q4_K`.
    pub const fn ggml_name(self) -> &'static str {
        match self {
            TileFormat::Q4_0 => "Q4_0",
            TileFormat::Q4_1 => "Q4_1",
            TileFormat::Q5_0 => "Q5_0",
            TileFormat::Q5_1 => "Q5_1",
            TileFormat::Q8_0 => "Q8_0",
            TileFormat::Q4_K => "Q4_K",
            TileFormat::Q5_K => "Q5_K",
            TileFormat::Q6_K => "Q6_K",
            TileFormat::F16 => "F16",
            TileFormat::BF16 => "BF16",
            TileFormat::F32 => "F32",
        }
    }

    /// The name in entry points, such as `q4_k`.
    pub const fn name(self) -> &'static str {
        match self {
            TileFormat::Q4_0 => "q4_0",
            TileFormat::Q4_1 => "q4_1",
            TileFormat::Q5_0 => "q5_0",
            TileFormat::Q5_1 => "q5_1",
            TileFormat::Q8_0 => "q8_0",
            TileFormat::Q4_K => "q4_k",
            TileFormat::Q5_K => "q5_k",
            TileFormat::Q6_K => "q6_k",
            TileFormat::F16 => "f16",
            TileFormat::BF16 => "bf16",
            TileFormat::F32 => "f32",
        }
    }

    /// The format that ggml calls `name`.
    #[cfg(not(studio_bitcode))]
    pub fn from_ggml_name(name: &str) -> Option<Self> {
        TileFormat::ALL.into_iter().find(|format| format.ggml_name() == name)
    }

    /// Whether it has blocks with scales, as opposed to plain numbers.
    pub const fn is_quantised(self) -> bool {
        !matches!(self, TileFormat::F16 | TileFormat::BF16 | TileFormat::F32)
    }

    /// The elements of a block: a row's length is a multiple.
    pub const fn block_elements(self) -> usize {
        match self {
            TileFormat::Q4_K | TileFormat::Q5_K | TileFormat::Q6_K => 256,
            TileFormat::F16 | TileFormat::BF16 | TileFormat::F32 => 1,
            _ => 32,
        }
    }

    /// The bytes of a block in a GGUF.
    pub const fn block_bytes(self) -> usize {
        with_format!(self, F => size_of::<<F as Format>::Block>())
    }

    /// The elements of a row that a unit of a tile holds: a pair of 32-blocks, a 256-block, or one number.
    pub const fn unit_elements(self) -> usize {
        match self {
            TileFormat::F16 | TileFormat::BF16 | TileFormat::F32 => 1,
            TileFormat::Q4_K | TileFormat::Q5_K | TileFormat::Q6_K => 256,
            _ => 64,
        }
    }

    /// The bytes of a unit of a tile: sixteen rows of [`TileFormat::unit_elements`].
    pub const fn unit_bytes(self) -> usize {
        with_format!(self, F => size_of::<<F as Format>::Unit>())
    }

    /// The bytes of a tile of rows of `k` elements; `k` is a multiple of [`TileFormat::block_elements`].
    pub const fn tile_bytes(self, k: usize) -> usize {
        k.div_ceil(self.unit_elements()) * self.unit_bytes()
    }

    /// The bytes of a matrix of `n` rows of `k` elements: rows are padded to whole tiles.
    pub const fn matrix_bytes(self, n: usize, k: usize) -> usize {
        n.div_ceil(TILE_ROWS) * self.tile_bytes(k)
    }
}
