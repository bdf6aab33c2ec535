//! Archives with one thing wrong: each gives an error, and none a panic, a hang or a large allocation. Well-made archives
//! are those of IREE's tools, in `tests/parameters.rs`.

use super::*;
use crate::StatusCode;

/// A well-made archive of one range ("w", 64 bytes at 256) and one splat ("s", 32 bytes of 01020304).
fn archive() -> Vec<u8> {
    let mut file = vec![0_u8; 320];
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, MAGIC);
    put(8, &88_u64.to_le_bytes());
    put(32, &2_u64.to_le_bytes());
    for (at, value) in [(40, 96_u64), (48, 80 + 85), (56, 88), (64, 2), (72, 256), (80, 64)] {
        put(at, &value.to_le_bytes());
    }
    put(88, b"ws");
    // The range: entry size, kind, name at 0, data at 0.
    put(DATA, &76_u64.to_le_bytes());
    put(DATA + 8, &2_u32.to_le_bytes());
    put(DATA + 28, &1_u64.to_le_bytes());
    put(DATA + 68, &64_u64.to_le_bytes());
    // The splat: entry size, kind, name at 1, length, pattern.
    put(SPLAT, &85_u64.to_le_bytes());
    put(SPLAT + 8, &1_u32.to_le_bytes());
    put(SPLAT + 20, &1_u64.to_le_bytes());
    put(SPLAT + 28, &1_u64.to_le_bytes());
    put(SPLAT + 60, &32_u64.to_le_bytes());
    put(SPLAT + 68, &[1, 2, 3, 4]);
    put(SPLAT + 84, &[4]);
    file
}

/// Where the two entries of `archive` begin.
const DATA: usize = 96;
const SPLAT: usize = 176;

#[test]
fn the_well_made_archive_is_read() {
    let entries = read(&archive()).expect("it is well made");
    let range = Entry { name: "w".into(), length: 64, content: Content::Range { offset: 256 } };
    let splat = Entry { name: "s".into(), length: 32, content: Content::Splat { pattern: vec![1, 2, 3, 4] } };
    assert_eq!(entries, [range, splat]);
}

#[track_caller]
fn refused(at: usize, value: &[u8], code: StatusCode, text: &str) {
    let mut file = archive();
    file[at..at + value.len()].copy_from_slice(value);
    let failure = read(&file).expect_err("something is wrong with it");
    assert_eq!(failure.code, code, "{}", failure.message);
    assert!(failure.message.contains(text), "{}", failure.message);
}

#[test]
fn headers_that_lie() {
    let max = u64::MAX.to_le_bytes();
    refused(4, &[1], StatusCode::Unimplemented, "version 1.0");
    refused(6, &[1], StatusCode::Unimplemented, "version 0.1");
    refused(8, &max, StatusCode::DataLoss, "a header of 18446744073709551615 bytes");
    refused(16, &96_u64.to_le_bytes(), StatusCode::Unimplemented, "linked");
    refused(16, &max, StatusCode::Unimplemented, "linked");
    refused(32, &max, StatusCode::DataLoss, "entry 2: the table of entries ends before it");
    for (name, at) in [("entry", 40), ("metadata", 56), ("data", 72)] {
        refused(at, &max, StatusCode::DataLoss, &format!("{name} segment"));
        refused(at + 8, &max, StatusCode::DataLoss, &format!("{name} segment"));
        refused(at + 8, &320_u64.to_le_bytes(), StatusCode::DataLoss, &format!("{name} segment"));
        // Offset and length that come out small when they are added in 64 bits.
        let mut both = (u64::MAX - 15).to_le_bytes().to_vec();
        both.extend(32_u64.to_le_bytes());
        refused(at, &both, StatusCode::DataLoss, &format!("{name} segment"));
    }
}

#[test]
fn entries_that_lie() {
    let max = u64::MAX.to_le_bytes();
    for size in [0_u64, 59, 166, u64::MAX, u64::MAX - 14] {
        refused(DATA, &size.to_le_bytes(), StatusCode::DataLoss, "entry 0: a size of");
    }
    refused(DATA, &75_u64.to_le_bytes(), StatusCode::DataLoss, "entry 0: `w` is too short");
    refused(SPLAT, &84_u64.to_le_bytes(), StatusCode::DataLoss, "entry 1: `s` is too short");
    refused(DATA + 8, &[3], StatusCode::Unimplemented, "entry 0: `w` lies in another file");
    refused(DATA + 8, &[9], StatusCode::Unimplemented, "entry 0: `w` is of the unknown kind 9");
    refused(DATA + 20, &max, StatusCode::DataLoss, "entry 0: its name");
    refused(DATA + 28, &3_u64.to_le_bytes(), StatusCode::DataLoss, "entry 0: its name");
    refused(DATA + 28, &max, StatusCode::DataLoss, "entry 0: a name of");
    refused(88, &[0xFF], StatusCode::DataLoss, "not UTF-8");
    refused(DATA + 60, &1_u64.to_le_bytes(), StatusCode::DataLoss, "`w`: 64 bytes at 1 past the end");
    refused(DATA + 60, &max, StatusCode::DataLoss, "past the end of the data segment");
    refused(DATA + 68, &65_u64.to_le_bytes(), StatusCode::DataLoss, "past the end of the data segment");
    for length in [0_u8, 3, 17, 32, 255] {
        refused(SPLAT + 84, &[length], StatusCode::DataLoss, "`s`: ");
    }
    refused(SPLAT + 60, &31_u64.to_le_bytes(), StatusCode::DataLoss, "`s`: 4 bytes do not repeat to 31");
}

#[test]
fn erased_entries_are_passed_over() {
    let mut file = archive();
    file[DATA + 8] = 0;
    // Nobody reads the name of an entry that was erased.
    file[DATA + 28..DATA + 36].fill(0xFF);
    let entries = read(&file).expect("erased entries are in order");
    assert_eq!(entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["s"]);
}

#[test]
fn no_byte_can_be_changed_to_make_it_panic() {
    let whole = archive();
    for at in 0..whole.len() {
        for value in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
            let mut file = whole.clone();
            file[at] = value;
            for entry in read(&file).unwrap_or_default() {
                if let Content::Range { offset } = entry.content {
                    assert!(offset + entry.length <= file.len() as u64, "byte {at} set to {value}");
                }
            }
        }
    }
}
