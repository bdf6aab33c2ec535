//! Random values of tensors, as `F32` or as blocks of a format.

use super::random::Random;
use gguf_file::BlockFormat;

/// What a tensor's values are like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Values {
    /// Around 1: the gains of a norm.
    Gains,
    /// Around 0 and small.
    Biases,
    /// From 1 to 5: what frequencies are divided by.
    Factors,
    /// Around 0; a product with a vector of numbers around 1 gives numbers around this.
    Matrix(f32),
}

/// Formats in whose blocks matrices are stored, one after the other, as far as their rows are whole blocks.
const LARGE: &[BlockFormat] = &[BlockFormat::Q4_K, BlockFormat::Q6_K, BlockFormat::Q5_K, BlockFormat::Q3_K];
const SMALL: &[BlockFormat] = &[
    BlockFormat::Q4_0,
    BlockFormat::Q8_0,
    BlockFormat::Q4_1,
    BlockFormat::Q5_1,
    BlockFormat::Q5_0,
    BlockFormat::IQ4_NL,
];

/// The format of matrix number `index` with rows of `columns`.
pub(super) fn format_of(index: usize, columns: u64) -> BlockFormat {
    let among = |formats: &[BlockFormat]| formats[index % formats.len()];
    match columns {
        _ if columns.is_multiple_of(256) => among(LARGE),
        _ if columns.is_multiple_of(32) => among(SMALL),
        _ => BlockFormat::F16,
    }
}

/// `F32` values of a tensor, little-endian.
pub(super) fn plain(values: Values, dims: &[u64], random: &mut Random) -> Vec<u8> {
    let count = dims.iter().product::<u64>() as usize;
    (0..count).flat_map(|_| value(values, dims, random).to_le_bytes()).collect()
}

fn value(values: Values, dims: &[u64], random: &mut Random) -> f32 {
    match values {
        Values::Gains => 1.0 + 0.3 * random.signed(),
        Values::Biases => 0.2 * random.signed(),
        Values::Factors => 3.0 + 2.0 * random.signed(),
        Values::Matrix(size) => spread(size, dims) * random.signed(),
    }
}

/// The bound within which a matrix's values lie evenly, so that its products are of the size asked for.
fn spread(size: f32, dims: &[u64]) -> f32 {
    size * (3.0 / dims[0] as f32).sqrt()
}

/// Random blocks of a format, for a matrix. Scales are chosen, the rest is random bits.
pub(super) fn blocks(format: BlockFormat, size: f32, dims: &[u64], random: &mut Random) -> Vec<u8> {
    let blocks = dims.iter().product::<u64>() / format.block_elements();
    let spread = spread(size, dims);
    let mut bytes = Vec::new();
    for _ in 0..blocks {
        if format == BlockFormat::F16 {
            bytes.extend(half(spread * random.signed()).to_le_bytes());
            continue;
        }
        let mut block: Vec<u8> = (0..format.block_bytes()).map(|_| random.byte()).collect();
        for &(offset, scale) in scales(format) {
            let scale = half(spread * scale * (1.0 + 0.2 * random.signed()));
            block[offset..offset + 2].copy_from_slice(&scale.to_le_bytes());
        }
        bytes.extend(block);
    }
    bytes
}

/// Where a block has its scales, and what they are for values from about −1 to 1.
fn scales(format: BlockFormat) -> &'static [(usize, f32)] {
    match format {
        BlockFormat::Q4_0 => &[(0, 1.0 / 8.0)],
        BlockFormat::Q4_1 => &[(0, 1.0 / 8.0), (2, -1.0)],
        BlockFormat::Q5_0 => &[(0, 1.0 / 16.0)],
        BlockFormat::Q5_1 => &[(0, 1.0 / 16.0), (2, -1.0)],
        BlockFormat::Q8_0 | BlockFormat::IQ4_NL => &[(0, 1.0 / 127.0)],
        BlockFormat::Q3_K => &[(108, 1.0 / 64.0)],
        BlockFormat::Q4_K => &[(0, 1.0 / 300.0), (2, 1.0 / 40.0)],
        BlockFormat::Q5_K => &[(0, 1.0 / 600.0), (2, 1.0 / 40.0)],
        BlockFormat::Q6_K => &[(208, 1.0 / 2000.0)],
        _ => &[],
    }
}

/// IEEE half precision of a number that is not tiny, rounded towards zero.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let (sign, exponent) = ((bits >> 16) & 0x8000, (bits >> 23 & 0xff) as i32 - 127 + 15);
    let mantissa = (bits >> 13) & 0x3ff;
    if exponent <= 0 { sign as u16 } else { (sign | (exponent as u32) << 10 | mantissa) as u16 }
}
