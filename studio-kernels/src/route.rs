//! The choice of experts.

use crate::{isa::Isa, math, team::Phase};

/// The operands.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    /// `[rows][experts]`.
    pub(crate) logits: *const f32,
    /// `[rows][used]`.
    pub(crate) chosen: *mut i32,
    /// `[rows][used]`.
    pub(crate) weights: *mut f32,
    pub(crate) rows: usize,
    pub(crate) experts: usize,
    pub(crate) used: usize,
    /// Whether a row's weights are divided by their sum.
    pub(crate) normalise: bool,
    pub(crate) scale: f32,
}

/// The least that weights are divided by: the smallest normal number of half precision, as llama.cpp has it.
const LEAST_SUM: f32 = 6.103_515_6e-5;

/// For each row the `used` greatest of its logits, the greatest first and the lower number where two are equal, and their
/// softmax over all, times `scale`. A row of NaN chooses experts that there are, with weights of NaN.
///
/// # Safety
/// Everything is as large as the numbers say; `used` is at most `experts`.
#[inline(always)]
pub(crate) unsafe fn route<I: Isa>(phase: Phase<'_>, operands: Route) {
    let Route { logits, chosen, weights, rows, experts, used, .. } = operands;
    let Some(mut claims) = phase.claim(rows) else { return };
    while let Some(row) = claims.next() {
        if row < rows {
            let (chosen, weights) = (chosen.add(row * used), weights.add(row * used));
            of_row::<I>(Route { logits: logits.add(row * experts), chosen, weights, ..operands });
        }
    }
    if let Some(closing) = claims.finish() {
        closing.complete();
    }
}

#[inline(always)]
unsafe fn of_row<I: Isa>(operands: Route) {
    let Route { logits, chosen, weights, experts, used, normalise, scale, .. } = operands;
    let mut last = (f32::INFINITY, -1);
    let mut greatest = f32::NEG_INFINITY;
    for place in 0..used {
        // What comes after the last choice: less, or as much with a higher number.
        let mut best = (f32::NEG_INFINITY, -1);
        for expert in 0..experts as i32 {
            let value = *logits.add(expert as usize);
            let left = value < last.0 || value == last.0 && expert > last.1;
            if left && (best.1 < 0 || value > best.0) {
                best = (value, expert);
            }
        }
        // Nothing is left of a row that has NaN.
        best.1 = best.1.max(0);
        *chosen.add(place) = best.1;
        last = best;
        if place == 0 {
            greatest = best.0;
        }
    }
    let mut all = I::splat(0.0);
    let mut at = 0;
    while at < experts {
        let count = (experts - at).min(I::LANES);
        let power = math::exp::<I>(I::sub(I::load_first(logits.add(at), count), I::splat(greatest)));
        let mut lanes = [0.0; 16];
        I::store(lanes.as_mut_ptr(), power);
        all = I::add(all, I::load_first(lanes.as_ptr(), count));
        at += I::LANES;
    }
    let whole = I::reduce_sum(all);
    let mut sum = 0.0;
    for place in 0..used {
        let logit = *logits.add(*chosen.add(place) as usize);
        let power = math::exp::<I>(I::splat(logit - greatest));
        let weight = I::reduce_max(power) / whole;
        *weights.add(place) = weight;
        sum += weight;
    }
    let divisor = if normalise && sum < LEAST_SUM { LEAST_SUM } else { sum };
    let factor = if normalise { scale / divisor } else { scale };
    for place in 0..used {
        *weights.add(place) *= factor;
    }
}

/// Defines the entry point for an instruction set.
macro_rules! route_entries {
    ($isa:ty, $(#[$features:meta])*) => {
        /// For each row of `logits`, `[rows][experts]`, the `used` greatest and how much each counts, `[rows][used]`
        /// both; the choices are `i32`.
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn route(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            logits: *const f32,
            logits_offset: usize,
            chosen: *mut f32,
            chosen_offset: usize,
            weights: *mut f32,
            weights_offset: usize,
            rows: usize,
            experts: usize,
            used: usize,
            normalise: usize,
            scale: f32,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            let operands = $crate::route::Route {
                logits: logits.add(logits_offset),
                chosen: chosen.add(chosen_offset).cast(),
                weights: weights.add(weights_offset),
                rows,
                experts,
                used,
                normalise: normalise != 0,
                scale,
            };
            $crate::route::route::<$isa>(phase, operands);
        }
    };
}
pub(crate) use route_entries;
