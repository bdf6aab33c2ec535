//! Blocks of a big-endian GGUF, in the byte order that tiles are packed from.

use studio_kernels::TileFormat;

/// Where in a block the numbers of more than one byte begin, and how long they are.
fn numbers(format: TileFormat) -> &'static [(usize, usize)] {
    match format {
        TileFormat::F32 => &[(0, 4)],
        TileFormat::F16 | TileFormat::BF16 | TileFormat::Q4_0 | TileFormat::Q8_0 => &[(0, 2)],
        TileFormat::Q4_1 | TileFormat::Q4_K | TileFormat::Q5_K => &[(0, 2), (2, 2)],
        TileFormat::Q5_0 => &[(0, 2), (2, 4)],
        TileFormat::Q5_1 => &[(0, 2), (2, 2), (4, 4)],
        TileFormat::Q6_K => &[(208, 2)],
    }
}

/// Turns big-endian blocks into little-endian ones.
pub(super) fn to_little_endian(format: TileFormat, blocks: &mut [u8]) {
    for block in blocks.chunks_exact_mut(format.block_bytes()) {
        for &(at, length) in numbers(format) {
            block[at..at + length].reverse();
        }
    }
}
