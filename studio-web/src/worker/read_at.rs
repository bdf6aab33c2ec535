//! A dropped file as a source of bytes: `FileReaderSync` over slices of its blob, which only a worker has.

use crate::browser;
use crate::messages::Problem;
use gguf_file::{ReadAt, ReadError};
use js_sys::Uint8Array;
use std::cell::RefCell;
use web_sys::{Blob, File, FileReaderSync};

/// Reads shorter than this fetch this much: each one is a round trip to the browser's own process.
const READ_AHEAD_BYTES: u64 = 2 << 20;

/// A dropped file. Reads block, as a worker may.
pub(crate) struct BlobSource {
    blob: Blob,
    len: u64,
    reader: FileReaderSync,
    ahead: RefCell<Ahead>,
}

/// The stretch that was fetched last.
#[derive(Default)]
struct Ahead {
    offset: u64,
    bytes: Vec<u8>,
}

impl BlobSource {
    /// The source of a file's bytes.
    pub(crate) fn new(file: &File) -> Result<Self, Problem> {
        let reader = FileReaderSync::new().map_err(|error| {
            Problem::new(format!("This browser cannot read files in a worker ({})", browser::words(&error)))
                .at(file.name())
        })?;
        let blob: &Blob = file;
        Ok(Self { blob: blob.clone(), len: blob.size() as u64, reader, ahead: RefCell::default() })
    }

    /// Fills the buffer from the blob itself.
    fn fetch(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let end = offset + buffer.len() as u64;
        let slice = self.blob.slice_with_f64_and_f64(offset as f64, end as f64);
        let read = slice.and_then(|slice| self.reader.read_as_array_buffer(&slice));
        let read = read.map_err(|error| {
            // The browser's own words are about permissions; the usual cause is a file that changed.
            ReadError::new(format!(
                "the browser cannot read it any more; was the file changed or moved since it was dropped? ({})",
                browser::words(&error)
            ))
        })?;
        let array = Uint8Array::new(&read);
        if array.length() as usize != buffer.len() {
            return Err(ReadError::new("the file became shorter since it was dropped"));
        }
        array.copy_to(buffer);
        Ok(())
    }
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
        if wanted >= READ_AHEAD_BYTES {
            return self.fetch(offset, buffer);
        }
        let mut ahead = self.ahead.borrow_mut();
        let within = |ahead: &Ahead| {
            let start = usize::try_from(offset.checked_sub(ahead.offset)?).ok()?;
            Some(start..start.checked_add(buffer.len())?).filter(|range| range.end <= ahead.bytes.len())
        };
        let range = match within(&ahead) {
            Some(range) => range,
            None => {
                let length = READ_AHEAD_BYTES.min(self.len - offset) as usize;
                let mut bytes = std::mem::take(&mut ahead.bytes);
                bytes.resize(length, 0);
                self.fetch(offset, &mut bytes)?;
                *ahead = Ahead { offset, bytes };
                0..buffer.len()
            }
        };
        buffer.copy_from_slice(&ahead.bytes[range]);
        Ok(())
    }
}
