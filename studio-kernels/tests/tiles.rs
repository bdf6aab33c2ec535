//! Tiles hold exactly what the GGUF holds: whatever the bytes of its blocks are, a row comes out of a tile bit for bit
//! as `gguf-file` decodes it, and the tile is hardly larger.

use gguf_file::BlockFormat;
use proptest::prelude::*;
use studio_kernels::{TILE_ROWS, TileFormat, pack_tile, unpack_row};

fn ggml(format: TileFormat) -> BlockFormat {
    BlockFormat::from_name(format.ggml_name()).expect("a name of ggml's")
}

fn decoded(format: TileFormat, row: &[u8], k: usize) -> Vec<f32> {
    let mut out = vec![0.0; k];
    ggml(format).decode(row, &mut out).expect("whole blocks");
    out
}

fn assert_same(expected: &[f32], found: &[f32], what: &str) {
    for (i, (a, b)) in expected.iter().zip(found).enumerate() {
        assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{what}, element {i}: {a:e}, {b:e}");
    }
}

fn rows_of_a_format() -> impl Strategy<Value = (TileFormat, usize, Vec<Vec<u8>>)> {
    (prop::sample::select(TileFormat::ALL.to_vec()), 1..6usize, 1..=TILE_ROWS).prop_flat_map(
        |(format, blocks, rows)| {
            let bytes = blocks * format.block_bytes();
            let row = prop::collection::vec(any::<u8>(), bytes);
            (Just(format), Just(blocks * format.block_elements()), prop::collection::vec(row, rows))
        },
    )
}

proptest! {
    #[test]
    fn a_row_comes_out_as_ggml_decodes_it((format, k, rows) in rows_of_a_format()) {
        let slices: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
        let mut tile = vec![0xa5; format.tile_bytes(k)];
        pack_tile(format, &slices, k, &mut tile);
        let mut over = vec![0x5a; tile.len()];
        pack_tile(format, &slices, k, &mut over);
        assert!(tile == over, "{format:?}: nothing of what was there before is left");
        for row in 0..TILE_ROWS {
            let mut found = vec![f32::NAN; k];
            unpack_row(format, &tile, row, k, &mut found);
            match rows.get(row) {
                Some(bytes) => assert_same(&decoded(format, bytes, k), &found, &format!("{format:?} row {row}")),
                None => assert!(found.iter().all(|value| *value == 0.0), "{format:?}: row {row} was not given"),
            }
        }
    }
}

#[test]
fn the_sizes_of_blocks_are_ggmls() {
    for format in TileFormat::ALL {
        assert_eq!(format.block_bytes() as u64, ggml(format).block_bytes(), "{format:?}");
        assert_eq!(format.block_elements() as u64, ggml(format).block_elements(), "{format:?}");
        assert_eq!(TileFormat::from_ggml_name(format.ggml_name()), Some(format));
    }
}

#[test]
fn tiles_are_hardly_larger_than_rows_and_whole_lines_where_they_are_quantised() {
    for format in TileFormat::ALL {
        let k = 2048;
        let rows = TILE_ROWS * k / format.block_elements() * format.block_bytes();
        let tile = format.tile_bytes(k);
        assert!(tile >= rows && tile as f64 <= 1.03 * rows as f64, "{format:?}: {tile} for {rows}");
        assert!(!format.is_quantised() || format.unit_bytes() % 64 == 0, "{format:?}");
    }
}
