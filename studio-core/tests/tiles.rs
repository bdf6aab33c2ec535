//! A GGUF's matrices as tiles: what the archive holds unpacks to what `gguf-file` decodes, bit for bit, whatever the
//! format, the order of rows, the byte order and the memory at hand.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use expect_test::{Expect, expect};
use gguf_file::{BlockFormat, Endian, Gguf, GgufBuilder, ReadAt};
use studio_core::graph::{ElementType, ParamSource, ParamSpec, RowOrder, Storage};
use studio_core::params::plan::Plan;
use studio_core::params::stream::{ArchiveStream, PIECE_BYTES};
use studio_core::params::{Budget, irpa};
use studio_kernels::{TILE_ROWS, TileFormat, unpack_row};

/// Blocks in a row.
const BLOCKS: u64 = 3;

/// A row order, and how many rows it is for: no whole tiles.
#[derive(Clone, Copy)]
enum Rows {
    AsStored,
    Halves,
}

const HEADS: u64 = 3;
const HEAD_DIM: u64 = 14;

impl Rows {
    fn count(self) -> u64 {
        match self {
            Rows::AsStored => 37,
            Rows::Halves => HEADS * HEAD_DIM,
        }
    }

    fn order(self) -> RowOrder {
        match self {
            Rows::AsStored => RowOrder::AsStored,
            Rows::Halves => RowOrder::RopeHalves { head_count: HEADS, head_dim: HEAD_DIM },
        }
    }

    /// `reshape(heads, head_dim / 2, 2, K).swapaxes(1, 2)`, row by row.
    fn sources(self) -> Vec<u64> {
        match self {
            Rows::AsStored => (0..37).collect(),
            Rows::Halves => (0..HEADS)
                .flat_map(|head| (0..2).map(move |part| (head, part)))
                .flat_map(|(head, part)| (0..HEAD_DIM / 2).map(move |pair| head * HEAD_DIM + 2 * pair + part))
                .collect(),
        }
    }
}

/// Bytes that look random.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_u32;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 11) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// A model with one matrix of a format, of noise, and the matrix.
fn model(format: BlockFormat, rows: u64, endian: Endian) -> (Vec<u8>, Vec<u8>) {
    let length = rows * BLOCKS * format.block_bytes();
    let data = noise(length as usize);
    let mut builder = GgufBuilder::new().endian(endian);
    builder.tensor("t", &[BLOCKS * format.block_elements(), rows], format, data.clone()).unwrap();
    (builder.write_to(Vec::new()).unwrap(), data)
}

fn spec(columns: u64, rows: u64, row_order: RowOrder, transpose: bool, format: TileFormat) -> ParamSpec {
    ParamSpec {
        name: "t".to_owned(),
        shape: if transpose { vec![columns, rows] } else { vec![rows, columns] },
        element_type: ElementType::F32,
        source: ParamSource::Tensor { name: "t".to_owned(), rows: None, row_order, transpose },
        storage: Storage::Tiles(format),
    }
}

/// The archive's only entry.
fn entry(spec: &ParamSpec, file: &[u8], budget: Budget) -> Vec<u8> {
    let gguf = Gguf::open(&file).unwrap();
    let plan = Plan::new(std::slice::from_ref(spec), &gguf).unwrap();
    let layout = irpa::layout(&plan.items()).unwrap();
    let source: &dyn ReadAt = &file;
    let mut stream = ArchiveStream::new(&plan, &layout, budget);
    let mut bytes = Vec::new();
    while let Some(piece) = stream.next(&[source]).unwrap() {
        assert!(!piece.is_empty() && piece.len() <= PIECE_BYTES);
        bytes.extend_from_slice(piece);
    }
    let place = layout.places[0];
    assert_eq!(spec.archive_type().to_string(), format!("tensor<{}xi8>", place.size_bytes));
    bytes[place.offset as usize..][..place.size_bytes as usize].to_vec()
}

fn budgets() -> [Budget; 4] {
    let budget = |raw_bytes, panel_bytes| Budget { raw_bytes, panel_bytes, ..Budget::default() };
    [Budget::default(), budget(1 << 20, 7_000), budget(3_000, 40_000), budget(0, 1)]
}

/// Every row of the tiles.
fn unpacked(format: TileFormat, tiles: &[u8], rows: u64, columns: usize) -> Vec<Vec<f32>> {
    let tile_bytes = format.tile_bytes(columns);
    let row = |row: u64| {
        let (tile, within) = (row as usize / TILE_ROWS, row as usize % TILE_ROWS);
        let mut values = vec![0.0; columns];
        unpack_row(format, &tiles[tile * tile_bytes..][..tile_bytes], within, columns, &mut values);
        values
    };
    (0..rows).map(row).collect()
}

/// The tensor's rows as `gguf-file` decodes them, in an order.
fn decoded(format: BlockFormat, endian: Endian, data: &[u8], order: &[u64]) -> Vec<Vec<f32>> {
    let row_bytes = (BLOCKS * format.block_bytes()) as usize;
    let row = |row: &u64| {
        let mut values = vec![0.0; (BLOCKS * format.block_elements()) as usize];
        format.decode_endian(endian, &data[*row as usize * row_bytes..][..row_bytes], &mut values).unwrap();
        values
    };
    order.iter().map(row).collect()
}

fn bits(value: f32) -> u32 {
    if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() }
}

#[test]
fn kept_formats_unpack_to_what_the_gguf_decodes_to() {
    for tile in TileFormat::ALL {
        let format = BlockFormat::from_name(tile.ggml_name()).unwrap();
        let columns = BLOCKS * format.block_elements();
        for (rows, endian) in [Rows::AsStored, Rows::Halves]
            .into_iter()
            .flat_map(|rows| [Endian::Little, Endian::Big].map(|endian| (rows, endian)))
        {
            let (file, data) = model(format, rows.count(), endian);
            let expected = decoded(format, endian, &data, &rows.sources());
            let spec = |transpose| spec(columns, rows.count(), rows.order(), transpose, tile);
            for budget in budgets() {
                let tiles = entry(&spec(true), &file, budget);
                let found = unpacked(tile, &tiles, rows.count(), columns as usize);
                let same = |(found, expected): (&Vec<f32>, &Vec<f32>)| {
                    found.iter().zip(expected).all(|(a, b)| bits(*a) == bits(*b))
                };
                let differs = found.iter().zip(&expected).position(|rows| !same(rows));
                assert_eq!(differs, None, "{format} {endian:?} {budget:?}");
            }
            // Tiles are the GGUF's rows, whichever way the graph looks at the matrix.
            let [rows_first, columns_first] =
                [false, true].map(|transpose| entry(&spec(transpose), &file, Budget::default()));
            assert!(rows_first == columns_first, "{format}");
        }
    }
}

/// The greatest difference of a row's block of 32, divided by the greatest magnitude in it.
fn worst_error(found: &[Vec<f32>], expected: &[Vec<f32>]) -> f32 {
    let block = |(found, expected): (&[f32], &[f32])| {
        let greatest = expected.iter().fold(0.0_f32, |greatest, value| greatest.max(value.abs()));
        let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
        differences.fold(0.0, f32::max) / greatest.max(f32::MIN_POSITIVE)
    };
    let row = |(found, expected): (&Vec<f32>, &Vec<f32>)| {
        found.chunks(32).zip(expected.chunks(32)).map(block).fold(0.0, f32::max)
    };
    found.iter().zip(expected).map(row).fold(0.0, f32::max)
}

/// Noise whose scales are numbers: every half-precision number of a block is made an ordinary one.
fn tame(format: BlockFormat, endian: Endian, data: &mut [u8]) {
    use BlockFormat as F;
    let places: &[usize] = match format {
        F::Q2_K => &[80, 82],
        F::Q3_K => &[108],
        F::TQ1_0 => &[52],
        F::TQ2_0 => &[64],
        F::IQ1_M | F::MXFP4 | F::NVFP4 => &[],
        _ => &[0],
    };
    let high = usize::from(endian == Endian::Little);
    for block in data.chunks_exact_mut(format.block_bytes() as usize) {
        for place in places {
            block[place + high] = block[place + high] & 0x87 | 0x28;
        }
        match format {
            // An exponent for 32 values.
            F::MXFP4 => block[0] = 120 + block[0] % 16,
            // Four scales of 8 bits, unsigned, all ones being no number.
            F::NVFP4 => block[..4].iter_mut().for_each(|scale| *scale = 0x20 | *scale & 0x1f),
            // The four high bits of each 16-bit word of the scales make up the block's.
            F::IQ1_M => [0x2000_u16, 0x0000, 0x0000, 0x2000]
                .iter()
                .zip(block[48..].chunks_exact_mut(2))
                .for_each(|(top, word)| {
                    let low = match endian {
                        Endian::Little => u16::from_le_bytes([word[0], word[1]]),
                        Endian::Big => u16::from_be_bytes([word[0], word[1]]),
                    } & 0x0fff;
                    let bytes = match endian {
                        Endian::Little => (low | top).to_le_bytes(),
                        Endian::Big => (low | top).to_be_bytes(),
                    };
                    word.copy_from_slice(&bytes);
                }),
            _ => {}
        }
    }
}

#[test]
fn other_formats_unpack_to_the_same_values_or_the_nearest() {
    use BlockFormat as F;
    // A half of a step of Q8_0, and the scale's rounding.
    let rounded = 0.5 / 127.0 * 1.01 + 1.0 / 2048.0;
    let exact = [
        (F::Q3_K, TileFormat::Q6_K),
        (F::TQ1_0, TileFormat::Q4_0),
        (F::TQ2_0, TileFormat::Q4_0),
        (F::Q1_0, TileFormat::Q4_0),
        (F::Q2_0, TileFormat::Q4_0),
        (F::IQ4_NL, TileFormat::Q8_0),
        (F::MXFP4, TileFormat::Q8_0),
    ];
    let nearest = [
        F::Q2_K,
        F::IQ4_XS,
        F::NVFP4,
        F::IQ1_S,
        F::IQ1_M,
        F::IQ2_XXS,
        F::IQ2_XS,
        F::IQ2_S,
        F::IQ3_XXS,
        F::IQ3_S,
    ];
    let exact = exact.map(|(format, tile)| (format, tile, 0.0));
    for (format, tile, allowed) in
        exact.into_iter().chain(nearest.map(|format| (format, TileFormat::Q8_0, rounded)))
    {
        for endian in [Endian::Little, Endian::Big] {
            let rows = Rows::AsStored;
            // Whole blocks of the tile's format, too.
            let blocks = BLOCKS * (256 / format.block_elements()).max(1);
            let columns = blocks * format.block_elements();
            let mut data = noise((rows.count() * blocks * format.block_bytes()) as usize);
            tame(format, endian, &mut data);
            let mut builder = GgufBuilder::new().endian(endian);
            builder.tensor("t", &[columns, rows.count()], format, data.clone()).unwrap();
            let file = builder.write_to(Vec::new()).unwrap();
            let row_bytes = (blocks * format.block_bytes()) as usize;
            let decode = |row: &[u8]| {
                let mut values = vec![0.0; columns as usize];
                format.decode_endian(endian, row, &mut values).unwrap();
                values
            };
            let expected: Vec<Vec<f32>> = data.chunks_exact(row_bytes).map(decode).collect();
            assert!(expected.iter().flatten().all(|value| value.is_finite()), "{format}");
            let spec = spec(columns, rows.count(), rows.order(), true, tile);
            let tiles = entry(&spec, &file, Budget::default());
            let found = unpacked(tile, &tiles, rows.count(), columns as usize);
            let error = worst_error(&found, &expected);
            assert!(error <= allowed, "{format} {endian:?}: {error} of {allowed}");
        }
    }
}

#[test]
fn floats_asked_for_are_those_of_the_half_crate() {
    let columns = BLOCKS * 32;
    let (file, data) = model(BlockFormat::Q4_1, 37, Endian::Little);
    let order = Rows::AsStored.sources();
    let decoded = decoded(BlockFormat::Q4_1, Endian::Little, &data, &order);
    let narrow = |tile: TileFormat, value: f32| match tile {
        TileFormat::F16 => half::f16::from_f32(value).to_f32(),
        TileFormat::BF16 => half::bf16::from_f32(value).to_f32(),
        _ => value,
    };
    for tile in [TileFormat::F32, TileFormat::F16, TileFormat::BF16] {
        let tiles = entry(&spec(columns, 37, RowOrder::AsStored, true, tile), &file, Budget::default());
        let found = unpacked(tile, &tiles, 37, columns as usize);
        for (found, expected) in found.iter().flatten().zip(decoded.iter().flatten()) {
            assert_eq!(bits(*found), bits(narrow(tile, *expected)), "{tile:?} of {expected}");
        }
    }
}

#[test]
fn what_a_seek_leads_to_is_what_the_whole_has_there() {
    let (file, _) = model(BlockFormat::Q5_K, 200, Endian::Little);
    let spec = spec(BLOCKS * 256, 200, RowOrder::AsStored, true, TileFormat::Q5_K);
    let gguf = Gguf::open(&file.as_slice()).unwrap();
    let plan = Plan::new(&[spec], &gguf).unwrap();
    let layout = irpa::layout(&plan.items()).unwrap();
    let rest = |skipped: u64, budget| {
        let mut stream = ArchiveStream::new(&plan, &layout, budget);
        stream.seek(skipped..layout.size_bytes);
        let mut bytes = Vec::new();
        while let Some(piece) = stream.next(&[&file.as_slice()]).unwrap() {
            bytes.extend_from_slice(piece);
        }
        bytes
    };
    let whole = rest(0, Budget::default());
    for budget in budgets() {
        for skipped in (0..whole.len()).step_by(9_973).chain([1, 64, whole.len()]) {
            assert!(rest(skipped as u64, budget) == whole[skipped..], "{skipped} {budget:?}");
        }
    }
}

fn check_error(dims: [u64; 2], format: BlockFormat, tile: TileFormat, expected: Expect) {
    let length = format.size_bytes(dims[0] * dims[1]).unwrap();
    let mut builder = GgufBuilder::new();
    builder.tensor("t", &dims, format, vec![0; length as usize]).unwrap();
    let file = builder.write_to(Vec::new()).unwrap();
    let gguf = Gguf::open(&file.as_slice()).unwrap();
    let spec = spec(dims[0], dims[1], RowOrder::AsStored, true, tile);
    expected.assert_eq(&Plan::new(&[spec], &gguf).unwrap_err().to_string());
}

#[test]
fn a_plan_names_what_can_not_be_tiled() {
    check_error(
        [65568, 2],
        BlockFormat::Q8_0,
        TileFormat::Q8_0,
        expect![
            "tensor t: its rows have 65568 values, the cpu form's kernels take at most 65536; export it with --form stablehlo"
        ],
    );
    check_error(
        [48, 2],
        BlockFormat::F16,
        TileFormat::Q8_0,
        expect![
            "tensor t: its rows have 48 values, tiles of Q8_0 take a multiple of 32; export it with --weights bf16"
        ],
    );
    check_error(
        [256, 2],
        BlockFormat::F16,
        TileFormat::Q4_K,
        expect!["tensor t: there is no conversion from F16 to tiles of Q4_K"],
    );
}
