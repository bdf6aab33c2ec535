//! Models on disk: opening a GGUF with its other parts, and exporting it into a folder.

mod claim;
mod export;
mod files;
mod hash;
mod make;
mod open;
mod origins;
mod record;
mod write;

pub(crate) use export::{Exported, NoRoom, Progress, content_key, export};
pub(crate) use files::ModelFiles;
pub(crate) use open::Model;
pub(crate) use origins::{read_origins, write_origins};
pub(crate) use record::record;
pub(crate) use write::{WriteError, write_whole};
