//! Archives from somebody who means harm, or from a disk that was full: an error that says what and where.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use expect_test::{Expect, expect};
use studio_core::graph::ElementType;
use studio_core::params::archive::Item;
use studio_core::params::{irpa, safetensors};

/// A proper archive of two entries.
fn archive() -> Vec<u8> {
    let item = |name, shape| Item { name, shape, element_type: ElementType::F32, size_bytes: 24 };
    let layout = irpa::layout(&[item("first", &[2, 3]), item("second", &[6])]).unwrap();
    let mut bytes = layout.head;
    bytes.resize(layout.size_bytes as usize, 7);
    bytes
}

fn irpa_error(edit: impl FnOnce(&mut Vec<u8>), expected: Expect) {
    let mut bytes = archive();
    assert_eq!(irpa::read(&bytes).unwrap().len(), 2);
    edit(&mut bytes);
    expected.assert_eq(&irpa::read(&bytes).unwrap_err().to_string());
}

fn put(offset: usize, value: u64) -> impl FnOnce(&mut Vec<u8>) {
    move |bytes| bytes[offset..offset + 8].copy_from_slice(&value.to_le_bytes())
}

/// Offsets in the archive's header and in its first entry.
const NEXT_HEADER: usize = 16;
const ENTRY_COUNT: usize = 32;
const TABLE_LENGTH: usize = 48;
const METADATA_OFFSET: usize = 56;
const STORAGE_LENGTH: usize = 80;
const ENTRY: usize = 96;
const ENTRY_NAME: usize = ENTRY + 20;
const ENTRY_DATA: usize = ENTRY + 60;

#[test]
fn irpa_headers_are_checked() {
    irpa_error(
        |bytes| bytes.truncate(3),
        expect![
            "parameter archive: reading the header at offset 0: 4 bytes at 0 are past the end, which is at 3"
        ],
    );
    irpa_error(
        |bytes| bytes.truncate(60),
        expect![
            "parameter archive: reading the header at offset 0: 88 bytes at 0 are past the end, which is at 60"
        ],
    );
    irpa_error(
        |bytes| bytes[0] = b'X',
        expect![[r#"not a parameter archive: it begins with "XRPA" instead of "IRPA""#]],
    );
    irpa_error(|bytes| bytes[4] = 1, expect!["parameter archive of version 1.0: only 0.0 is known"]);
    irpa_error(
        put(8, 96),
        expect!["parameter archive: the header says that it takes 96 bytes; version 0 takes 88"],
    );
    irpa_error(
        put(NEXT_HEADER, 16),
        expect![
            "parameter archive: another archive is linked at offset 16; linked archives are not read, repack them"
        ],
    );
    irpa_error(
        put(TABLE_LENGTH, u64::MAX),
        expect![
            "parameter archive: the entry table (offset 96, 18446744073709551615 bytes) ends past the file's 4096 bytes"
        ],
    );
    irpa_error(
        put(METADATA_OFFSET, u64::MAX - 1),
        expect![
            "parameter archive: the metadata segment (offset 18446744073709551614, 11 bytes) ends past the file's 4096 bytes"
        ],
    );
    irpa_error(
        put(STORAGE_LENGTH, 1 << 40),
        expect![
            "parameter archive: the storage segment (offset 320, 1099511627776 bytes) ends past the file's 4096 bytes"
        ],
    );
    irpa_error(
        |bytes| bytes.truncate(300),
        expect![
            "parameter archive: the storage segment (offset 320, 88 bytes) ends past the file's 300 bytes"
        ],
    );
}

#[test]
fn irpa_entries_are_checked() {
    irpa_error(
        put(ENTRY_COUNT, u64::MAX),
        expect![
            "parameter archive: entry 2 of 18446744073709551615 (offset 256) is cut off or has an impossible size"
        ],
    );
    irpa_error(
        put(ENTRY, 8),
        expect!["parameter archive: entry 0 of 2 (offset 96) is cut off or has an impossible size"],
    );
    irpa_error(
        put(ENTRY, u64::MAX),
        expect!["parameter archive: entry 0 of 2 (offset 96) is cut off or has an impossible size"],
    );
    irpa_error(
        put(ENTRY, 60),
        expect!["parameter archive: entry 0 of 2 (offset 96) is cut off or has an impossible size"],
    );
    irpa_error(
        put(ENTRY_NAME, u64::MAX),
        expect![
            "parameter archive: entry 0: its name (offset 18446744073709551615, 5 bytes) ends past its segment's 11 bytes"
        ],
    );
    irpa_error(
        put(ENTRY_NAME + 8, 12),
        expect!["parameter archive: entry 0: its name (offset 0, 12 bytes) ends past its segment's 11 bytes"],
    );
    irpa_error(
        put(ENTRY_DATA, 70),
        expect![
            "parameter archive: entry 0: its data (offset 70, 24 bytes) ends past its segment's 88 bytes"
        ],
    );
    irpa_error(
        put(ENTRY_DATA + 8, u64::MAX),
        expect![
            "parameter archive: entry 0: its data (offset 0, 18446744073709551615 bytes) ends past its segment's 88 bytes"
        ],
    );
    irpa_error(
        |bytes| bytes[ENTRY + 8] = 3,
        expect!["parameter archive: entry 0 (offset 96) is of type 3, which is not read"],
    );
    let second_name_like_first = |bytes: &mut Vec<u8>| {
        put(ENTRY + 80 + 20, 0)(bytes);
        put(ENTRY + 80 + 28, 5)(bytes);
    };
    irpa_error(second_name_like_first, expect!["parameter archive: two entries are called `first`"]);
    let name = archive().windows(5).position(|bytes| bytes == b"first").unwrap();
    irpa_error(|bytes| bytes[name] = 0xff, expect!["parameter archive: the name of entry 0 is not UTF-8"]);
}

#[test]
fn no_change_of_a_byte_and_no_truncation_makes_irpa_reading_panic() {
    let whole = archive();
    for length in 0..whole.len() {
        let _whatever = irpa::read(&whole[..length].to_vec());
    }
    for offset in 0..400 {
        for value in [0, 1, 0x3c, 0x7f, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[offset] = value;
            let _whatever = irpa::read(&bytes);
        }
    }
}

fn safetensors_error(header: &str, data_bytes: usize, expected: Expect) {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes.resize(bytes.len() + data_bytes, 0);
    expected.assert_eq(&safetensors::read(&bytes).unwrap_err().to_string());
}

#[test]
fn safetensors_headers_are_checked() {
    let short = safetensors::read(&vec![1, 2, 3]).unwrap_err().to_string();
    expect!["safetensors: the first 8 bytes promise a header of 0 bytes, but the file has 3 bytes"]
        .assert_eq(&short);
    let mut bytes = u64::MAX.to_le_bytes().to_vec();
    bytes.extend([0; 20]);
    expect!["safetensors: the first 8 bytes promise a header of 18446744073709551615 bytes, but the file has 28 bytes"].assert_eq(&safetensors::read(&bytes).unwrap_err().to_string());
    safetensors_error(
        "[1]",
        0,
        expect![
            "safetensors: the header: invalid type: sequence, expected an object of tensors at line 1 column 0"
        ],
    );
    safetensors_error(
        "{\"a\":",
        0,
        expect!["safetensors: the header: EOF while parsing a value at line 1 column 5"],
    );
    safetensors_error(
        r#"{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}"#,
        4,
        expect!["safetensors: the header: invalid value: integer `-1`, expected u64 at line 1 column 31"],
    );
}

#[test]
fn safetensors_places_are_checked() {
    let two = |a: [u64; 2], b: [u64; 2]| {
        format!(
            r#"{{"a":{{"dtype":"F32","shape":[2],"data_offsets":{a:?}}},"b":{{"dtype":"F32","shape":[2],"data_offsets":{b:?}}}}}"#
        )
    };
    safetensors_error(
        &two([0, 8], [4, 12]),
        12,
        expect!["safetensors: tensor `b` begins at 4 of the data, but the one before it ends at 8"],
    );
    safetensors_error(
        &two([0, 8], [12, 20]),
        20,
        expect!["safetensors: tensor `b` begins at 12 of the data, but the one before it ends at 8"],
    );
    safetensors_error(
        &two([0, 8], [8, 20]),
        20,
        expect!["safetensors: tensor `b`: F32 [2] does not take the bytes from 8 to 20"],
    );
    safetensors_error(
        &two([0, 8], [8, 0]),
        16,
        expect!["safetensors: tensor `b`: F32 [2] does not take the bytes from 8 to 0"],
    );
    safetensors_error(
        &two([0, 8], [8, 16]),
        12,
        expect!["safetensors: the tensors take 16 bytes, but 12 bytes of data are there"],
    );
    safetensors_error(
        &two([0, 8], [8, 16]),
        17,
        expect!["safetensors: the tensors take 16 bytes, but 17 bytes of data are there"],
    );
    safetensors_error(
        r#"{"a":{"dtype":"F3","shape":[2],"data_offsets":[0,8]}}"#,
        8,
        expect!["safetensors: tensor `a` is of type `F3`, which is unknown"],
    );
    let huge = r#"{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}"#;
    safetensors_error(
        huge,
        0,
        expect!["safetensors: tensor `a`: F32 [4294967296, 4294967296] does not take the bytes from 0 to 0"],
    );
    let entry = r#""a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}"#;
    safetensors_error(&format!("{{{entry},{entry}}}"), 0, expect!["safetensors: two tensors are called `a`"]);
}
