//! Weights in files.

use std::{fmt, path::Path, sync::Arc};

use crate::{
    Error,
    archive::{self, Content, Entry},
    raw,
};

/// A file of parameters under a scope, mapped without a copy. A clone is the same file.
///
/// IREE uses the mapped bytes of a parameter as they are where they lie on 64-byte boundaries of the file, as an
/// `.irpa`'s do; others it copies when a session is made. The file must not be cut short while it is open.
#[derive(Clone)]
pub struct Parameters {
    pub(crate) raw: Arc<raw::Archive>,
    scope: Arc<str>,
    entries: Arc<[ParameterInfo]>,
}

/// A parameter in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterInfo {
    pub name: String,
    /// Bytes from the start of the file; `None` for a value that the file gives as a repeated pattern.
    pub offset: Option<u64>,
    /// In bytes.
    pub length: u64,
}

impl Parameters {
    /// Maps an `.irpa` or a `.safetensors` file, told apart by their contents. `scope` is the one that the module's
    /// parameters are named in.
    pub fn open(path: &Path, scope: &str) -> Result<Self, Error> {
        let file = map(path)?;
        let entries = archive::read(file.bytes()).map_err(|failure| failure.doing(doing(path)))?;
        Self::new(path, scope, file, entries)
    }

    /// Maps a file of any format whose names and ranges (offset and length in bytes) the caller knows, such as a GGUF's.
    pub fn open_ranges(
        path: &Path,
        scope: &str,
        ranges: impl IntoIterator<Item = (String, u64, u64)>,
    ) -> Result<Self, Error> {
        let entries = ranges
            .into_iter()
            .map(|(name, offset, length)| Entry { name, length, content: Content::Range { offset } })
            .collect();
        Self::new(path, scope, map(path)?, entries)
    }

    fn new(path: &Path, scope: &str, file: raw::MappedFile, entries: Vec<Entry>) -> Result<Self, Error> {
        let mut raw = raw::Archive::new(file).map_err(|failure| failure.doing(doing(path)))?;
        for entry in &entries {
            let storage = match &entry.content {
                Content::Range { offset } => raw::Storage::Range { offset: *offset },
                Content::Splat { pattern } => raw::Storage::Splat { pattern },
            };
            raw.add(&entry.name, &storage, entry.length).map_err(|failure| {
                failure.doing(format_args!("{}, parameter `{}`", doing(path), entry.name))
            })?;
        }
        let entries = entries
            .into_iter()
            .map(|entry| ParameterInfo {
                offset: match entry.content {
                    Content::Range { offset } => Some(offset),
                    Content::Splat { .. } => None,
                },
                name: entry.name,
                length: entry.length,
            })
            .collect();
        Ok(Self { raw: Arc::new(raw), scope: scope.into(), entries })
    }

    /// The scope that the module's parameters are named in.
    #[must_use]
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// All parameters: in the file's order in an `.irpa`, by name in a `.safetensors` file.
    #[must_use]
    pub fn entries(&self) -> &[ParameterInfo] {
        &self.entries
    }
}

fn doing(path: &Path) -> String {
    format!("open parameters {}", path.display())
}

fn map(path: &Path) -> Result<raw::MappedFile, Error> {
    raw::MappedFile::open(path).map_err(|error| Error::io(doing(path), &error))
}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parameters")
            .field("scope", &self.scope)
            .field("entries", &self.entries.len())
            .finish()
    }
}
