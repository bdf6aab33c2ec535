//! Rows after a prologue, scaled and added to others: what is part of no product.

use super::{Source, split::Split};
use crate::{abi::Epilogue, isa::Isa, team::Phase};

/// The operands.
#[derive(Clone, Copy)]
pub(crate) struct Combine {
    /// The first row.
    pub(crate) source: Source,
    /// Rows that are added; may be those of `y`.
    pub(crate) residual: *const f32,
    pub(crate) y: *mut f32,
    pub(crate) rows: usize,
    pub(crate) k: usize,
    /// Rows of a norm's gain and bias, which repeat: row `r` has number `r` modulo this.
    pub(crate) gains: usize,
    pub(crate) scale: f32,
    /// [`Epilogue::RESIDUAL`], or none.
    pub(crate) epilogue: usize,
}

/// The elements that a workgroup claims at a time, roughly.
const GRAIN: usize = 2048;

/// `y[r] = scale · prologue(x[r])`, plus the residual.
///
/// # Safety
/// Everything is as large as the numbers say.
#[inline(always)]
pub(crate) unsafe fn combine<I: Isa>(phase: Phase<'_>, operands: Combine) {
    let Combine { source, rows, k, gains, .. } = operands;
    // Where it doesn't matter in which row an element is, rows are cut anywhere.
    let length = if source.is_by_row() { k.max(1) } else { GRAIN };
    let pieces = (rows * k).div_ceil(length);
    let split = Split::new(pieces, length, GRAIN);
    let Some(mut claims) = phase.claim(split.chunks()) else { return };
    while let Some(chunk) = claims.next() {
        for piece in split.items(chunk) {
            let at = piece * length;
            let gain = piece.checked_rem(gains).unwrap_or(0) * k;
            let scale = operands.scale * source.row_gate::<I>(piece);
            let source = source.from(at).gain_from(gain);
            row::<I>(Combine { source, scale, ..operands }, at, length.min(rows * k - at));
        }
    }
    if let Some(closing) = claims.finish() {
        closing.complete();
    }
}

/// Makes the results from `at` on, `count` of them; the source is at its place already.
#[inline(always)]
unsafe fn row<I: Isa>(operands: Combine, at: usize, count: usize) {
    let Combine { residual, y, scale, epilogue, .. } = operands;
    let source = operands.source.measured::<I>(count);
    let mut squares = I::splat(0.0);
    let mut factor = scale;
    if source.is_rms_norm() {
        let mut i = 0;
        while i < count {
            source.load::<I>(i, count - i, &mut squares);
            i += I::LANES;
        }
        factor *= source.norm::<I>(squares, count);
    }
    let mut i = 0;
    while i < count {
        let left = count - i;
        let mut result = I::mul(source.load::<I>(i, left, &mut squares), I::splat(factor));
        if epilogue & Epilogue::RESIDUAL.0 != 0 {
            let from = residual.add(at + i);
            let added = if left >= I::LANES { I::load(from) } else { I::load_first(from, left) };
            result = I::add(result, added);
        }
        let to = y.add(at + i);
        if left >= I::LANES {
            I::store(to, result)
        } else {
            I::store_first(to, result, left)
        }
        i += I::LANES;
    }
}
