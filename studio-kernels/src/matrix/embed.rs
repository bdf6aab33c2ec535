//! Rows of a matrix in tiles, looked up by number.

use super::{
    floats::{Taker, Widened},
    split::Split,
};
use crate::{format::TILE_ROWS, isa::Isa, team::Phase};

/// The operands besides the table.
#[derive(Clone, Copy)]
pub(crate) struct Embed {
    pub(crate) tokens: Tokens,
    pub(crate) y: *mut f32,
    pub(crate) rows: usize,
    pub(crate) k: usize,
    /// Rows of the table.
    pub(crate) vocabulary: usize,
    pub(crate) scale: f32,
}

/// The numbers of the rows that are looked up.
#[derive(Clone, Copy)]
pub(crate) enum Tokens {
    /// Those that stand there.
    At(*const i32),
    /// From this one on.
    From(usize),
}

/// `y[r] = scale · table[tokens[r]]`; a token outside of the table is taken as the nearest that is in it.
///
/// # Safety
/// The table has `vocabulary` rows of `k` elements, at least one row; there are `rows` tokens and rows of results.
#[inline(always)]
pub(crate) unsafe fn embed<I: Isa, W: Widened>(phase: Phase<'_>, table: *const u8, operands: Embed) {
    let Embed { tokens, y, rows, k, vocabulary, scale } = operands;
    let split = Split::new(rows, 1, 1);
    let Some(mut claims) = phase.claim(split.chunks()) else { return };
    while let Some(chunk) = claims.next() {
        for row in split.items(chunk) {
            let token = match tokens {
                Tokens::At(tokens) => tokens.add(row).read_unaligned().max(0) as usize,
                Tokens::From(first) => first.saturating_add(row),
            };
            let token = token.min(vocabulary.saturating_sub(1));
            let (tile, within) = (token / TILE_ROWS, token % TILE_ROWS);
            let mut lane = Lane { index: within % I::LANES, scale, y: y.add(row * k) };
            W::each::<I, 1>(table.add(tile * W::tile_bytes(k)), k, within - lane.index, &mut lane);
        }
    }
    if let Some(closing) = claims.finish() {
        closing.complete();
    }
}

/// Stores one lane of the weights.
struct Lane {
    index: usize,
    scale: f32,
    y: *mut f32,
}

impl<I: Isa> Taker<I> for Lane {
    #[inline(always)]
    unsafe fn take(&mut self, _v: usize, k: usize, _chain: usize, weights: I::Floats) {
        let mut lanes = [0.0f32; TILE_ROWS];
        I::store(lanes.as_mut_ptr(), weights);
        *self.y.add(k) = self.scale * *lanes.as_ptr().add(self.index);
    }
}
