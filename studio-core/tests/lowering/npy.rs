//! NumPy's array files, as IREE's tools write them.

use std::path::Path;

/// The elements of an array of 4-byte numbers whose `descr` is this.
pub(crate) fn elements<T>(path: &Path, descr: &str, from_bytes: fn([u8; 4]) -> T) -> Vec<T> {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00", "{}", path.display());
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8_lossy(&bytes[10..end]);
    assert!(header.contains(descr), "{}: {header}", path.display());
    bytes[end..].chunks_exact(4).map(|chunk| from_bytes(chunk.try_into().unwrap())).collect()
}
