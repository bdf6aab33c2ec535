//! Where a file's bytes come from: anything that can be read at an offset, be it a file, a slice or a blob
//! behind a browser's file picker.

use std::error::Error as StdError;
use std::fmt;

/// Random access to a sequence of bytes of known length.
///
/// Offsets are `u64` everywhere, as a model is often larger than `usize` can count on wasm32.
pub trait ReadAt {
    /// The length in bytes. It must not change while a file is being read.
    fn len(&self) -> u64;

    /// Fills the whole of `buf` from `offset`, or fails. Never reads less without saying so.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), ReadError>;

    /// Whether there are no bytes at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Why bytes could not be had from a [`ReadAt`].
pub struct ReadError(Box<dyn StdError + Send + Sync>);

impl ReadError {
    /// Wraps an error, or a message, of the layer below.
    pub fn new(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        ReadError(source.into())
    }

    /// The error for a range that is not within `len` bytes.
    pub fn out_of_range(offset: u64, wanted_bytes: usize, len: u64) -> Self {
        ReadError::new(format!("{wanted_bytes} bytes at {offset} are past the end, which is at {len}"))
    }
}

impl fmt::Debug for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl StdError for ReadError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

impl ReadAt for [u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        let wanted = buf.len();
        let range = usize::try_from(offset).ok().and_then(|start| Some(start..start.checked_add(wanted)?));
        match range.and_then(|range| self.get(range)) {
            Some(bytes) => {
                buf.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(ReadError::out_of_range(offset, wanted, ReadAt::len(self))),
        }
    }
}

impl ReadAt for Vec<u8> {
    fn len(&self) -> u64 {
        ReadAt::len(self.as_slice())
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        self.as_slice().read_at(offset, buf)
    }
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        (**self).read_at(offset, buf)
    }
}

impl<T: ReadAt + ?Sized> ReadAt for Box<T> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        (**self).read_at(offset, buf)
    }
}

impl<T: ReadAt + ?Sized> ReadAt for std::sync::Arc<T> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        (**self).read_at(offset, buf)
    }
}
