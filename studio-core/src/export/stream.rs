//! A file's bytes, pulled piece by piece.

use super::ExportError;
use crate::params::Budget;
use crate::params::archive::Layout;
use crate::params::plan::Plan;
use crate::params::stream::{ArchiveStream, PIECE_BYTES};
use gguf_file::ReadAt;
use std::ops::Range;

/// A file's bytes in order. Whoever wants no more just drops it.
pub struct FileStream<'a>(Kind<'a>);

enum Kind<'a> {
    /// Bytes that are made, and what is left of them.
    Bytes(&'a [u8], &'a [u8]),
    Parameters(Box<ArchiveStream<'a>>),
}

impl<'a> FileStream<'a> {
    pub(super) fn of_bytes(bytes: &'a [u8]) -> Self {
        Self(Kind::Bytes(bytes, bytes))
    }

    pub(super) fn of_parameters(plan: &'a Plan, layout: &'a Layout, budget: Budget) -> Self {
        Self(Kind::Parameters(Box::new(ArchiveStream::new(plan, layout, budget))))
    }

    /// The next piece, 1 to [`PIECE_BYTES`] bytes, or `None` at the end. `sources` are the model's files, in the order
    /// in which it was opened. After an error the stream is of no further use.
    pub fn next(&mut self, sources: &[&dyn ReadAt]) -> Result<Option<&[u8]>, ExportError> {
        match &mut self.0 {
            Kind::Bytes(_, rest) => {
                let (piece, after) = rest.split_at(rest.len().min(PIECE_BYTES));
                *rest = after;
                Ok((!piece.is_empty()).then_some(piece))
            }
            Kind::Parameters(stream) => Ok(stream.next(sources)?),
        }
    }

    /// Goes to a range of the file: its bytes come next, and then the end. Little of what lies outside of it is made.
    /// For an upload that is taken up again, and for threads that share a file's making.
    pub fn seek(&mut self, range: Range<u64>) {
        match &mut self.0 {
            Kind::Bytes(bytes, rest) => {
                let within = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
                *rest = bytes.get(within(range.start)..within(range.end)).unwrap_or_default();
            }
            Kind::Parameters(stream) => stream.seek(range),
        }
    }
}
