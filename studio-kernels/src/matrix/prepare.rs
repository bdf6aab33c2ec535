//! The prologue for many rows of activations.

use super::{Activations, Source, make, split::Split};
use crate::{isa::Isa, team::Phase};

/// The operands.
#[derive(Clone, Copy)]
pub(crate) struct Prepare {
    /// The first row; all have the same gain.
    pub(crate) source: Source,
    /// Rows of [`Activations::row_bytes`].
    pub(crate) y: *mut u8,
    pub(crate) rows: usize,
    pub(crate) k: usize,
}

/// The elements that a workgroup claims at a time, roughly.
const GRAIN: usize = 2048;

/// `y[r] = prologue(x[r])`.
///
/// # Safety
/// There are `rows` rows of `k` elements, and room for as many.
#[inline(always)]
pub(crate) unsafe fn prepare<I: Isa, A: Activations>(phase: Phase<'_>, operands: Prepare) {
    let Prepare { source, y, rows, k } = operands;
    let split = Split::new(rows, k, GRAIN);
    let Some(mut claims) = phase.claim(split.chunks()) else { return };
    while let Some(chunk) = claims.next() {
        for row in split.items(chunk) {
            make::<I, A>(source.from(row * k), k, y.add(row * A::row_bytes(k)));
        }
    }
    if let Some(closing) = claims.finish() {
        closing.complete();
    }
}
