//! The table of formats against ggml's own: numbers of `enum ggml_type`, sizes of its block structs.

use gguf_file::BlockFormat;

/// Number, name, elements and bytes per block, from `ggml.h` and the size assertions of `ggml-common.h`.
const GGML: [(u32, &str, u64, u64); 35] = [
    (0, "F32", 1, 4),
    (1, "F16", 1, 2),
    (2, "Q4_0", 32, 2 + 16),
    (3, "Q4_1", 32, 2 + 2 + 16),
    (6, "Q5_0", 32, 2 + 4 + 16),
    (7, "Q5_1", 32, 2 + 2 + 4 + 16),
    (8, "Q8_0", 32, 2 + 32),
    (9, "Q8_1", 32, 2 + 2 + 32),
    (10, "Q2_K", 256, 2 + 2 + 256 / 16 + 256 / 4),
    (11, "Q3_K", 256, 2 + 256 / 4 + 256 / 8 + 12),
    (12, "Q4_K", 256, 2 + 2 + 12 + 256 / 2),
    (13, "Q5_K", 256, 2 + 2 + 12 + 256 / 2 + 256 / 8),
    (14, "Q6_K", 256, 2 + 256 / 16 + 3 * 256 / 4),
    (15, "Q8_K", 256, 4 + 256 + 256 / 16 * 2),
    (16, "IQ2_XXS", 256, 2 + 256 / 8 * 2),
    (17, "IQ2_XS", 256, 2 + 256 / 8 * 2 + 256 / 32),
    (18, "IQ3_XXS", 256, 2 + 3 * (256 / 8)),
    (19, "IQ1_S", 256, 2 + 256 / 8 + 256 / 16),
    (20, "IQ4_NL", 32, 2 + 16),
    (21, "IQ3_S", 256, 2 + 13 * (256 / 32) + 256 / 64),
    (22, "IQ2_S", 256, 2 + 256 / 4 + 256 / 16),
    (23, "IQ4_XS", 256, 2 + 2 + 256 / 64 + 256 / 2),
    (24, "I8", 1, 1),
    (25, "I16", 1, 2),
    (26, "I32", 1, 4),
    (27, "I64", 1, 8),
    (28, "F64", 1, 8),
    (29, "IQ1_M", 256, 256 / 8 + 256 / 16 + 256 / 32),
    (30, "BF16", 1, 2),
    (34, "TQ1_0", 256, 2 + 256 / 64 + (256 - 4 * 256 / 64) / 5),
    (35, "TQ2_0", 256, 2 + 256 / 4),
    (39, "MXFP4", 32, 1 + 16),
    (40, "NVFP4", 64, 64 / 16 + 32),
    (41, "Q1_0", 128, 2 + 128 / 8),
    (42, "Q2_0", 64, 2 + 64 / 4),
];

#[test]
fn numbers_names_and_sizes_are_ggmls() {
    let ours: Vec<_> = BlockFormat::ALL
        .iter()
        .map(|format| (format.number(), format.name(), format.block_elements(), format.block_bytes()))
        .collect();
    assert_eq!(ours, GGML);
}

#[test]
fn numbers_and_names_find_their_format() {
    for number in 0..100 {
        let found = BlockFormat::from_number(number).map(BlockFormat::name);
        let expected = GGML.iter().find(|row| row.0 == number).map(|row| row.1);
        assert_eq!(found, expected);
    }
    for (number, name, ..) in GGML {
        assert_eq!(BlockFormat::from_name(name).map(BlockFormat::number), Some(number));
    }
    assert_eq!(BlockFormat::from_name("Q4_3"), None);
}

#[test]
fn sizes_of_tensors() {
    assert_eq!(BlockFormat::Q4_1.size_bytes(64), Some(40));
    assert_eq!(BlockFormat::Q4_1.size_bytes(65), None, "not whole blocks");
    assert_eq!(BlockFormat::F64.size_bytes(u64::MAX), None, "overflows");
    assert_eq!(BlockFormat::Q4_1.bits_per_element(), 5.0);
}
