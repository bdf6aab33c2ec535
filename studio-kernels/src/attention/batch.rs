//! A few queries that look at the same keys and values, which are loaded and converted once for all of them.

use super::element::Element;
use super::products::{Mixed, Rows, mix, scores, width};
use super::rope::{Rotation, rotate};
use super::shape::TILE;
use crate::abi::MAX_HEAD_DIM;
use crate::isa::Isa;
use crate::math;
use core::mem::MaybeUninit;

/// The most positions that are looked at in one go: all scores of a block are there before the first is used.
pub(super) const BLOCK: usize = 256;
/// The most queries of a batch.
pub(super) const MAX_QUERIES: usize = 12;
/// Room for a number for each query, in whole vectors.
const LINE: usize = 16;
/// From one query to the next. Not a power of two: lines of all queries would compete for few places in the cache.
pub(super) const QUERY_STRIDE: usize = MAX_HEAD_DIM + 16;

/// The memory of a batch.
#[repr(C, align(64))]
pub(super) struct Room {
    queries: [MaybeUninit<f32>; MAX_QUERIES * QUERY_STRIDE],
    /// A block's scores, then its softmax numerators.
    weights: [MaybeUninit<f32>; MAX_QUERIES * BLOCK],
    /// Takes what is computed for the queries that only fill up a batch.
    nowhere: [MaybeUninit<f32>; MAX_HEAD_DIM],
}

/// [`Batch::look`] for an instruction set and a type of cache: a function of its own, so that the entry points share it.
pub(crate) type Look<E> = unsafe fn(&mut Batch, *const E, *const E, [usize; 2], f32);

/// Up to [`MAX_QUERIES`] queries and what they have gathered so far.
pub(crate) struct Batch {
    room: *mut Room,
    head_dim: usize,
    count: usize,
    /// With the queries that only fill up.
    width: usize,
    /// The first position that each query sees, and one past its last.
    seen: [[usize; 2]; MAX_QUERIES],
    /// Where the values are mixed.
    mixed: [*mut f32; MAX_QUERIES],
    /// The greatest score so far, at least the lowest finite number.
    greatest: [f32; LINE],
    /// The sum of e^(score − greatest).
    sum: [f32; LINE],
    /// The sum over the last block.
    added: [f32; LINE],
    /// What was gathered before the last block counts this much since, or the logarithm of that.
    fade: [f32; LINE],
    /// Whether nothing was gathered yet.
    fresh: bool,
}

impl Batch {
    /// None yet, of heads of at most [`MAX_HEAD_DIM`] numbers.
    ///
    /// # Safety
    /// The room is this batch's as long as it is used.
    #[inline(always)]
    pub(super) unsafe fn new(room: *mut Room, head_dim: usize) -> Self {
        let nowhere = (&raw mut (*room).nowhere).cast();
        Self {
            room,
            head_dim,
            count: 0,
            width: 0,
            seen: [[0; 2]; MAX_QUERIES],
            mixed: [nowhere; MAX_QUERIES],
            greatest: [f32::MIN; LINE],
            sum: [0.0; LINE],
            added: [0.0; LINE],
            fade: [0.0; LINE],
            fresh: true,
        }
    }

    /// Adds a query, turned by `rotation` and scaled, that sees the positions from the first of `seen` to before the
    /// second. Its values are mixed at `mixed`.
    ///
    /// # Safety
    /// At most [`MAX_QUERIES`] are added. Query and `mixed` are a head's numbers long.
    #[inline(always)]
    pub(super) unsafe fn push<I: Isa>(
        &mut self,
        query: *const f32,
        rotation: Rotation,
        scale: f32,
        seen: [usize; 2],
        mixed: *mut f32,
    ) {
        rotate::<I>(query, rotation, self.head_dim, scale, self.query(self.count));
        *self.seen.get_unchecked_mut(self.count) = seen;
        *self.mixed.get_unchecked_mut(self.count) = mixed;
        self.count += 1;
    }

    /// Fills it up to a number of queries that there is code for: to be called after the last [`Batch::push`].
    #[inline(always)]
    pub(super) unsafe fn fill(&mut self) {
        self.width = width(self.count);
        let mut p = self.count;
        while p < self.width {
            let mut d = 0;
            while d < self.head_dim {
                self.query(p).add(d).write(0.0);
                d += 1;
            }
            p += 1;
        }
    }

    /// Gathers from the positions between `start` and `end`: `start` is a multiple of [`TILE`], there are at most
    /// [`BLOCK`], at least one. Keys beyond `end` are read up to the end of a tile, but don't count, whatever they are.
    ///
    /// # Safety
    /// Keys and values are there up to the end of the tile.
    #[inline(always)]
    pub(crate) unsafe fn look<I: Isa, E: Element>(
        &mut self,
        keys: *const E,
        values: *const E,
        [start, end]: [usize; 2],
        softcap: f32,
    ) {
        let head_dim = self.head_dim;
        let weights = (&raw mut (*self.room).weights).cast::<f32>();
        let tiles = (end - start).div_ceil(TILE);
        scores::<I, E>(self.width, self.query(0), keys.add(start * head_dim), head_dim, tiles, weights);
        let [mut first_seen, mut end_seen] = [end, start];
        let mut p = 0;
        while p < self.count {
            let [first, stop] = *self.seen.get_unchecked(p);
            let first = first.max(start).min(end);
            let stop = stop.max(first).min(end);
            (first_seen, end_seen) = (first_seen.min(first), end_seen.max(stop));
            self.weigh::<I>(p, tiles, [first - start, stop - start], softcap);
            p += 1;
        }
        self.add_up::<I>();
        if first_seen >= end_seen {
            return;
        }
        let rows =
            Rows { first: values.add(first_seen * head_dim), count: end_seen - first_seen, stride: head_dim };
        let mixed = Mixed { to: self.mixed.as_ptr(), fade: self.fade.as_ptr(), fresh: self.fresh };
        mix::<I, E>(self.width, weights.add(first_seen - start), rows, head_dim, mixed);
        self.fresh = false;
    }

    /// Makes a query's scores softmax numerators: 0 outside of `first..end` of the block.
    #[inline(always)]
    unsafe fn weigh<I: Isa>(&mut self, p: usize, tiles: usize, [first, end]: [usize; 2], softcap: f32) {
        let weights = (&raw mut (*self.room).weights).cast::<f32>().add(p * BLOCK);
        let count = tiles * TILE;
        if softcap != 0.0 {
            cap::<I>(weights, count, softcap);
        }
        hide::<I>(weights, [0, first]);
        hide::<I>(weights, [end, count]);
        let old = *self.greatest.get_unchecked(p);
        let mut greatest = I::splat(old);
        let mut i = 0;
        while i < count {
            greatest = I::max(I::load(weights.add(i)), greatest);
            i += I::LANES;
        }
        let new = I::reduce_max(greatest);
        let mut sum = I::splat(0.0);
        i = 0;
        while i < count {
            let weight = math::exp_of_negative::<I>(I::sub(I::load(weights.add(i)), I::splat(new)));
            I::store(weights.add(i), weight);
            sum = I::add(sum, weight);
            i += I::LANES;
        }
        *self.greatest.get_unchecked_mut(p) = new;
        *self.added.get_unchecked_mut(p) = I::reduce_sum(sum);
        *self.fade.get_unchecked_mut(p) = old - new;
    }

    /// Adds the block's sums to those of earlier blocks, which count less where the block has a greater score.
    #[inline(always)]
    unsafe fn add_up<I: Isa>(&mut self) {
        if self.fresh {
            self.sum = self.added;
            return;
        }
        let mut p = 0;
        while p < LINE {
            let (sum, fade) = (self.sum.as_mut_ptr().add(p), self.fade.as_mut_ptr().add(p));
            let factor = math::exp_of_negative::<I>(I::load(fade));
            I::store(fade, factor);
            I::store(sum, I::fma(I::load(sum), factor, I::load(self.added.as_ptr().add(p))));
            p += I::LANES;
        }
    }

    /// The greatest score of query `p` and the sum of e^(score − greatest).
    #[inline(always)]
    pub(super) unsafe fn gathered(&self, p: usize) -> [f32; 2] {
        [*self.greatest.get_unchecked(p), *self.sum.get_unchecked(p)]
    }

    /// Divides each query's mixed values by the sum of their weights.
    #[inline(always)]
    pub(super) unsafe fn divide<I: Isa>(&self) {
        let mut p = 0;
        while p < self.count {
            let mixed = *self.mixed.get_unchecked(p);
            let factor = I::splat(1.0 / *self.sum.get_unchecked(p));
            let mut d = 0;
            while d + I::LANES <= self.head_dim {
                I::store(mixed.add(d), I::mul(I::load(mixed.add(d)), factor));
                d += I::LANES;
            }
            if d < self.head_dim {
                I::store_first(mixed.add(d), I::mul(I::load_first(mixed.add(d), 8), factor), 8);
            }
            p += 1;
        }
    }

    #[inline(always)]
    unsafe fn query(&self, p: usize) -> *mut f32 {
        (&raw mut (*self.room).queries).cast::<f32>().add(p * QUERY_STRIDE)
    }
}

/// Replaces scores by capped ones.
#[inline(always)]
unsafe fn cap<I: Isa>(scores: *mut f32, count: usize, softcap: f32) {
    let mut i = 0;
    while i < count {
        let part = math::tanh::<I>(I::div(I::load(scores.add(i)), I::splat(softcap)));
        I::store(scores.add(i), I::mul(part, I::splat(softcap)));
        i += I::LANES;
    }
}

/// Makes the scores from the first to before the second of a range −∞.
#[inline(always)]
unsafe fn hide<I: Isa>(scores: *mut f32, [first, end]: [usize; 2]) {
    let mut i = first;
    while i < end {
        let lanes = (end - i).min(I::LANES);
        I::store_first(scores.add(i), I::splat(f32::NEG_INFINITY), lanes);
        i += lanes;
    }
}
