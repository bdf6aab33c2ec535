//! An archive's bytes, pulled piece by piece.

use super::archive::{Layout, Place};
use super::convert::{Budget, Converter, panel_start};
use super::element::{Bf16, F16, F32, size_bytes, to_bytes};
use super::plan::{Conversion, Plan, PlannedParam};
use super::tiles::Tiler;
use crate::graph::ElementType;
use gguf_file::{DecodeError, ReadAt, ReadError};
use std::ops::Range;

/// Bytes of a piece, at most.
pub const PIECE_BYTES: usize = 1 << 20;

/// Why an archive's bytes cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// Fewer files than the model has.
    #[error("tensor {tensor}: it is in file {} of the model, but {given} were given", shard + 1)]
    Source {
        /// The tensor.
        tensor: String,
        /// Which file it is in, from 0.
        shard: usize,
        /// How many there are.
        given: usize,
    },
    /// The source failed.
    #[error("tensor {tensor}: reading the GGUF at offset {offset}: {source}")]
    Read {
        /// The tensor.
        tensor: String,
        /// From the start of its file.
        offset: u64,
        /// Why it failed.
        source: ReadError,
    },
    /// The decoder refused.
    #[error("tensor {tensor}: {source}")]
    Decode {
        /// The tensor.
        tensor: String,
        /// Why it refused.
        source: DecodeError,
    },
}

/// Makes an archive's bytes in order. Memory stays within the [`Budget`], whatever the archive's size.
pub struct ArchiveStream<'a> {
    plan: &'a Plan,
    layout: &'a Layout,
    budget: Budget,
    converter: Converter,
    tiler: Tiler,
    /// The file's bytes that are still to be handed out.
    rest: Range<u64>,
    /// What was made last, in a buffer that only grows.
    panel: Vec<u8>,
    /// What of the panel comes next.
    made: Range<usize>,
}

impl<'a> ArchiveStream<'a> {
    /// A stream over the plan's entries as the layout places them.
    #[must_use]
    pub fn new(plan: &'a Plan, layout: &'a Layout, budget: Budget) -> Self {
        let converter = Converter::new(budget);
        let (rest, panel) = (0..layout.size_bytes, Vec::new());
        Self { plan, layout, budget, converter, tiler: Tiler::default(), rest, panel, made: 0..0 }
    }

    /// The next piece, or `None` at the end. `sources` are the model's files, in the order in which it was opened.
    /// After an error the stream is of no further use.
    pub fn next(&mut self, sources: &[&dyn ReadAt]) -> Result<Option<&[u8]>, StreamError> {
        let head = usize::try_from(self.rest.start).ok().and_then(|start| self.layout.head.get(start..));
        let available = match head.filter(|rest| !rest.is_empty()) {
            Some(rest) => rest,
            None => {
                if self.made.is_empty() {
                    self.made = self.make(sources)?;
                }
                &self.panel[self.made.clone()]
            }
        };
        let rest = usize::try_from(self.rest.end.saturating_sub(self.rest.start)).unwrap_or(usize::MAX);
        let piece = &available[..available.len().min(PIECE_BYTES).min(rest)];
        self.rest.start += piece.len() as u64;
        self.made.start = self.made.end.min(self.made.start + piece.len());
        Ok((!piece.is_empty()).then_some(piece))
    }

    /// Goes to a range of the file: its bytes come next, and then the end. What lies outside of it is made only as
    /// far as blocks and rows make it necessary.
    pub fn seek(&mut self, range: Range<u64>) {
        let size = self.layout.size_bytes;
        self.rest = range.start.min(size)..range.end.min(size);
        self.made = 0..0;
    }

    /// Replaces the panel by what comes next: zeros up to an entry or the end, or a part of an entry. Gives the range
    /// of it that begins where the rest does.
    fn make(&mut self, sources: &[&dyn ReadAt]) -> Result<Range<usize>, StreamError> {
        let Range { start, end } = self.rest;
        if start >= end {
            return Ok(0..0);
        }
        let places = &self.layout.places;
        let next = places.get(places.partition_point(|place| place.offset + place.size_bytes <= start));
        let entry = next.map_or(self.layout.size_bytes, |place| place.offset);
        if start < entry {
            let gap = (entry.min(end) - start).min(PIECE_BYTES as u64) as usize;
            buffer(&mut self.panel, gap).fill(0);
            return Ok(0..gap);
        }
        let Some(param) = next.and_then(|Place { item, .. }| self.plan.params().get(*item)) else {
            return Ok(0..0);
        };
        let element_bytes = size_bytes(param.element_type);
        let element = (start - entry) / element_bytes;
        let budget = self.budget;
        let (first, filled) = match &param.conversion {
            Conversion::Tensor(conversion) => {
                let first = panel_start(conversion, element, budget);
                let wanted = end - (entry + first * element_bytes);
                (first, self.converter.fill(conversion, first, wanted, budget, sources, &mut self.panel)?)
            }
            Conversion::Values(values) => {
                (element, fill_values(param, values, element, budget, &mut self.panel))
            }
            Conversion::Tiles(conversion) => {
                let first = conversion.panel_start(element);
                (first, self.tiler.fill(conversion, first, budget, sources, &mut self.panel)?)
            }
        };
        // Less than a panel.
        let before = (start - entry - first * element_bytes) as usize;
        Ok(before.min(filled)..filled)
    }
}

/// The first `length` elements of a buffer that only grows, so that memory is cleared once.
pub(super) fn buffer<T: Copy + Default>(buffer: &mut Vec<T>, length: usize) -> &mut [T] {
    if buffer.len() < length {
        buffer.resize(length, T::default());
    }
    &mut buffer[..length]
}

/// Gives the bytes written.
fn fill_values(
    param: &PlannedParam,
    values: &[f32],
    made: u64,
    budget: Budget,
    panel: &mut Vec<u8>,
) -> usize {
    let element_bytes = size_bytes(param.element_type) as usize;
    let rest = values.get(made as usize..).unwrap_or_default();
    let part = &rest[..rest.len().min((budget.panel_bytes as usize / element_bytes).max(1))];
    let panel = buffer(panel, part.len() * element_bytes);
    match param.element_type {
        ElementType::Bf16 => to_bytes::<Bf16>(part, panel),
        ElementType::F16 => to_bytes::<F16>(part, panel),
        ElementType::F32 => to_bytes::<F32>(part, panel),
        // The plan refuses these.
        ElementType::I32 | ElementType::I8 | ElementType::I1 => {}
    }
    panel.len()
}
