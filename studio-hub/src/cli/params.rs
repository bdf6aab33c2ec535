//! `studio params`: the text that `iree-dump-parameters` prints for the same file.

use super::outcome::print_text;
use anyhow::Context;
use clap::Args;
use gguf_file::FileSource;
use std::path::PathBuf;

/// Lists a parameter archive's entries, byte for byte as iree-dump-parameters does.
#[derive(Debug, Args)]
pub(super) struct Params {
    /// A `.irpa`, `.safetensors` or `.gguf` file.
    file: PathBuf,
}

impl Params {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let place = || self.file.display().to_string();
        let source = FileSource::open(&self.file).with_context(place)?;
        print_text(
            studio_core::params::dump::text(&self.file.to_string_lossy(), &source).with_context(place)?,
        )
    }
}
