//! What became of a bundle after its export is written into its folder.

use super::{WriteError, write_whole};
use anyhow::Context;
use std::{fs, io, path::Path};
use studio_core::{
    manifest::{Manifest, file_name},
    reference,
};

/// Writes a bundle's manifest and, in its reference page, what that says of modules and verifications. A page that
/// somebody removed isn't made again.
pub(crate) fn record(dir: &Path, manifest: &mut Manifest) -> anyhow::Result<()> {
    let path = dir.join(file_name::REFERENCE);
    match fs::read_to_string(&path) {
        Ok(page) => {
            let page = reference::update(&page, manifest);
            write_whole(&path, page.as_bytes())?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(WriteError::at(&path)(error).into()),
    }
    let text = serde_json::to_vec_pretty(manifest).context("writing the manifest")?;
    Ok(write_whole(&dir.join(file_name::MANIFEST), &text)?)
}
