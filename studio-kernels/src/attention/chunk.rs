//! Attention of a chunk of consecutive tokens, whose keys and values are in the cache already.

use super::batch::{BLOCK, Batch, Look, MAX_QUERIES, Room};
use super::element::Element;
use super::rope::Rope;
use super::shape::{Scoring, Shape, TILE};
use crate::isa::Isa;
use crate::team::Phase;
use core::mem::MaybeUninit;

/// The queries `[rows][heads][head_dim]` of consecutive positions, not yet turned, and where their results go.
#[derive(Clone, Copy)]
pub(crate) struct Tokens {
    pub(crate) queries: *const f32,
    pub(crate) rope: Rope,
    /// As large as the queries.
    pub(crate) results: *mut f32,
    pub(crate) rows: usize,
    /// The first one's.
    pub(crate) position: usize,
}

/// Each token attends over the positions up to its own, or up to the last one's.
///
/// # Safety
/// Everything is as large as the numbers say. All positions up to the last token's have been written.
#[inline(always)]
pub(crate) unsafe fn attend_chunk<I: Isa, E: Element>(
    phase: Phase<'_>,
    tokens: Tokens,
    cache: *const E,
    scoring: Scoring,
    shape: Shape,
    look: Look<E>,
) {
    let room = shape.capacity.saturating_sub(tokens.position);
    let rows = if shape.is_valid() { tokens.rows.min(room) } else { 0 };
    let group = shape.group();
    // The heads of a group and of neighbouring rows see nearly the same keys.
    let batches = (rows * group).div_ceil(MAX_QUERIES);
    let Some(mut claims) = phase.claim(batches * shape.kv_heads) else { return };
    let mut room = MaybeUninit::<Room>::uninit();
    while let Some(chunk) = claims.next() {
        if batches == 0 {
            continue;
        }
        let kv_head = chunk.checked_div(batches).unwrap_or(0);
        // The last rows see most: the longest work first.
        let first = (batches - 1 - (chunk - kv_head * batches)) * MAX_QUERIES;
        let end = (first + MAX_QUERIES).min(rows * group);
        let mut batch = Batch::new(room.as_mut_ptr(), shape.head_dim);
        let (mut start, mut stop) = (usize::MAX, 0);
        for index in first..end {
            let row = index.checked_div(group).unwrap_or(0);
            let head = kv_head * group + index - row * group;
            let position = tokens.position + row;
            let last = if scoring.ahead == 0 { position } else { tokens.position + rows - 1 };
            let seen = [scoring.first(position), last + 1];
            (start, stop) = (seen[0].min(start), seen[1].max(stop));
            let at = (row * shape.heads + head) * shape.head_dim;
            let rotation = tokens.rope.at(position);
            batch.push::<I>(tokens.queries.add(at), rotation, scoring.scale, seen, tokens.results.add(at));
        }
        batch.fill();
        let cache = cache.cast_mut();
        let (keys, values) = (shape.keys(cache, kv_head), shape.values(cache, kv_head));
        start = start / TILE * TILE;
        while start < stop {
            look(&mut batch, keys, values, [start, stop.min(start + BLOCK)], scoring.softcap);
            start += BLOCK;
        }
        batch.divide::<I>();
    }
    if let Some(closing) = claims.finish() {
        closing.complete();
    }
}
