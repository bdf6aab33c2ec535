//! [`TensorWriter`]: takes the data of declared tensors as it comes, so that no model has to be in memory.

use std::collections::VecDeque;
use std::io::Write;

use crate::builder::tensor_error;
use crate::error::{Error, ErrorKind};
use crate::place::{Field, Place, TensorPart};

/// Takes the tensors' data after [`GgufBuilder::write_header`](crate::GgufBuilder::write_header), in the order of declaration and in pieces of
/// any size; places and pads them.
#[derive(Debug)]
pub struct TensorWriter<W> {
    out: W,
    alignment: u64,
    /// Name and size of the tensors that aren't complete.
    pending: VecDeque<(String, u64)>,
    written_of_first: u64,
    position: u64,
}

impl<W: Write> TensorWriter<W> {
    /// `position` is the length of the header that `out` has taken.
    pub(crate) fn new(out: W, alignment: u64, pending: VecDeque<(String, u64)>, position: u64) -> Self {
        TensorWriter { out, alignment, pending, written_of_first: 0, position }
    }

    /// The tensor that the next byte belongs to, and how many bytes it still takes.
    pub fn next_tensor(&self) -> Option<(&str, u64)> {
        let (name, size) = self.pending.front()?;
        Some((name, size.saturating_sub(self.written_of_first)))
    }

    /// Writes bytes of the current tensor, at most as many as it still takes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some((name, size)) = self.pending.front() else {
            return Err(Error::new(Place::of(Field::TensorCount), ErrorKind::NoTensorLeft));
        };
        let written = self.written_of_first.saturating_add(bytes.len() as u64);
        if written > *size {
            let kind = ErrorKind::DataLength { given: written, size_bytes: *size };
            return Err(tensor_error(name, TensorPart::Data, kind));
        }
        self.out
            .write_all(bytes)
            .map_err(|error| tensor_error(name, TensorPart::Data, ErrorKind::Write(error)))?;
        self.written_of_first = written;
        self.position = self.position.saturating_add(bytes.len() as u64);
        if written == *size {
            self.end_tensor()?;
        }
        Ok(())
    }

    fn end_tensor(&mut self) -> Result<(), Error> {
        let Some((name, _)) = self.pending.pop_front() else { return Ok(()) };
        self.written_of_first = 0;
        let padding = padding_after(self.position, self.alignment);
        self.out
            .write_all(&vec![0; padding])
            .map_err(|error| tensor_error(&name, TensorPart::Data, ErrorKind::Write(error)))?;
        self.position = self.position.saturating_add(padding as u64);
        Ok(())
    }

    /// Flushes and gives the destination back. Refused while a tensor lacks bytes.
    pub fn finish(mut self) -> Result<W, Error> {
        if let Some((name, size_bytes)) = self.pending.front() {
            let kind = ErrorKind::DataLength { given: self.written_of_first, size_bytes: *size_bytes };
            return Err(tensor_error(name, TensorPart::Data, kind));
        }
        self.out
            .flush()
            .map_err(|error| Error::new(Place::of(Field::TensorCount), ErrorKind::Write(error)))?;
        Ok(self.out)
    }
}

/// The bytes from `position` to the next multiple of `alignment`, which is at most
/// [`MAX_ALIGNMENT`](crate::limits::MAX_ALIGNMENT).
pub(crate) fn padding_after(position: u64, alignment: u64) -> usize {
    match position.checked_rem(alignment) {
        None | Some(0) => 0,
        Some(past) => usize::try_from(alignment.saturating_sub(past)).unwrap_or(0),
    }
}
