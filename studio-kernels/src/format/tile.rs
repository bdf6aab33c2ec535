//! Packing rows of a GGUF into tiles, and unpacking them again.

use super::{Format, TILE_ROWS, TileFormat, with_format};
use core::{mem::size_of, slice};

/// Packs up to sixteen rows of `k` elements, as they lie in a GGUF, into a tile of
/// [`TileFormat::tile_bytes`]. Rows that are missing are zero.
///
/// # Panics
/// If there are more rows, or one of them or `out` has not the size that `format` and `k` ask for.
pub fn pack_tile(format: TileFormat, rows: &[&[u8]], k: usize, out: &mut [u8]) {
    assert!(rows.len() <= TILE_ROWS, "{} rows for a tile of {TILE_ROWS}", rows.len());
    assert!(k.is_multiple_of(format.block_elements()), "{k} elements are not whole blocks of {format:?}");
    let row_bytes = k / format.block_elements() * format.block_bytes();
    assert!(rows.iter().all(|row| row.len() == row_bytes), "a row of {k} {format:?} has {row_bytes} bytes");
    assert_eq!(out.len(), format.tile_bytes(k), "a tile of rows of {k} {format:?}");
    with_format!(format, F => pack::<F>(rows, out));
}

/// Decodes row `row` of a tile of rows of `k` elements, bit for bit as ggml does.
///
/// # Panics
/// If the tile has no such row, or it or `out` has not the size that `format` and `k` ask for.
pub fn unpack_row(format: TileFormat, tile: &[u8], row: usize, k: usize, out: &mut [f32]) {
    assert!(row < TILE_ROWS, "row {row} of a tile of {TILE_ROWS}");
    assert_eq!(tile.len(), format.tile_bytes(k), "a tile of rows of {k} {format:?}");
    assert_eq!(out.len(), k, "a row of {k}");
    with_format!(format, F => {
        for (unit, out) in units::<F>(tile).iter().zip(out.chunks_mut(format.unit_elements())) {
            F::get(unit, row, out);
        }
    });
}

fn pack<F: Format>(rows: &[&[u8]], out: &mut [u8]) {
    let per_unit = F::FORMAT.unit_elements() / F::FORMAT.block_elements();
    let blocks: [&[F::Block]; TILE_ROWS] =
        core::array::from_fn(|row| rows.get(row).map_or(&[][..], |row| blocks::<F>(row)));
    if rows.len() < TILE_ROWS || blocks[0].len() % per_unit != 0 {
        out.fill(0);
    }
    for (index, unit) in units_mut::<F>(out).iter_mut().enumerate() {
        for (row, blocks) in blocks.iter().enumerate() {
            let end = blocks.len().min((index + 1) * per_unit);
            for (place, block) in blocks[end.min(index * per_unit)..end].iter().enumerate() {
                F::put(unit, place, row, block);
            }
        }
    }
}

fn blocks<F: Format>(row: &[u8]) -> &[F::Block] {
    // SAFETY: a block is made of bytes and any bytes are one; the slice covers no more than the row.
    unsafe { slice::from_raw_parts(row.as_ptr().cast(), row.len() / size_of::<F::Block>()) }
}

fn units<F: Format>(tile: &[u8]) -> &[F::Unit] {
    // SAFETY: a unit is made of bytes and any bytes are one; the slice covers no more than the tile.
    unsafe { slice::from_raw_parts(tile.as_ptr().cast(), tile.len() / size_of::<F::Unit>()) }
}

fn units_mut<F: Format>(tile: &mut [u8]) -> &mut [F::Unit] {
    // SAFETY: a unit is made of bytes and any bytes are one; the slice covers no more than the tile.
    unsafe { slice::from_raw_parts_mut(tile.as_mut_ptr().cast(), tile.len() / size_of::<F::Unit>()) }
}
