//! A file's bytes, pulled piece by piece.

use super::ExportError;
use crate::params::Budget;
use crate::params::archive::Layout;
use crate::params::plan::Plan;
use crate::params::stream::{ArchiveStream, PIECE_BYTES};
use gguf_file::ReadAt;

/// A file's bytes in order. Whoever wants no more just drops it.
pub struct FileStream<'a>(Kind<'a>);

enum Kind<'a> {
    /// What is left of bytes that are made.
    Bytes(&'a [u8]),
    Parameters(Box<ArchiveStream<'a>>),
}

impl<'a> FileStream<'a> {
    pub(super) fn of_bytes(bytes: &'a [u8]) -> Self {
        Self(Kind::Bytes(bytes))
    }

    pub(super) fn of_parameters(plan: &'a Plan, layout: &'a Layout, budget: Budget) -> Self {
        Self(Kind::Parameters(Box::new(ArchiveStream::new(plan, layout, budget))))
    }

    /// The next piece, 1 to [`PIECE_BYTES`] bytes, or `None` at the end. `sources` are the model's files, in the order
    /// in which it was opened. After an error the stream is of no further use.
    pub fn next(&mut self, sources: &[&dyn ReadAt]) -> Result<Option<&[u8]>, ExportError> {
        match &mut self.0 {
            Kind::Bytes(rest) => {
                let (piece, after) = rest.split_at(rest.len().min(PIECE_BYTES));
                *rest = after;
                Ok((!piece.is_empty()).then_some(piece))
            }
            Kind::Parameters(stream) => Ok(stream.next(sources)?),
        }
    }

    /// Leaves out the first `bytes` bytes of what is still to come, without making more of them than it must: for an
    /// upload that is taken up again.
    pub fn skip(&mut self, bytes: u64) {
        match &mut self.0 {
            Kind::Bytes(rest) => {
                let left_out = usize::try_from(bytes).unwrap_or(usize::MAX).min(rest.len());
                *rest = &rest[left_out..];
            }
            Kind::Parameters(stream) => stream.skip(bytes),
        }
    }
}
