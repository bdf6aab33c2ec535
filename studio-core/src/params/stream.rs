//! An archive's bytes, pulled piece by piece.

use super::archive::{Layout, Place};
use super::convert::{Budget, Converter};
use super::element::{Bf16, F16, F32, size_bytes, to_bytes};
use super::plan::{Conversion, Plan, PlannedParam};
use super::tiles::Tiler;
use crate::graph::ElementType;
use gguf_file::{DecodeError, ReadAt, ReadError};

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
    /// The file's bytes up to here have been handed out.
    position: u64,
    /// The entry that is made or comes next.
    place: usize,
    /// Elements of it that have been made.
    made: u64,
    /// What was made last, in a buffer that only grows.
    panel: Vec<u8>,
    /// Bytes of the panel.
    filled: usize,
    /// Bytes of the panel that have been handed out.
    taken: usize,
    /// Bytes to leave out before the next piece.
    left_out: u64,
}

impl<'a> ArchiveStream<'a> {
    /// A stream over the plan's entries as the layout places them.
    #[must_use]
    pub fn new(plan: &'a Plan, layout: &'a Layout, budget: Budget) -> Self {
        let converter = Converter::new(budget);
        Self {
            plan,
            layout,
            budget,
            converter,
            tiler: Tiler::default(),
            position: 0,
            place: 0,
            made: 0,
            panel: Vec::new(),
            filled: 0,
            taken: 0,
            left_out: 0,
        }
    }

    /// The next piece, or `None` at the end. `sources` are the model's files, in the order in which it was opened.
    /// After an error the stream is of no further use.
    pub fn next(&mut self, sources: &[&dyn ReadAt]) -> Result<Option<&[u8]>, StreamError> {
        while self.left_out > 0 {
            if self.taken == self.filled {
                self.make(sources)?;
            }
            let rest = (self.filled - self.taken) as u64;
            if rest == 0 {
                return Ok(None);
            }
            let left_out = rest.min(self.left_out);
            self.left_out -= left_out;
            self.taken += left_out as usize;
            self.position += left_out;
        }
        let head = usize::try_from(self.position).ok().and_then(|position| self.layout.head.get(position..));
        if let Some(rest) = head.filter(|rest| !rest.is_empty()) {
            let piece = &rest[..rest.len().min(PIECE_BYTES)];
            self.position += piece.len() as u64;
            return Ok(Some(piece));
        }
        if self.taken == self.filled {
            self.make(sources)?;
        }
        let piece = self.panel.get(self.taken..self.filled).unwrap_or_default();
        let piece = &piece[..piece.len().min(PIECE_BYTES)];
        self.taken += piece.len();
        self.position += piece.len() as u64;
        Ok((!piece.is_empty()).then_some(piece))
    }

    /// Leaves out the next `bytes` bytes. Entries that end before what follows aren't made.
    pub fn skip(&mut self, bytes: u64) {
        let target = self.position.saturating_add(self.left_out).saturating_add(bytes);
        let target = target.min(self.layout.size_bytes);
        let current = self.layout.places.get(self.place);
        let within = |place: &Place| (place.offset..place.offset + place.size_bytes).contains(&target);
        let made_until = self.position + (self.filled - self.taken) as u64;
        let goes_on = self.made > 0 && current.is_some_and(within);
        if !goes_on && target > made_until {
            let entry = self.layout.places.iter().position(within);
            self.filled = 0;
            self.taken = 0;
            self.made = 0;
            self.place = entry.unwrap_or_else(|| {
                self.layout
                    .places
                    .iter()
                    .take_while(|place| place.offset + place.size_bytes <= target)
                    .count()
            });
            self.position =
                entry.and_then(|entry| self.layout.places.get(entry)).map_or(target, |place| place.offset);
        }
        self.left_out = target - self.position;
    }

    /// Replaces the panel by what comes next: zeros up to an entry or the end, or a part of an entry.
    fn make(&mut self, sources: &[&dyn ReadAt]) -> Result<(), StreamError> {
        self.taken = 0;
        let places = &self.layout.places;
        while places.get(self.place).is_some_and(|place| self.position >= place.offset + place.size_bytes) {
            self.place += 1;
            self.made = 0;
        }
        let next = places.get(self.place);
        let start = next.map_or(self.layout.size_bytes, |place| place.offset);
        if self.position < start {
            let gap = (start - self.position).min(PIECE_BYTES as u64);
            self.filled = gap as usize;
            buffer(&mut self.panel, self.filled).fill(0);
            return Ok(());
        }
        let Some(param) = next.and_then(|Place { item, .. }| self.plan.params().get(*item)) else {
            self.filled = 0;
            return Ok(());
        };
        self.filled = match &param.conversion {
            Conversion::Tensor(conversion) => {
                self.converter.fill(conversion, self.made, sources, &mut self.panel)?
            }
            Conversion::Tiles(conversion) => {
                self.tiler.fill(conversion, self.made, self.budget, sources, &mut self.panel)?
            }
            Conversion::Values(values) => fill_values(param, values, self.made, self.budget, &mut self.panel),
        };
        self.made += self.filled as u64 / size_bytes(param.element_type);
        Ok(())
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
