//! Attention of one token.

use super::append::New;
use super::batch::{BLOCK, Batch, Look, MAX_QUERIES, Room};
use super::element::Element;
use super::products::{Mixed, Rows, mix};
use super::shape::{Scoring, Shape};
use super::splits::Splits;
use crate::isa::Isa;
use crate::math;
use crate::team::Phase;
use core::mem::MaybeUninit;

/// The most factors that are handled at once when splits are merged.
const MERGED: usize = BLOCK;

/// A token's queries `[heads][head_dim]`, not yet turned, and where their results go.
#[derive(Clone, Copy)]
pub(crate) struct Token {
    pub(crate) queries: *const f32,
    /// Its key and value, `[kv_heads][head_dim]`.
    pub(crate) new: New,
    /// Of [`attend_partials_len`](crate::abi::attend_partials_len) numbers.
    pub(crate) partials: *mut f32,
    /// `[heads][head_dim]`.
    pub(crate) results: *mut f32,
    pub(crate) position: usize,
}

/// What each split gathered: the mixed values `[splits][heads][head_dim]`, the greatest scores `[heads][splits]`, and
/// the sums of weights `[heads][splits]`.
#[derive(Clone, Copy)]
struct Partials {
    mixed: *mut f32,
    greatest: *mut f32,
    sums: *mut f32,
}

impl Partials {
    #[inline(always)]
    unsafe fn new(memory: *mut f32, splits: usize, shape: Shape) -> Self {
        let greatest = memory.add(splits * shape.heads * shape.head_dim);
        Self { mixed: memory, greatest, sums: greatest.add(splits * shape.heads) }
    }
}

/// Adds the token's key and value to the cache and attends over it.
///
/// # Safety
/// Everything is as large as the numbers say. All positions before the token's have been written.
#[inline(always)]
pub(crate) unsafe fn attend<I: Isa, E: Element>(
    phase: Phase<'_>,
    token: Token,
    cache: *mut E,
    scoring: Scoring,
    shape: Shape,
    look: Look<E>,
) {
    let valid = shape.is_valid() && token.position < shape.capacity;
    let position = if valid { token.position } else { 0 };
    let splits = Splits::new(scoring.first(position), position + 1, shape.kv_heads);
    let partials = Partials::new(token.partials, splits.count, shape);
    let Some(mut claims) = phase.claim(if valid { splits.count * shape.kv_heads } else { 0 }) else { return };
    let mut room = MaybeUninit::<Room>::uninit();
    while let Some(chunk) = claims.next() {
        if !valid {
            continue;
        }
        let kv_head = chunk.checked_div(splits.count).unwrap_or(0);
        let split = chunk - kv_head * splits.count;
        if split + 1 == splits.count {
            token.new.write::<I, E>(0, kv_head, cache, position, shape);
        }
        let (keys, values) = (shape.keys(cache, kv_head), shape.values(cache, kv_head));
        let (mut head, end) = (kv_head * shape.group(), (kv_head + 1) * shape.group());
        while head < end {
            let count = (end - head).min(MAX_QUERIES);
            let mut batch = Batch::new(room.as_mut_ptr(), shape.head_dim);
            let rotation = token.new.rope.at(position);
            for p in 0..count {
                let query = token.queries.add((head + p) * shape.head_dim);
                let seen = [scoring.first(position), position + 1];
                let mixed = if splits.count == 1 {
                    token.results.add((head + p) * shape.head_dim)
                } else {
                    partials.mixed.add((split * shape.heads + head + p) * shape.head_dim)
                };
                batch.push::<I>(query, rotation, scoring.scale, seen, mixed);
            }
            batch.fill();
            look(&mut batch, keys, values, splits.range(split), scoring.softcap);
            if splits.count == 1 {
                batch.divide::<I>();
            } else {
                for p in 0..count {
                    let [greatest, sum] = batch.gathered(p);
                    *partials.greatest.add((head + p) * splits.count + split) = greatest;
                    *partials.sums.add((head + p) * splits.count + split) = sum;
                }
            }
            head += count;
        }
    }
    if let Some(closing) = claims.finish() {
        if valid && splits.count > 1 {
            for head in 0..shape.heads {
                merge::<I>(partials, head, splits.count, shape, token.results.add(head * shape.head_dim));
            }
        }
        closing.complete();
    }
}

/// A head's result from those of its splits, in their order.
#[inline(always)]
unsafe fn merge<I: Isa>(partials: Partials, head: usize, splits: usize, shape: Shape, result: *mut f32) {
    let greatest = partials.greatest.add(head * splits);
    let sums = partials.sums.add(head * splits);
    let mut all_greatest = f32::MIN;
    for split in 0..splits {
        let greatest = *greatest.add(split);
        all_greatest = if greatest > all_greatest { greatest } else { all_greatest };
    }
    let mut factors = MaybeUninit::<[f32; MERGED]>::uninit();
    let factors = factors.as_mut_ptr().cast::<f32>();
    let (mut start, mut sum) = (0, 0.0);
    let unit = 1.0;
    while start < splits {
        let count = (splits - start).min(MERGED);
        let mut i = 0;
        while i < count {
            let lanes = (count - i).min(I::LANES);
            let greatest = I::load_first(greatest.add(start + i), lanes);
            let factor = math::exp_of_negative::<I>(I::sub(greatest, I::splat(all_greatest)));
            I::store_first(factors.add(i), factor, lanes);
            sum += I::reduce_sum(I::mul(factor, I::load_first(sums.add(start + i), lanes)));
            i += lanes;
        }
        let rows = Rows {
            first: partials.mixed.add((start * shape.heads + head) * shape.head_dim).cast_const(),
            count,
            stride: shape.heads * shape.head_dim,
        };
        let mixed = Mixed { to: &result, fade: &unit, fresh: start == 0 };
        mix::<I, f32>(1, factors, rows, shape.head_dim, mixed);
        start += count;
    }
    let whole = I::splat(1.0 / sum);
    let mut d = 0;
    while d < shape.head_dim {
        let lanes = (shape.head_dim - d).min(I::LANES);
        let mixed = I::load_first(result.add(d), lanes);
        I::store_first(result.add(d), I::mul(mixed, whole), lanes);
        d += lanes;
    }
}
