//! One export of a sweep.

use crate::{
    jobs::now_ms,
    model::{ModelFiles, NoRoom, Progress, export},
    store::Store,
};
use std::{fs, io, os::unix::fs::symlink};
use studio_core::{export::Export, options::ExportOptions};
use studio_protocol::{ErrorCode, Hash, WireError};

/// Why there is no bundle.
pub(super) enum NotMade {
    /// There may be one when something was deleted from the hub's disk.
    NoRoom(String),
    /// There never will be.
    Refused(WireError),
}

/// Tells nobody.
struct Silent;

impl Progress for Silent {
    fn planned(&mut self, _: &Export) {}
    fn made(&mut self, _: &str, _: u64, _: u64) {}
}

/// Exports the model and keeps the bundle.
pub(super) fn make(
    store: &Store,
    model: &Hash,
    name: &str,
    options: &ExportOptions,
) -> Result<Hash, NotMade> {
    let folder = tempfile::Builder::new()
        .prefix(&format!("sweep-{}-", now_ms()))
        .tempdir_in(store.temporary_folder())
        .map_err(|error| not_made(&error.into(), ""))?;
    // Names of the hub's own say nothing to who reads them.
    let within = format!("{}/", folder.path().display());
    let made = || {
        // Under its own name, which the manifest has.
        let (source, out) = (folder.path().join("model"), folder.path().join("export"));
        fs::create_dir(&source)?;
        let path = source.join(name);
        symlink(std::path::absolute(store.artifact_path(model))?, &path)?;
        let files = ModelFiles::open(&path)?;
        export(&files, &|_| Ok(options.clone()), &out, &mut Silent)?;
        Ok(store.adopt_bundle(&out)?)
    };
    made().map_err(|error: anyhow::Error| not_made(&error, &within))
}

fn not_made(error: &anyhow::Error, within: &str) -> NotMade {
    if let Some(room) = error.downcast_ref::<NoRoom>() {
        return NotMade::NoRoom(room.in_words());
    }
    let is_full =
        |error: &io::Error| matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    if error.chain().filter_map(|error| error.downcast_ref()).any(is_full) {
        return NotMade::NoRoom("the disk is full".to_owned());
    }
    let words = format!("{error:#}");
    let words = if within.is_empty() {
        words
    } else {
        words.replace(&format!("{within}model/"), "").replace(within, "")
    };
    NotMade::Refused(WireError::new(ErrorCode::BadMessage, words))
}
