//! What kind of file a person names.

use std::{ffi::OsStr, fs::File, io::Read, path::Path};

/// Endings that are believed.
const KNOWN: [&str; 5] = ["gguf", "irpa", "safetensors", "vmfb", "mlir"];

/// The ending of a file's name, in lower case, which tells its kind. Where it is none of those known and the file begins as
/// a GGUF does, `gguf`: caches of models name files by their hashes.
pub(super) fn ending(path: &Path) -> String {
    let ending = path.extension().map(OsStr::to_string_lossy).unwrap_or_default().to_ascii_lowercase();
    if !KNOWN.contains(&ending.as_str()) && begins_as_gguf(path) { "gguf".to_owned() } else { ending }
}

fn begins_as_gguf(path: &Path) -> bool {
    // What is no file, such as a pipe, might never answer.
    let begin = || {
        let mut begin = [0; 4];
        File::open(path).ok()?.read_exact(&mut begin).ok()?;
        Some(begin)
    };
    path.is_file() && begin().is_some_and(|begin| &begin == b"GGUF")
}
