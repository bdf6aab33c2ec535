//! The wrapping of a vmfb: a zip file of stored members, the module first, then its executables. IREE finds the module
//! without reading the table of contents; we read it for its checksums, since IREE's verifier follows damaged bytecode out
//! of its bounds.

use std::io::{self, Cursor};

use zip::ZipArchive;

use crate::error::Failure;

const MODULE_MEMBER: &str = "module.fb";

/// Compares every member with its checksum.
pub(crate) fn check(file: &[u8]) -> Result<(), Failure> {
    let damaged = |error: &dyn std::fmt::Display| Failure::data_loss(format!("not a whole vmfb: {error}"));
    let mut archive = ZipArchive::new(Cursor::new(file)).map_err(|error| damaged(&error))?;
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).map_err(|error| damaged(&error))?;
        let name = member.name().map_err(|error| damaged(&error))?.into_owned();
        if index == 0 && (name != MODULE_MEMBER || member.header_start() != 0) {
            return Err(damaged(&format_args!("a zip file that does not begin with `{MODULE_MEMBER}`")));
        }
        io::copy(&mut member, &mut io::sink())
            .map_err(|error| damaged(&format_args!("`{name}`: {error}")))?;
    }
    if archive.is_empty() {
        return Err(damaged(&"an empty zip file"));
    }
    Ok(())
}
