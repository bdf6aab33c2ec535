//! The text that `iree-dump-parameters --parameters=FILE` prints, byte for byte.

use super::index::{IndexEntry, Storage};
use super::{irpa, safetensors};
use gguf_file::{Gguf, ReadAt};

/// Why a file's parameters cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// The name says nothing about the format.
    #[error("`{0}`: parameters are read from files that end in .irpa, .safetensors or .gguf")]
    Format(String),
    /// Not a proper archive.
    #[error(transparent)]
    Irpa(#[from] irpa::IrpaError),
    /// Not a proper safetensors file.
    #[error(transparent)]
    Safetensors(#[from] safetensors::SafetensorsError),
    /// Not a proper GGUF.
    #[error(transparent)]
    Gguf(#[from] gguf_file::Error),
}

/// Lists the parameters of a file whose format its name's ending tells, in the file's own order.
pub fn read(name: &str, source: &dyn ReadAt) -> Result<Vec<IndexEntry>, DumpError> {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let ending = file.rsplit_once('.').map_or(file, |(_, ending)| ending);
    match ending.to_ascii_lowercase().as_str() {
        "irpa" => Ok(irpa::read(source)?),
        "safetensors" => Ok(safetensors::read(source)?),
        "gguf" => {
            let gguf = Gguf::open_part(source)?;
            let entry = |tensor: &gguf_file::TensorInfo| IndexEntry {
                name: tensor.name().to_owned(),
                size_bytes: tensor.size_bytes(),
                storage: Storage::File { offset: tensor.offset() },
            };
            Ok(gguf.tensors().iter().map(entry).collect())
        }
        _ => Err(DumpError::Format(name.to_owned())),
    }
}

/// The text for a file without a scope.
pub fn text(name: &str, source: &dyn ReadAt) -> Result<String, DumpError> {
    Ok(format(&read(name, source)?))
}

fn format(entries: &[IndexEntry]) -> String {
    let total = entries.iter().fold(0u64, |sum, entry| sum.wrapping_add(entry.size_bytes));
    let line = |left: &str, mark: char, right: &str| {
        let dashes = |count| "-".repeat(count);
        let columns = [dashes(12), dashes(18), dashes(18), dashes(59)].join(&mark.to_string());
        format!("//{left}{columns}{right}\n")
    };
    let mut text = format!(
        "//==={}===//\n// Parameter scope <global> ({} entries, {total} total bytes)\n",
        "-".repeat(110),
        entries.len(),
    );
    text += &line("===", '+', "===//");
    text += "//         Start |              End |           Length | Key\n";
    text += &line("---", '+', "---//");
    for IndexEntry { name, size_bytes, storage } in entries {
        let (start, end) = match storage {
            Storage::File { offset } => (offset.to_string(), (offset + size_bytes).to_string()),
            Storage::Splat { .. } => ("-".to_owned(), "-".to_owned()),
        };
        text += &format!("{start:>16} | {end:>16} | {size_bytes:>16} | `{name}`\n");
    }
    text.push('\n');
    text
}
