//! One hostile file for each check, and the message that it earns. `attacks.md` lists them.

mod header;

use gguf_file::limits::{MAX_ARRAY_ELEMENTS, MAX_HEADER_BYTES, MAX_STRING_BYTES};
use gguf_file::{Gguf, ReadAt, ReadError};
use header::{ARRAY, BOOL, Header, I8, STRING, U8, U32, U64};

fn refusal(bytes: &[u8]) -> String {
    Gguf::open(&bytes).expect_err("this must not be believed").to_string()
}

/// One entry of metadata, whose key `k` is at byte 24, its value's type at 33 and its value at 37.
fn one_value(ty: u32) -> Header {
    Header::new(3, 0, 1).text("k").u32(ty)
}

/// One F32 tensor `t` of 8 elements. Its entry is at byte 24: dimension count at 33, dimension at 37, format
/// at 45, offset at 49, and the data at 64.
fn one_tensor() -> Header {
    Header::new(3, 1, 0).text("t").u32(1).u64(8).u32(0).u64(0).pad(32).zeros(32)
}

#[test]
fn the_files_that_the_others_are_spoilt_copies_of_are_good() {
    Gguf::open(&one_value(U32).u32(7).0).unwrap();
    Gguf::open(&one_tensor().0).unwrap();
}

#[test]
fn an_empty_file() {
    assert_eq!(refusal(b""), "magic at byte 0: the file ends here: 4 bytes are needed and 0 are left");
}

#[test]
fn another_kind_of_file() {
    let message = refusal(b"PK\x03\x04 and so on, a zip");
    assert_eq!(message, r#"magic at byte 0: not a GGUF file: it starts with "PK\x03\x04" instead of "GGUF""#);
}

#[test]
fn versions_that_are_not_read() {
    let says = |version| refusal(&Header::new(version, 0, 0).0);
    assert_eq!(says(1), "version at byte 4: version 1 is not supported, only 2 and 3 are");
    assert_eq!(says(4), "version at byte 4: version 4 is not supported, only 2 and 3 are");
    assert_eq!(says(0), "version at byte 4: version 0 is not supported, only 2 and 3 are");
    assert_eq!(says(1 << 24), "version at byte 4: version 1 is not supported, only 2 and 3 are");
}

#[test]
fn counts_that_the_file_could_not_hold() {
    let message = refusal(&Header::new(3, u64::MAX, 0).0);
    let expected = "tensor count at byte 8: 18446744073709551615 is impossible: \
                    each takes at least 33 bytes and 0 bytes are left in the file";
    assert_eq!(message, expected);
    let message = refusal(&Header::new(3, 0, 2).zeros(27).0);
    let expected = "metadata count at byte 16: 2 is impossible: each takes at least 14 bytes and 27 bytes are left in the file";
    assert_eq!(message, expected);
}

#[test]
fn more_entries_than_any_model_has() {
    let file = Endless(Header::new(3, 0, 1 << 40).0);
    assert_eq!(file.refusal(), "metadata count at byte 16: 1099511627776 is more than the limit of 65536");
    let file = Endless(Header::new(3, 1 << 40, 0).0);
    assert_eq!(file.refusal(), "tensor count at byte 8: 1099511627776 is more than the limit of 1048576");
}

#[test]
fn a_key_longer_than_the_file() {
    let message = refusal(&Header::new(3, 0, 1).u64(1 << 20).zeros(100).0);
    let expected = "key of metadata entry 0 at byte 24: 1048576 is impossible: \
                    100 bytes are left in the file";
    assert_eq!(message, expected);
}

#[test]
fn a_key_longer_than_the_format_allows() {
    let file = Endless(Header::new(3, 0, 1).u64(65_536).0);
    assert_eq!(file.refusal(), "key of metadata entry 0 at byte 24: 65536 is more than the limit of 65535");
}

#[test]
fn an_empty_key() {
    assert_eq!(
        refusal(&Header::new(3, 0, 1).text("").u32(U8).zeros(9).0),
        "key of metadata entry 0 at byte 24: empty"
    );
}

#[test]
fn a_key_that_is_not_text() {
    let message = refusal(&Header::new(3, 0, 1).u64(3).raw(b"ab\xff").u32(U8).zeros(9).0);
    assert_eq!(message, "key of metadata entry 0 at byte 24: not UTF-8 from its byte 2 on");
}

#[test]
fn the_same_key_twice() {
    let file = Header::new(3, 0, 2).text("k").u32(U8).raw(&[1]).text("k").u32(U8).raw(&[2]);
    assert_eq!(refusal(&file.0), "metadata \"k\" at byte 38: there twice, first at byte 24");
}

#[test]
fn a_value_type_that_does_not_exist() {
    let message = refusal(&one_value(13).zeros(8).0);
    assert_eq!(
        message,
        "metadata \"k\", value type at byte 33: 13 is not a value type, they go from 0 to 12"
    );
}

#[test]
fn a_bool_that_is_neither() {
    assert_eq!(
        refusal(&one_value(BOOL).raw(&[2]).0),
        "metadata \"k\" at byte 37: 2 is not a bool, which is 0 or 1"
    );
    let array = one_value(ARRAY).u32(BOOL).u64(3).raw(&[0, 1, 255]);
    assert_eq!(refusal(&array.0), "metadata \"k\" at byte 51: 255 is not a bool, which is 0 or 1");
}

#[test]
fn a_string_longer_than_the_file() {
    let message = refusal(&one_value(STRING).u64(u64::MAX).zeros(5).0);
    let expected = "metadata \"k\", string length at byte 37: 18446744073709551615 is impossible: \
                    5 bytes are left in the file";
    assert_eq!(message, expected);
}

#[test]
fn a_string_longer_than_any_model_has() {
    let file = Endless(one_value(STRING).u64(MAX_STRING_BYTES + 1).0);
    let expected = "metadata \"k\", string length at byte 37: 67108865 is more than the limit of 67108864";
    assert_eq!(file.refusal(), expected);
}

#[test]
fn an_array_longer_than_the_file() {
    for (element, bytes) in [(U32, 4), (U64, 8), (STRING, 8), (ARRAY, 12)] {
        let message = refusal(&one_value(ARRAY).u32(element).u64(1 << 60).zeros(64).0);
        let expected = format!(
            "metadata \"k\", element count at byte 41: 1152921504606846976 is impossible: \
             each takes at least {bytes} bytes and 64 bytes are left in the file"
        );
        assert_eq!(message, expected);
    }
}

#[test]
fn an_array_longer_than_any_model_has() {
    let file = Endless(one_value(ARRAY).u32(U8).u64(MAX_ARRAY_ELEMENTS + 1).0);
    let expected = "metadata \"k\", element count at byte 41: 16777217 is more than the limit of 16777216";
    assert_eq!(file.refusal(), expected);
}

#[test]
fn an_element_type_that_does_not_exist() {
    let message = refusal(&one_value(ARRAY).u32(99).u64(0).0);
    assert_eq!(
        message,
        "metadata \"k\", element type at byte 37: 99 is not a value type, they go from 0 to 12"
    );
}

#[test]
fn arrays_in_arrays_in_arrays() {
    let mut file = one_value(ARRAY);
    for _ in 0..100 {
        file = file.u32(ARRAY).u64(1);
    }
    let message = refusal(&file.u32(I8).u64(0).0);
    assert_eq!(message, "metadata \"k\", element type at byte 73: arrays are nested more than 4 deep");
}

#[test]
fn a_header_without_end() {
    // Empty strings are 8 bytes each, so one such array is as long as a header may be.
    let mut file = Header::new(3, 0, 3);
    for key in ["a", "b"] {
        file = file.text(key).u32(ARRAY).u32(STRING).u64(MAX_ARRAY_ELEMENTS);
    }
    let expected = "metadata \"a\", element count at byte 41: the header goes on past 134217728 bytes";
    assert_eq!(Endless(file.0).refusal(), expected);
    assert_eq!(MAX_HEADER_BYTES, 134_217_728);
}

#[test]
fn a_header_that_creeps_past_the_limit() {
    // An array that ends 7 bytes before the limit, then the length of the next key.
    let file = Header::new(3, 0, 2).text("k").u32(ARRAY).u32(U64).u64(MAX_ARRAY_ELEMENTS - 7);
    let expected = "key of metadata entry 1 at byte 134217721: the header goes on past 134217728 bytes";
    assert_eq!(Endless(file.0).refusal(), expected);
}

#[test]
fn an_alignment_that_is_none() {
    let says =
        |alignment: u32| refusal(&Header::new(3, 0, 1).text("general.alignment").u32(U32).u32(alignment).0);
    for bad in [0, 3, 48, 1 << 21, u32::MAX] {
        let expected = format!(
            "metadata \"general.alignment\" at byte 24: {bad} is not an alignment: \
             it must be a power of two up to 1048576"
        );
        assert_eq!(says(bad), expected);
    }
    let message = refusal(&Header::new(3, 0, 1).text("general.alignment").u32(U64).u64(32).0);
    assert_eq!(message, "metadata \"general.alignment\" at byte 24: u64 instead of u32");
}

#[test]
fn tensor_names_that_are_none() {
    let says = |name: &[u8]| {
        let file = Header::new(3, 1, 0).u64(name.len() as u64).raw(name);
        refusal(&file.u32(1).u64(8).u32(0).u64(0).pad(32).zeros(32).0)
    };
    assert_eq!(says(b""), "name of tensor 0 at byte 24: empty");
    assert_eq!(says(b"\xc3("), "name of tensor 0 at byte 24: not UTF-8 from its byte 0 on");
    assert_eq!(says(&[b'n'; 1025]), "name of tensor 0 at byte 24: 1025 is more than the limit of 1024");
}

#[test]
fn the_same_tensor_twice() {
    let file = Header::new(3, 2, 0).text("t").u32(1).u64(8).u32(0).u64(0);
    let file = file.text("t").u32(1).u64(8).u32(0).u64(32).pad(32).zeros(64);
    assert_eq!(refusal(&file.0), "tensor \"t\" at byte 57: there twice, first at byte 24");
}

#[test]
fn dimension_counts_that_are_none() {
    let says = |count: u32| refusal(&Header::new(3, 1, 0).text("t").u32(count).zeros(64).0);
    assert_eq!(says(0), "tensor \"t\", dimension count at byte 33: 0 dimensions: there must be 1 to 4");
    assert_eq!(says(5), "tensor \"t\", dimension count at byte 33: 5 dimensions: there must be 1 to 4");
    let expected = "tensor \"t\", dimension count at byte 33: 4294967295 dimensions: there must be 1 to 4";
    assert_eq!(says(u32::MAX), expected);
}

#[test]
fn a_dimension_of_zero() {
    let file = Header::new(3, 1, 0).text("t").u32(2).u64(8).u64(0).u32(0).u64(0).pad(32);
    let expected = "tensor \"t\", dimension 1 at byte 45: zero, and every dimension must be at least 1";
    assert_eq!(refusal(&file.0), expected);
}

#[test]
fn dimensions_whose_product_overflows() {
    let says = |dims: [u64; 2]| {
        let file = Header::new(3, 1, 0).text("t").u32(2).u64(dims[0]).u64(dims[1]);
        refusal(&file.u32(0).u64(0).pad(32).0)
    };
    let expected = "tensor \"t\", dimensions at byte 37: the tensor's size overflows";
    assert_eq!(says([1 << 32, 1 << 32]), expected, "more than u64 counts");
    assert_eq!(says([1 << 32, 1 << 31]), expected, "more than ggml counts");
    assert_eq!(says([1 << 62, 1]), expected, "four bytes for each");
    assert_eq!(says([u64::MAX, u64::MAX]), expected);
}

#[test]
fn a_row_that_is_not_whole_blocks() {
    let file = Header::new(3, 1, 0).text("t").u32(2).u64(40).u64(32).u32(3).u64(0).pad(32).zeros(2000);
    let expected =
        "tensor \"t\", dimension 0 at byte 37: 40 is not a multiple of 32, the elements of a Q4_1 block";
    assert_eq!(refusal(&file.0), expected);
}

#[test]
fn formats_that_do_not_exist() {
    let says = |number: u32| {
        refusal(&Header::new(3, 1, 0).text("t").u32(1).u64(256).u32(number).u64(0).pad(32).zeros(2000).0)
    };
    let expected = "tensor \"t\", format at byte 45: 43 is not a ggml type known here (they go from 0 to 42)";
    assert_eq!(says(43), expected);
    let expected = "tensor \"t\", format at byte 45: 31 was Q4_0_4_4, which ggml removed: \
                    the model has to be quantised anew from its original";
    assert_eq!(says(31), expected);
}

#[test]
fn an_offset_that_the_alignment_forbids() {
    let file = Header::new(3, 1, 0).text("t").u32(1).u64(8).u32(0).u64(16).pad(32).zeros(64);
    assert_eq!(
        refusal(&file.0),
        "tensor \"t\", offset at byte 49: 16 is not a multiple of the alignment, 32"
    );
}

#[test]
fn data_past_the_end_of_the_file() {
    let mut file = one_tensor().0;
    file.pop();
    let expected =
        "tensor \"t\", offset at byte 49: the data is 32 bytes at byte 64 and the file ends at byte 95";
    assert_eq!(refusal(&file), expected);

    let last = u64::MAX - 31;
    let file = Header::new(3, 1, 0).text("t").u32(1).u64(8).u32(0).u64(last).pad(32).zeros(32);
    let expected = "tensor \"t\", offset at byte 49: \
                    the data is 32 bytes at byte 18446744073709551615 and the file ends at byte 96";
    assert_eq!(refusal(&file.0), expected);
}

#[test]
fn tensors_that_share_bytes() {
    let file = Header::new(3, 2, 0).text("a").u32(1).u64(16).u32(0).u64(32);
    let file = file.text("b").u32(1).u64(9).u32(0).u64(0).pad(32).zeros(96);
    let expected = "tensor \"a\", offset at byte 49: \
                    the data from byte 128 on overlaps that of tensor \"b\", which ends at byte 132";
    assert_eq!(refusal(&file.0), expected);
}

#[test]
fn a_gap_between_tensors_is_allowed() {
    let file = Header::new(3, 2, 0).text("a").u32(1).u64(8).u32(0).u64(64);
    let file = file.text("b").u32(1).u64(8).u32(0).u64(0).pad(32).zeros(96);
    let gguf = Gguf::open(&file.0).unwrap();
    assert_eq!(gguf.tensor("a").unwrap().offset(), 96 + 64);
}

#[test]
fn every_prefix_of_a_good_file_is_refused() {
    let file = Header::new(3, 2, 3).text("a").u32(STRING).text("some text").text("b").u32(ARRAY).u32(STRING);
    let file = file.u64(2).text("x").text("yz").text("c").u32(ARRAY).u32(U64).u64(2).u64(1).u64(2);
    let file = file.text("t").u32(2).u64(8).u64(2).u32(0).u64(0).text("u").u32(1).u64(32).u32(2).u64(64);
    let file = file.pad(32).zeros(64 + 18).0;
    Gguf::open(&file).unwrap();
    for end in 0..file.len() {
        let message = refusal(&file[..end]);
        assert!(message.contains(" at byte "), "{end}: {message}");
    }
}

#[test]
fn a_source_that_fails_is_named_with_the_field() {
    struct Failing;
    impl ReadAt for Failing {
        fn len(&self) -> u64 {
            100
        }
        fn read_at(&self, _: u64, _: &mut [u8]) -> Result<(), ReadError> {
            Err(ReadError::new("the disk is on fire"))
        }
    }
    let error = Gguf::open(&Failing).expect_err("nothing can be read");
    assert_eq!(error.to_string(), "magic at byte 0: cannot be read: the disk is on fire");
}

/// A file that starts with these bytes and goes on with zeros for ever.
struct Endless(Vec<u8>);

impl Endless {
    fn refusal(&self) -> String {
        Gguf::open(self).expect_err("this must not be believed").to_string()
    }
}

impl ReadAt for Endless {
    fn len(&self) -> u64 {
        u64::MAX
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        buf.fill(0);
        for (byte, from) in buf.iter_mut().zip(self.0.iter().skip(offset as usize)) {
            *byte = *from;
        }
        Ok(())
    }
}
