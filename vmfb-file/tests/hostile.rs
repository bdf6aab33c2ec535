//! Files that are damaged, or made to do damage, are refused and do none.

mod common;

use common::{CPU, compile};
use proptest::prelude::*;
use std::fs;
use vmfb_file::{Error, Vmfb};

const GENERIC: &str = "--iree-llvmcpu-target-cpu=generic";
const X86: &str = "--iree-llvmcpu-target-triple=x86_64-unknown-linux-gnu";

fn zipped() -> Vec<u8> {
    fs::read(compile("x86", &[CPU, X86, GENERIC])).expect("it was compiled")
}

/// The same without the zip file around it, and so without checksums.
fn bare() -> Vec<u8> {
    let flags = [CPU, X86, GENERIC, "--iree-vm-emit-polyglot-zip=false"];
    fs::read(compile("x86-plain", &flags)).expect("it was compiled")
}

#[test]
fn other_files_are_said_to_be_none() {
    for bytes in [&b""[..], b"PK", b"GGUF0123456789abcdef", &[0; 64], b"\x7fELF\x02\x01\x01 and more bytes"] {
        assert!(matches!(Vmfb::read(bytes), Err(Error::NotAModule(_))), "{bytes:?}");
    }
}

#[test]
fn a_changed_byte_is_told_by_its_checksum() {
    let mut bytes = zipped();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let error = Vmfb::read(&bytes).unwrap_err();
    assert!(error.to_string().contains("checksum"), "{error}");
}

#[test]
fn every_shorter_file_is_refused() {
    let bytes = bare();
    for len in (0..bytes.len()).step_by(97) {
        assert!(Vmfb::read(&bytes[..len]).is_err(), "{len} of {} bytes", bytes.len());
    }
}

#[test]
fn a_table_that_is_named_a_million_times_is_not_read_as_often() {
    // A module whose list of types is long, and each of its elements the same table with a long name.
    let (count, name) = (1 << 18, 1 << 18);
    let mut bytes = vec![0_u8; 4];
    let put = |bytes: &mut Vec<u8>, values: &[u32]| {
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    };
    // From 4: the root's offset, the identifier, the root's list of fields, the root.
    put(&mut bytes, &[32]);
    bytes.extend(b"IREE");
    for field in [14_u16, 8, 0, 0, 0, 0, 4] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend([0; 10]);
    let root = bytes.len() as u32;
    put(&mut bytes, &[root - 12, 4, count]);
    // Behind the list: the table of the type, its list of fields and its name.
    let table = bytes.len() as u32 + 4 * count;
    for _ in 0..count {
        let at = bytes.len() as u32;
        put(&mut bytes, &[table - at]);
    }
    put(&mut bytes, &[8_u32.wrapping_neg(), 12]);
    for field in [6_u16, 8, 4, 0] {
        bytes.extend(field.to_le_bytes());
    }
    put(&mut bytes, &[name]);
    bytes.extend(std::iter::repeat_n(b'a', name as usize));
    let length = bytes.len() as u32 - 4;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    assert!(matches!(Vmfb::read(&bytes), Err(Error::TooDense)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_is_written_into_a_module_it_is_read_or_refused(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)
    ) {
        let mut bytes = bare();
        for (at, value) in places {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(module) = Vmfb::read(&bytes) {
            // Whatever it says can be printed.
            prop_assert!(!module.metadata().to_string().is_empty());
        }
    }

    #[test]
    fn whatever_offsets_lead_to_it_is_read_or_refused(
        at in any::<prop::sample::Index>(), value in any::<u32>()
    ) {
        let mut bytes = bare();
        let words = (bytes.len() / 4).min(2000);
        let at = at.index(words) * 4;
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        drop(Vmfb::read(&bytes));
    }
}
