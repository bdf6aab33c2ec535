//! Greedy sampling.

use crate::isa::Isa;
use crate::team::Phase;

/// Vectors of candidates that are kept apart, so that one comparison needn't wait for the other.
const STRANDS: usize = 4;
/// No vector has more lanes.
const MAX_LANES: usize = 16;

/// For each row, `[rows][n]`, the index of its greatest number, the lowest where several are equal. NaN is no number;
/// a row with nothing above −∞ gives 0.
///
/// # Safety
/// Everything is as large as the numbers say.
#[inline(always)]
pub(crate) unsafe fn argmax<I: Isa>(
    phase: Phase<'_>,
    logits: *const f32,
    next: *mut i32,
    rows: usize,
    n: usize,
) {
    let Some(mut claims) = phase.claim(rows) else { return };
    while let Some(row) = claims.next() {
        if row < rows {
            next.add(row).write(of_row::<I>(logits.add(row * n), n));
        }
    }
    if let Some(closing) = claims.finish() {
        closing.complete();
    }
}

#[inline(always)]
unsafe fn of_row<I: Isa>(row: *const f32, n: usize) -> i32 {
    let mut greatest = [I::splat(f32::NEG_INFINITY); STRANDS];
    let mut place = [I::splat_int(0); STRANDS];
    let mut here = I::lane_numbers();
    let mut i = 0;
    while i + STRANDS * I::LANES <= n {
        for strand in 0..STRANDS {
            let value = I::load(row.add(i + strand * I::LANES));
            let better = I::greater(value, greatest[strand]);
            greatest[strand] = I::select(better, value, greatest[strand]);
            place[strand] = I::select_ints(better, here, place[strand]);
            here = I::add_ints(here, I::splat_int(I::LANES as i32));
        }
        i += STRANDS * I::LANES;
    }
    let (mut best, mut best_place) = (f32::NEG_INFINITY, 0);
    for strand in 0..STRANDS {
        let (mut values, mut places) = ([0.0; MAX_LANES], [0; MAX_LANES]);
        I::store(values.as_mut_ptr(), greatest[strand]);
        I::store_ints(places.as_mut_ptr(), place[strand]);
        for lane in 0..I::LANES {
            if values[lane] > best || values[lane] == best && places[lane] < best_place {
                (best, best_place) = (values[lane], places[lane]);
            }
        }
    }
    while i < n {
        if *row.add(i) > best {
            (best, best_place) = (*row.add(i), i as i32);
        }
        i += 1;
    }
    best_place
}

/// Defines the entry point for an instruction set.
macro_rules! argmax_entries {
    ($isa:ty, $(#[$features:meta])*) => {
        /// The index of the greatest of each row of `logits`, `[rows][n]`, as `i32`.
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn argmax(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            logits: *const f32,
            logits_offset: usize,
            next: *mut i32,
            next_offset: usize,
            rows: usize,
            n: usize,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            $crate::argmax::argmax::<$isa>(phase, logits.add(logits_offset), next.add(next_offset), rows, n);
        }
    };
}
pub(crate) use argmax_entries;
