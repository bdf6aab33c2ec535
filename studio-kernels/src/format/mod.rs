//! Tiles: how sixteen rows of a matrix lie in memory, one file a block format.
//!
//! A tile is one sequential stream in units of 64 bytes. Quantised values are unsigned after a bias and lie in vectors
//! of 64 bytes, `[16 rows][4 consecutive k]`: the operand of a four-way int8 dot product.

/// Rows of a matrix in a tile.
pub const TILE_ROWS: usize = 16;

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
        match self {
            TileFormat::Q4_0 => 18,
            TileFormat::Q4_1 => 20,
            TileFormat::Q5_0 => 22,
            TileFormat::Q5_1 => 24,
            TileFormat::Q8_0 => 34,
            TileFormat::Q4_K => 144,
            TileFormat::Q5_K => 176,
            TileFormat::Q6_K => 210,
            TileFormat::F16 | TileFormat::BF16 => 2,
            TileFormat::F32 => 4,
        }
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
        match self {
            TileFormat::Q4_0 => 64 + 2 * 256,
            TileFormat::Q4_1 => 128 + 2 * 256,
            TileFormat::Q5_0 => 64 + 2 * 320,
            TileFormat::Q5_1 => 128 + 2 * 320,
            TileFormat::Q8_0 => 64 + 2 * 512,
            TileFormat::Q4_K => 64 + 256 + 8 * 256,
            TileFormat::Q5_K => 64 + 256 + 8 * 320,
            // The scales of 16 elements and the half line of `d`, which shares a line with nothing.
            TileFormat::Q6_K => 32 + 256 + 8 * 384,
            TileFormat::F16 | TileFormat::BF16 => 32,
            TileFormat::F32 => 64,
        }
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
