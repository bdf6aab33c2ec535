//! A `.br` beside each file, so that the hub compresses nothing while it serves.

use anyhow::Context;
use std::{fs, path::Path};

/// Brotli's strongest setting: the files are compressed once and fetched often.
const QUALITY: i32 = 11;
const WINDOW_BITS: i32 = 22;

/// Compresses every file in a folder that isn't a `.br` or hidden.
#[expect(clippy::print_stderr, reason = "a build tool tells what it made")]
pub(crate) fn folder(folder: &Path) -> anyhow::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let name = entry?.file_name();
        let text = name.to_string_lossy();
        if !text.starts_with('.') && !text.ends_with(".br") {
            names.push(name);
        }
    }
    names.sort();
    let mut total = 0;
    for name in names {
        let path = folder.join(&name);
        let bytes = fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let small = brotli_of(&bytes).with_context(|| format!("{} cannot be compressed", path.display()))?;
        total += small.len();
        eprintln!("page: {:>9} {:>9} {}", bytes.len(), small.len(), name.to_string_lossy());
        let mut small_name = name;
        small_name.push(".br");
        let small_path = folder.join(small_name);
        fs::write(&small_path, small)
            .with_context(|| format!("{} cannot be written", small_path.display()))?;
    }
    eprintln!("page: {total} bytes of brotli in all");
    Ok(())
}

fn brotli_of(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: QUALITY,
        lgwin: WINDOW_BITS,
        size_hint: bytes.len(),
        ..Default::default()
    };
    let mut small = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut small, &parameters)?;
    Ok(small)
}
