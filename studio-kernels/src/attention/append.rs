//! Writing new keys and values to the cache.

use super::element::Element;
use super::rope::{Rope, rotate};
use super::shape::{Shape, TILE};
use crate::abi::MAX_HEAD_DIM;
use crate::isa::Isa;
use crate::team::Phase;
use core::mem::MaybeUninit;

/// What is written: heads `[rows][kv_heads][head_dim]`, keys not yet turned, by the table of rotations.
#[derive(Clone, Copy)]
pub(crate) struct New {
    pub(crate) keys: *const f32,
    pub(crate) values: *const f32,
    pub(crate) rope: Rope,
}

impl New {
    /// Writes the row of one kv head that belongs to `position`.
    ///
    /// # Safety
    /// There is such a row, and such a position in the cache; nobody else touches its tile.
    #[inline(always)]
    pub(super) unsafe fn write<I: Isa, E: Element>(
        &self,
        row: usize,
        kv_head: usize,
        cache: *mut E,
        position: usize,
        shape: Shape,
    ) {
        let head_dim = shape.head_dim;
        let mut turned = MaybeUninit::<[f32; MAX_HEAD_DIM]>::uninit();
        let mut stored = MaybeUninit::<[E; MAX_HEAD_DIM]>::uninit();
        let (turned, stored) = (turned.as_mut_ptr().cast::<f32>(), stored.as_mut_ptr().cast::<E>());
        let head = (row * shape.kv_heads + kv_head) * head_dim;
        rotate::<I>(self.keys.add(head), self.rope.at(position), head_dim, 1.0, turned);
        convert::<I, E>(turned, head_dim, stored);
        let tile = shape.keys(cache, kv_head).add(position / TILE * TILE * head_dim + position % TILE);
        let mut d = 0;
        while d < head_dim {
            tile.add(d * TILE).write(stored.add(d).read());
            d += 1;
        }
        convert::<I, E>(
            self.values.add(head),
            head_dim,
            shape.values(cache, kv_head).add(position * head_dim),
        );
    }
}

#[inline(always)]
unsafe fn convert<I: Isa, E: Element>(from: *const f32, count: usize, to: *mut E) {
    let mut i = 0;
    while i + I::LANES <= count {
        E::store::<I>(to.add(i), I::load(from.add(i)));
        i += I::LANES;
    }
    if i < count {
        E::store_first::<I>(to.add(i), I::load_first(from.add(i), count - i), count - i);
    }
}

/// Writes the keys and values of `rows` consecutive positions from `position` on. Rows that the cache has no room for
/// are left out.
///
/// # Safety
/// Everything is as large as the numbers say.
#[inline(always)]
pub(crate) unsafe fn append<I: Isa, E: Element>(
    phase: Phase<'_>,
    new: New,
    cache: *mut E,
    rows: usize,
    position: usize,
    shape: Shape,
) {
    let end = position.saturating_add(rows).min(shape.capacity);
    // A chunk is a tile of a kv head: no two workgroups write to the same.
    let first_tile = position / TILE;
    let tiles = if shape.is_valid() { end.div_ceil(TILE).saturating_sub(first_tile) } else { 0 };
    let Some(mut claims) = phase.claim(tiles * shape.kv_heads) else { return };
    while let Some(chunk) = claims.next() {
        let kv_head = chunk.checked_div(tiles).unwrap_or(0);
        let tile = first_tile + chunk - kv_head * tiles;
        let mut at = position.max(tile * TILE);
        // Without tiles there is one chunk, in which nothing is to be done.
        let stop = if tiles == 0 { 0 } else { end.min((tile + 1) * TILE) };
        while at < stop {
            new.write::<I, E>(at - position, kv_head, cache, at, shape);
            at += 1;
        }
    }
    if let Some(closing) = claims.finish() {
        closing.complete();
    }
}
