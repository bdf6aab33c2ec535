//! What a compiled module exports.

use serde::Serialize;
use std::path::Path;
use studio_protocol::{ErrorCode, WireError};

/// A function that a module exports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModuleFunction {
    /// Its name.
    pub name: String,
    /// Its signature in the source's types, where the compiler left it.
    pub declaration: Option<String>,
    /// IREE's calling convention, such as `0rr_r`.
    pub calling_convention: String,
}

/// The functions of a vmfb, in its order. Nothing of the module is run.
pub fn module_functions(path: &Path) -> Result<Vec<ModuleFunction>, WireError> {
    let module = iree_runtime::Module::open(path).map_err(|error| {
        WireError::new(ErrorCode::Runtime, error.to_string()).hint("Is it a vmfb of IREE 3.13?")
    })?;
    let function = |info: &iree_runtime::FunctionInfo| ModuleFunction {
        name: info.name.clone(),
        declaration: info.declaration.clone(),
        calling_convention: info.calling_convention.clone(),
    };
    Ok(module.functions().iter().map(function).collect())
}
