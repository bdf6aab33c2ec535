//! The BLAKE3 of a dropped model: begun when its card is shown, finished when it is exported. Whoever looks at a card
//! for a moment finds the export that much further.

use super::Model;
use super::meter::Meter;
use super::read_at::Fetch;
use super::upload::Control;
use crate::messages::{ExportEnd, Problem};
use crate::report;
use futures_channel::oneshot;
use gguf_file::{ReadAt, ReadError};
use js_sys::Uint8Array;
use std::{
    cell::{Cell, RefCell},
    rc::{Rc, Weak},
};
use studio_core::manifest::FileEntry;

/// The most bytes that are hashed before anybody asks for it: a larger model would keep the machine busy for somebody
/// who only wants to see its card.
const UNASKED_BYTES: u64 = 4 << 30;

/// How far a model's hash is.
#[derive(Default)]
pub(crate) struct Hashing {
    /// The bytes hashed so far, unless they are being added to.
    hasher: RefCell<Option<blake3::Hasher>>,
    /// Tells whoever stops what is done unasked that it has stopped.
    stopped: RefCell<Option<oneshot::Receiver<()>>>,
    stop: Cell<bool>,
}

/// Begins to hash a model that nobody exports yet. Ends when the model is dropped, or when an export takes over.
pub(crate) fn begin(model: &Rc<Model>) {
    let bytes: u64 = model.files.iter().map(|file| file.size_bytes).sum();
    if bytes > UNASKED_BYTES {
        return;
    }
    let (done, stopped) = oneshot::channel();
    *model.hashing.stopped.borrow_mut() = Some(stopped);
    let model = Rc::downgrade(model);
    wasm_bindgen_futures::spawn_local(async move {
        // What fails now will fail, and be told, when somebody asks for it.
        drop(advance(&model, |_| Ok(())).await);
        drop(done);
    });
}

/// The model's hash, from as far as it is.
pub(crate) async fn finish(
    model: &Rc<Model>,
    control: &Control,
    meter: &Meter,
) -> Result<FileEntry, ExportEnd> {
    let hashing = &model.hashing;
    let stopped = hashing.stopped.borrow_mut().take();
    if let Some(stopped) = stopped {
        hashing.stop.set(true);
        // It ends by dropping its end of the channel.
        let (Ok(()) | Err(_)) = stopped.await;
        hashing.stop.set(false);
    }
    control.check()?;
    advance(&Rc::downgrade(model), |hashed_bytes| {
        meter.hashed(hashed_bytes);
        control.check()
    })
    .await?;
    let hasher = hashing.hasher.borrow();
    let hasher = hasher.as_ref().ok_or_else(|| Problem::new("The model is no longer open"))?;
    // What was hashed before anybody asked counts, too.
    meter.hashed(hasher.count());
    Ok(FileEntry {
        name: report::source_name(&model.files).to_owned(),
        size_bytes: hasher.count(),
        blake3: hasher.finalize().to_hex().to_string(),
    })
}

/// Hashes all parts one after another, from as far as it is, until `hashed` fails or somebody wants it to stop. The
/// browser reads a block while the one before it is hashed.
async fn advance(
    model: &Weak<Model>,
    mut hashed: impl FnMut(u64) -> Result<(), ExportEnd>,
) -> Result<(), ExportEnd> {
    let mut buffer = Vec::new();
    let mut ahead: Option<(u64, Fetch)> = None;
    loop {
        let Some(model) = model.upgrade() else { return Ok(()) };
        let hashing = &model.hashing;
        let mut hasher = hashing.hasher.borrow_mut().take().unwrap_or_default();
        let block = match hashing.stop.get() {
            true => Ok(None),
            false => block(&model, hasher.count(), &mut ahead).await,
        };
        let done = match &block {
            Ok(Some(block)) => {
                buffer.resize(block.length() as usize, 0);
                block.copy_to(&mut buffer);
                hasher.update(&buffer);
                hashed(hasher.count())
            }
            Ok(None) | Err(_) => Ok(()),
        };
        *hashing.hasher.borrow_mut() = Some(hasher);
        done?;
        if block?.is_none() {
            return Ok(());
        }
    }
}

/// The block that begins at byte `at` of all parts one after another, from `ahead` where it is that; `None` at their end.
/// The one after it is on its way when this one is there.
async fn block(
    model: &Model,
    at: u64,
    ahead: &mut Option<(u64, Fetch)>,
) -> Result<Option<Uint8Array>, ExportEnd> {
    let fetch = match ahead.take() {
        Some((of, fetch)) if of == at => fetch,
        Some(_) | None => match begin_fetch(model, at)? {
            Some(fetch) => fetch,
            None => return Ok(None),
        },
    };
    let Some((part, offset)) = place(model, at) else { return Ok(None) };
    let source = &model.sources[part];
    let after = at + source.block_bytes(offset);
    *ahead = begin_fetch(model, after)?.map(|fetch| (after, fetch));
    source.finish(fetch).await.map(Some).map_err(|error| unreadable(model, part, &error))
}

fn begin_fetch(model: &Model, at: u64) -> Result<Option<Fetch>, ExportEnd> {
    let Some((part, offset)) = place(model, at) else { return Ok(None) };
    model.sources[part].begin(offset).map(Some).map_err(|error| unreadable(model, part, &error))
}

fn unreadable(model: &Model, part: usize, error: &ReadError) -> ExportEnd {
    Problem::new(error.to_string()).at(&model.files[part].name).into()
}

/// The part, and the offset in it, of a byte of all parts one after another; `None` at their end.
fn place(model: &Model, mut at: u64) -> Option<(usize, u64)> {
    for (part, source) in model.sources.iter().enumerate() {
        if at < source.len() {
            return Some((part, at));
        }
        at -= source.len();
    }
    None
}
