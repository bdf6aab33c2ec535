//! Which calls must be complete before another may begin.

use super::call::{Call, Place, Pointer};
use std::ops::Range;

/// The numbers of earlier calls that each call must wait for, ascending. What another of them waited for already is
/// left out. `place` says where a pointer's memory is.
pub(super) fn dependencies(
    calls: &[Call],
    place: impl Fn(&Pointer) -> (Place, Range<u64>),
) -> Vec<Vec<usize>> {
    let touched: Vec<Vec<_>> = calls
        .iter()
        .map(|call| {
            let used =
                call.pointers.iter().filter(|pointer| pointer.access.reads() || pointer.access.writes());
            used.map(|pointer| (place(pointer), pointer.access.writes())).collect()
        })
        .collect();
    let mut before: Vec<Vec<bool>> = Vec::with_capacity(calls.len());
    let mut waits = Vec::with_capacity(calls.len());
    for (index, mine) in touched.iter().enumerate() {
        let mut known = vec![false; index];
        let mut needed = Vec::new();
        // The latest first: what it waited for need not be waited for again.
        for earlier in (0..index).rev() {
            if known[earlier] || !conflict(mine, &touched[earlier]) {
                continue;
            }
            needed.push(earlier);
            known[earlier] = true;
            for (known, implied) in known.iter_mut().zip(&before[earlier]) {
                *known |= implied;
            }
        }
        needed.reverse();
        waits.push(needed);
        before.push(known);
    }
    waits
}

/// Whether two calls touch the same memory and one of them writes there.
fn conflict(mine: &[((Place, Range<u64>), bool)], other: &[((Place, Range<u64>), bool)]) -> bool {
    mine.iter().any(|((place, range), writes)| {
        other.iter().any(|((other_place, other_range), other_writes)| {
            (*writes || *other_writes)
                && place == other_place
                && range.start < other_range.end
                && other_range.start < range.end
        })
    })
}
