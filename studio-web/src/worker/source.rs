//! The dropped GGUF itself, on its way to the hub: llama.cpp on a runner takes the file, not a bundle.

use super::meter::Meter;
use super::upload::{Control, Parcel, Pieces, Uploader};
use super::{Model, hashing};
use crate::hub::resume::content_key;
use crate::messages::{ExportEnd, Problem};
use gguf_file::ReadAt;
use std::rc::Rc;
use studio_protocol::{Artifact, Hash};

/// Bytes that are read at once.
const PIECE_BYTES: u64 = 1 << 20;

/// Sends it, unless the hub has it; gives its name there.
pub(crate) async fn send(model: Rc<Model>, control: Control) -> Result<Artifact, ExportEnd> {
    let [file] = &model.files[..] else {
        return Err(Problem::new(
            "A model of several files can’t be sent to a runner: llama.cpp there takes one file",
        )
        .at(model.files.first().map(|file| file.name.clone()).unwrap_or_default())
        .hint("Join its parts with llama.cpp’s llama-gguf-split --merge, then drop the whole")
        .into());
    };
    let meter = Meter::new(file.size_bytes, file.size_bytes);
    let entry = hashing::finish(&model, &control, &meter).await?;
    let blake3: Hash = entry.blake3.parse().map_err(|error| Problem::new(format!("{error}")))?;
    let mut pieces = Whole { model: &model, at: 0, piece: Vec::new() };
    let parcel = Parcel {
        name: &file.name,
        key: content_key(&blake3),
        size_bytes: entry.size_bytes,
        blake3: Some(blake3),
        pieces: &mut pieces,
    };
    Uploader::new(control).send(parcel, &meter).await
}

/// The bytes of a model's only file.
struct Whole<'a> {
    model: &'a Model,
    at: u64,
    piece: Vec<u8>,
}

impl Pieces for Whole<'_> {
    fn restart(&mut self) {
        self.at = 0;
    }

    fn next(&mut self) -> Result<Option<&[u8]>, Problem> {
        let Some(source) = self.model.sources.first() else { return Ok(None) };
        let count = PIECE_BYTES.min(source.len().saturating_sub(self.at));
        self.piece.resize(count as usize, 0);
        source.read_at(self.at, &mut self.piece).map_err(|error| {
            let name = self.model.files.first().map(|file| file.name.clone()).unwrap_or_default();
            Problem::new(error.to_string()).at(name).hint("Was the file changed or moved? Drop it again")
        })?;
        self.at += count;
        Ok(Some(&self.piece[..]).filter(|piece| !piece.is_empty()))
    }
}
