//! Every decoder against the Python package `gguf`, bit for bit; `make_decode_fixtures.py` made the values.

use std::path::Path;

use gguf_file::{BlockFormat, DecodeError, Endian};

struct Fixture {
    little: Vec<u8>,
    big: Vec<u8>,
    values: Vec<f32>,
}

fn fixture(format: BlockFormat) -> Fixture {
    let name = format!("{}.bin", format.name().to_lowercase());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (count, rest) = bytes.split_first_chunk().expect("a block count");
    let count = u32::from_le_bytes(*count) as usize;
    let (little, rest) = rest.split_at(count * format.block_bytes() as usize);
    let (big, rest) = rest.split_at(little.len());
    let values: Vec<f32> = rest.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    assert_eq!(values.len(), count * format.block_elements() as usize, "{format}");
    Fixture { little: little.to_vec(), big: big.to_vec(), values }
}

/// Equal bits; a NaN need only be a NaN, as processors differ in which one arithmetic gives.
fn assert_same(format: BlockFormat, decoded: &[f32], expected: &[f32]) {
    assert_eq!(decoded.len(), expected.len());
    for (index, (ours, theirs)) in decoded.iter().zip(expected).enumerate() {
        let same = ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan());
        assert!(same, "{format}, element {index}: {ours:e} instead of {theirs:e}");
    }
}

fn decodable() -> impl Iterator<Item = BlockFormat> {
    BlockFormat::ALL.iter().copied().filter(|format| format.can_decode())
}

#[test]
fn every_decoder_agrees_with_gguf_py() {
    for format in decodable() {
        let fixture = fixture(format);
        let mut out = vec![f32::MAX; fixture.values.len()];
        format.decode(&fixture.little, &mut out).unwrap();
        assert_same(format, &out, &fixture.values);
    }
}

#[test]
fn big_endian_blocks_give_the_same_values() {
    for format in decodable() {
        let fixture = fixture(format);
        let mut out = vec![f32::MAX; fixture.values.len()];
        format.decode_endian(Endian::Big, &fixture.big, &mut out).unwrap();
        assert_same(format, &out, &fixture.values);
    }
}

#[test]
fn plain_floats_keep_the_payload_of_a_nan() {
    let mut out = [0.0];
    BlockFormat::F32.decode(&0x7fc1_2345_u32.to_le_bytes(), &mut out).unwrap();
    assert_eq!(out[0].to_bits(), 0x7fc1_2345);
    BlockFormat::BF16.decode(&0xffc1_u16.to_le_bytes(), &mut out).unwrap();
    assert_eq!(out[0].to_bits(), 0xffc1_0000);
    BlockFormat::F16.decode(&0xfe01_u16.to_le_bytes(), &mut out).unwrap();
    assert_eq!(out[0].to_bits(), 0xffc0_2000);
}

#[test]
fn the_decodable_formats_are_those_promised() {
    let names: Vec<&str> = decodable().map(BlockFormat::name).collect();
    let expected = "F32 F16 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K IQ2_XXS IQ2_XS IQ3_XXS IQ1_S \
                    IQ4_NL IQ3_S IQ2_S IQ4_XS IQ1_M BF16 TQ1_0 TQ2_0 MXFP4 NVFP4 Q1_0 Q2_0";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn can_decode_tells_the_truth() {
    for format in BlockFormat::ALL.iter().copied() {
        let block = vec![0; format.block_bytes() as usize];
        let mut out = vec![1.0; format.block_elements() as usize];
        let result = format.decode(&block, &mut out);
        assert_eq!(result.is_ok(), format.can_decode(), "{format}");
        if !format.can_decode() {
            assert_eq!(result, Err(DecodeError::NoDecoder { format }));
        }
    }
}

#[test]
fn no_blocks_are_decoded_into_nothing() {
    for format in decodable() {
        format.decode(&[], &mut []).unwrap();
    }
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    let mut out = [0.0; 32];
    let partial = BlockFormat::Q4_1.decode(&[0; 19], &mut out).unwrap_err();
    assert_eq!(partial.to_string(), "19 bytes are not whole blocks of Q4_1, which take 20");
    let short = BlockFormat::Q4_1.decode(&[0; 40], &mut out).unwrap_err();
    assert_eq!(short.to_string(), "40 bytes of Q4_1 are 64 elements and the output holds 32");
    let none = BlockFormat::Q8_1.decode(&[0; 36], &mut out).unwrap_err();
    assert_eq!(none.to_string(), "Q8_1 has no decoder to f32");
}
