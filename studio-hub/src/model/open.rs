//! A model whose header was read.

use super::ModelFiles;
use gguf_file::Gguf;
use std::path::Path;

/// An open model.
pub(crate) struct Model {
    /// What its header says.
    pub(crate) gguf: Gguf,
    /// Where its bytes are.
    pub(crate) files: ModelFiles,
}

impl Model {
    /// Opens a GGUF with all of its parts and reads its header.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let files = ModelFiles::open(path)?;
        Ok(Self { gguf: files.gguf()?, files })
    }
}
