//! A dropped file as a source of bytes: `FileReaderSync` over slices of its blob, which only a worker has.

use crate::browser;
use crate::messages::Problem;
use gguf_file::{ReadAt, ReadError};
use js_sys::{ArrayBuffer, Uint8Array};
use std::cell::RefCell;
use std::collections::VecDeque;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, FileReaderSync};

/// Bytes that are fetched at once: each fetch is a round trip to the browser's own process.
const BLOCK_BYTES: u64 = 4 << 20;

/// Blocks of a file that are kept, outside of the wasm memory. A converter goes through a file almost in order, and
/// what was read to hash a file of this size is not read again to convert it.
const BLOCKS: usize = 24;

/// A dropped file. Reads block, as a worker may.
pub(crate) struct BlobSource {
    blob: Blob,
    len: u64,
    reader: FileReaderSync,
    /// What was fetched last, the newest at the back.
    blocks: RefCell<VecDeque<Block>>,
}

/// A stretch of the file that begins at a multiple of [`BLOCK_BYTES`].
struct Block {
    offset: u64,
    bytes: Uint8Array,
}

impl BlobSource {
    /// The source of a file's bytes.
    pub(crate) fn new(file: &File) -> Result<Self, Problem> {
        let reader = FileReaderSync::new().map_err(|error| {
            Problem::new(format!("This browser cannot read files in a worker ({})", browser::words(&error)))
                .at(file.name())
        })?;
        let blob: &Blob = file;
        Ok(Self { blob: blob.clone(), len: blob.size() as u64, reader, blocks: RefCell::default() })
    }

    /// Begins to fetch the block at `offset`, a multiple of [`BLOCK_BYTES`], while the worker does something else.
    pub(crate) fn begin(&self, offset: u64) -> Result<Fetch, ReadError> {
        Ok(match self.kept(offset) {
            Some(bytes) => Fetch::Kept(bytes),
            None => Fetch::Coming(offset, self.slice(offset)?.array_buffer().into()),
        })
    }

    /// The bytes of a fetch that was begun, kept for the reads to come.
    pub(crate) async fn finish(&self, fetch: Fetch) -> Result<Uint8Array, ReadError> {
        match fetch {
            Fetch::Kept(bytes) => Ok(bytes),
            Fetch::Coming(offset, read) => {
                self.keep(offset, &read.await.map_err(|error| unreadable(&error))?.into())
            }
        }
    }

    /// The length of the block at `offset`, a multiple of [`BLOCK_BYTES`].
    pub(crate) fn block_bytes(&self, offset: u64) -> u64 {
        BLOCK_BYTES.min(self.len - offset)
    }

    /// The block at `offset`, a multiple of [`BLOCK_BYTES`], from those that are kept or fetched now.
    fn block(&self, offset: u64) -> Result<Uint8Array, ReadError> {
        if let Some(bytes) = self.kept(offset) {
            return Ok(bytes);
        }
        let read = self.reader.read_as_array_buffer(&self.slice(offset)?);
        self.keep(offset, &read.map_err(|error| unreadable(&error))?.into())
    }

    fn kept(&self, offset: u64) -> Option<Uint8Array> {
        let blocks = self.blocks.borrow();
        blocks.iter().rev().find(|block| block.offset == offset).map(|block| block.bytes.clone())
    }

    fn slice(&self, offset: u64) -> Result<Blob, ReadError> {
        let end = self.len.min(offset + BLOCK_BYTES);
        self.blob.slice_with_f64_and_f64(offset as f64, end as f64).map_err(|error| unreadable(&error))
    }

    fn keep(&self, offset: u64, read: &ArrayBuffer) -> Result<Uint8Array, ReadError> {
        let bytes = Uint8Array::new(read);
        if u64::from(bytes.length()) != self.block_bytes(offset) {
            return Err(ReadError::new("the file became shorter since it was dropped"));
        }
        let mut blocks = self.blocks.borrow_mut();
        if blocks.len() == BLOCKS {
            blocks.pop_front();
        }
        blocks.push_back(Block { offset, bytes: bytes.clone() });
        Ok(bytes)
    }
}

/// A block that was asked for.
pub(crate) enum Fetch {
    /// It was there.
    Kept(Uint8Array),
    /// It is on its way, from this offset.
    Coming(u64, JsFuture),
}

/// The browser's own words are about permissions; the usual cause is a file that changed.
fn unreadable(error: &wasm_bindgen::JsValue) -> ReadError {
    ReadError::new(format!(
        "the browser cannot read it any more; was the file changed or moved since it was dropped? ({})",
        browser::words(error)
    ))
}

impl ReadAt for BlobSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let wanted = buffer.len() as u64;
        if offset.checked_add(wanted).is_none_or(|end| end > self.len) {
            return Err(ReadError::out_of_range(offset, buffer.len(), self.len));
        }
        let (mut at, mut rest) = (offset, buffer);
        while !rest.is_empty() {
            let start = at % BLOCK_BYTES;
            let block = self.block(at - start)?;
            let count = rest.len().min((u64::from(block.length()) - start) as usize);
            let (now, later) = rest.split_at_mut(count);
            block.subarray(start as u32, start as u32 + count as u32).copy_to(now);
            (at, rest) = (at + count as u64, later);
        }
        Ok(())
    }
}
