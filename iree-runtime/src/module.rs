//! Compiled modules (vmfb files).

use std::{fmt, path::Path, sync::Arc};

use crate::{Error, raw, vmfb};

/// A compiled module: a vmfb, mapped and verified. A clone is the same module.
///
/// A vmfb holds native code. Checksums and verification find files that are damaged or made for another runtime; nothing
/// makes a hostile one safe to open or run.
#[derive(Clone)]
pub struct Module {
    pub(crate) raw: Arc<raw::Module>,
    name: Arc<str>,
    functions: Arc<[FunctionInfo]>,
}

/// A function that a module exports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionInfo {
    pub name: String,
    /// The signature in the source's types (`iree.abi.declaration`), where the compiler left it.
    pub declaration: Option<String>,
    /// IREE's calling convention: after a `0`, one letter for each argument, `_`, one for each result; `r` is a
    /// reference, such as a view, and `i`, `I`, `f`, `F` are the scalars `i32`, `i64`, `f32`, `f64`.
    pub calling_convention: String,
}

impl Module {
    /// Maps and verifies a vmfb. It must be the zip file that the compiler makes unless told otherwise.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let doing = || format!("open module {}", path.display());
        let file = raw::MappedFile::open(path).map_err(|error| Error::io(doing(), &error))?;
        vmfb::check(file.bytes()).map_err(|failure| failure.doing(doing()))?;
        let raw = raw::Module::new(file).map_err(|failure| failure.doing(doing()))?;
        let exports = raw.exports().map_err(|failure| failure.doing(doing()))?;
        let functions = exports
            .into_iter()
            .map(|export| FunctionInfo {
                name: export.name,
                declaration: Some(export.declaration).filter(|text| !text.is_empty()),
                calling_convention: export.calling_convention,
            })
            .collect();
        Ok(Self { name: raw.name().into(), functions, raw: Arc::new(raw) })
    }

    /// The name that the source gave the module; `module` if it gave none.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All exports, those that the compiler adds for itself included.
    #[must_use]
    pub fn functions(&self) -> &[FunctionInfo] {
        &self.functions
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module")
            .field("name", &self.name)
            .field("functions", &self.functions)
            .finish_non_exhaustive()
    }
}
