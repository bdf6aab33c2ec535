//! Places for intermediate values, used again when nobody needs what was there.

use super::call::{Buffer, Call};

/// What a slot's place is a multiple of: a cache line, in `f32`.
const ALIGNMENT: u64 = 16;

/// Where each slot of `lengths` begins, in `f32`, and how much memory that takes. Slots that a call uses between
/// the first and the last use of another don't overlap with it.
pub(super) fn allocate(lengths: &[u64], calls: &[Call]) -> (Vec<u64>, u64) {
    let mut uses = vec![None::<(usize, usize)>; lengths.len()];
    for (index, call) in calls.iter().enumerate() {
        for pointer in &call.pointers {
            if let Buffer::Slot(slot) = pointer.buffer {
                let (first, _) = uses[slot].unwrap_or((index, index));
                uses[slot] = Some((first, index));
            }
        }
    }
    let mut places = vec![0; lengths.len()];
    let mut live: Vec<(u64, u64, usize)> = Vec::new();
    let mut total = ALIGNMENT;
    let mut slots: Vec<_> =
        uses.iter().enumerate().filter_map(|(slot, used)| Some((slot, (*used)?))).collect();
    slots.sort_by_key(|&(slot, (first, _))| (first, slot));
    for (slot, (first, last)) in slots {
        live.retain(|&(_, _, until)| until >= first);
        let length = lengths[slot].next_multiple_of(ALIGNMENT);
        live.sort_unstable();
        let mut start = 0;
        for &(from, to, _) in &live {
            if start + length <= from {
                break;
            }
            start = start.max(to);
        }
        places[slot] = start;
        total = total.max(start + length);
        live.push((start, start + length, last));
    }
    (places, total)
}
