//! [`BlockFormat`]: the table of every type of tensor that ggml has, in one place.

use crate::error::ErrorKind;

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal, $elements:literal in $bytes:literal;)*) => {
        /// The types of tensors, with the numbers that files use for them.
        ///
        /// Closed on purpose: code that handles formats should not compile when one is added.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        #[expect(non_camel_case_types, reason = "the names are ggml's")]
        pub enum BlockFormat {
            $($(#[$doc])* $variant = $number,)*
        }

        impl BlockFormat {
            /// Every format, in the order of the numbers.
            pub const ALL: &'static [BlockFormat] = &[$(BlockFormat::$variant),*];

            /// The format that files call `number`.
            pub fn from_number(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(BlockFormat::$variant),)*
                    _ => None,
                }
            }

            /// ggml's name, such as `Q4_K`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(BlockFormat::$variant => $name,)*
                }
            }

            /// The elements in a block; 1 for plain numbers.
            pub const fn block_elements(self) -> u64 {
                match self {
                    $(BlockFormat::$variant => $elements,)*
                }
            }

            /// The bytes in a block.
            pub const fn block_bytes(self) -> u64 {
                match self {
                    $(BlockFormat::$variant => $bytes,)*
                }
            }
        }
    };
}

formats! {
    /// IEEE single precision.
    F32 = 0, "F32", 1 in 4;
    /// IEEE half precision.
    F16 = 1, "F16", 1 in 2;
    /// 4-bit, a scale for 32.
    Q4_0 = 2, "Q4_0", 32 in 18;
    /// 4-bit, a scale and a minimum for 32.
    Q4_1 = 3, "Q4_1", 32 in 20;
    /// 5-bit, a scale for 32.
    Q5_0 = 6, "Q5_0", 32 in 22;
    /// 5-bit, a scale and a minimum for 32.
    Q5_1 = 7, "Q5_1", 32 in 24;
    /// 8-bit, a scale for 32.
    Q8_0 = 8, "Q8_0", 32 in 34;
    /// 8-bit, a scale and a sum for 32; for activations, not found in files.
    Q8_1 = 9, "Q8_1", 32 in 36;
    /// 2-bit in super-blocks of 256.
    Q2_K = 10, "Q2_K", 256 in 84;
    /// 3-bit in super-blocks of 256.
    Q3_K = 11, "Q3_K", 256 in 110;
    /// 4-bit in super-blocks of 256.
    Q4_K = 12, "Q4_K", 256 in 144;
    /// 5-bit in super-blocks of 256.
    Q5_K = 13, "Q5_K", 256 in 176;
    /// 6-bit in super-blocks of 256.
    Q6_K = 14, "Q6_K", 256 in 210;
    /// 8-bit in super-blocks of 256; for activations, not found in files.
    Q8_K = 15, "Q8_K", 256 in 292;
    /// About 2.06 bits, from a codebook.
    IQ2_XXS = 16, "IQ2_XXS", 256 in 66;
    /// About 2.31 bits, from a codebook.
    IQ2_XS = 17, "IQ2_XS", 256 in 74;
    /// About 3.06 bits, from a codebook.
    IQ3_XXS = 18, "IQ3_XXS", 256 in 98;
    /// About 1.56 bits, from a codebook.
    IQ1_S = 19, "IQ1_S", 256 in 50;
    /// 4-bit, not evenly spaced, a scale for 32.
    IQ4_NL = 20, "IQ4_NL", 32 in 18;
    /// About 3.44 bits, from a codebook.
    IQ3_S = 21, "IQ3_S", 256 in 110;
    /// About 2.56 bits, from a codebook.
    IQ2_S = 22, "IQ2_S", 256 in 82;
    /// 4-bit, not evenly spaced, in super-blocks of 256.
    IQ4_XS = 23, "IQ4_XS", 256 in 136;
    /// `i8`.
    I8 = 24, "I8", 1 in 1;
    /// `i16`.
    I16 = 25, "I16", 1 in 2;
    /// `i32`.
    I32 = 26, "I32", 1 in 4;
    /// `i64`.
    I64 = 27, "I64", 1 in 8;
    /// IEEE double precision.
    F64 = 28, "F64", 1 in 8;
    /// About 1.75 bits, from a codebook.
    IQ1_M = 29, "IQ1_M", 256 in 56;
    /// The upper half of an IEEE single.
    BF16 = 30, "BF16", 1 in 2;
    /// Ternary, five to a byte.
    TQ1_0 = 34, "TQ1_0", 256 in 54;
    /// Ternary, four to a byte.
    TQ2_0 = 35, "TQ2_0", 256 in 66;
    /// OCP microscaling: 4-bit floats, an 8-bit exponent for 32.
    MXFP4 = 39, "MXFP4", 32 in 17;
    /// NVIDIA's 4-bit floats, an 8-bit float for each 16 of 64.
    NVFP4 = 40, "NVFP4", 64 in 36;
    /// One bit, a scale for 128.
    Q1_0 = 41, "Q1_0", 128 in 18;
    /// 2-bit, a scale for 64.
    Q2_0 = 42, "Q2_0", 64 in 18;
}

/// Numbers of formats that ggml once had.
const REMOVED: [(u32, &str); 8] = [
    (4, "Q4_2"),
    (5, "Q4_3"),
    (31, "Q4_0_4_4"),
    (32, "Q4_0_4_8"),
    (33, "Q4_0_8_8"),
    (36, "IQ4_NL_4_4"),
    (37, "IQ4_NL_4_8"),
    (38, "IQ4_NL_8_8"),
];

impl BlockFormat {
    /// The number that files use.
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The format with ggml's name `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        BlockFormat::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// The bytes of `elements` elements; `None` if they aren't whole blocks or the number overflows.
    pub fn size_bytes(self, elements: u64) -> Option<u64> {
        if !elements.is_multiple_of(self.block_elements()) {
            return None;
        }
        elements.checked_div(self.block_elements())?.checked_mul(self.block_bytes())
    }

    /// Bits for an element, scales included.
    pub fn bits_per_element(self) -> f64 {
        self.block_bytes() as f64 * 8.0 / self.block_elements() as f64
    }

    /// The error for a number that [`BlockFormat::from_number`] doesn't know.
    pub(crate) fn unknown(number: u32) -> ErrorKind {
        match REMOVED.iter().find(|(removed, _)| *removed == number) {
            Some((_, name)) => ErrorKind::RemovedFormat { number, name },
            None => ErrorKind::UnknownFormat { number, last: BlockFormat::Q2_0.number() },
        }
    }
}

impl std::fmt::Display for BlockFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
