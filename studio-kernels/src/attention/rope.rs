//! Rotary positions: number `i` of a head's first half and number `i` of its second half are turned by an angle.

use crate::isa::Isa;

/// The rotation of `position` in the table `[positions, 2 (from half), 2 (to half), head_dim / 2]`.
#[inline(always)]
pub(super) unsafe fn rotation(table: *const f32, position: usize, head_dim: usize) -> *const f32 {
    table.add(position * 2 * head_dim)
}

/// Turns a head and multiplies it by `scale`.
#[inline(always)]
pub(super) unsafe fn rotate<I: Isa>(
    head: *const f32,
    rotation: *const f32,
    head_dim: usize,
    scale: f32,
    to: *mut f32,
) {
    let half = head_dim / 2;
    let mut i = 0;
    while i + I::LANES <= half {
        turn::<I, true>(head.add(i), rotation.add(i), half, scale, to.add(i), I::LANES);
        i += I::LANES;
    }
    if i < half {
        turn::<I, false>(head.add(i), rotation.add(i), half, scale, to.add(i), half - i);
    }
}

/// A vector of each half, or its first `count` lanes.
#[inline(always)]
unsafe fn turn<I: Isa, const WHOLE: bool>(
    head: *const f32,
    rotation: *const f32,
    half: usize,
    scale: f32,
    to: *mut f32,
    count: usize,
) {
    let low = load::<I, WHOLE>(head, count);
    let high = load::<I, WHOLE>(head.add(half), count);
    let scale = I::splat(scale);
    for target in 0..2 {
        let from_low = load::<I, WHOLE>(rotation.add(target * half), count);
        let from_high = load::<I, WHOLE>(rotation.add((2 + target) * half), count);
        let turned = I::mul(I::fma(low, from_low, I::mul(high, from_high)), scale);
        if WHOLE {
            I::store(to.add(target * half), turned);
        } else {
            I::store_first(to.add(target * half), turned, count);
        }
    }
}

#[inline(always)]
unsafe fn load<I: Isa, const WHOLE: bool>(from: *const f32, count: usize) -> I::Floats {
    if WHOLE { I::load(from) } else { I::load_first(from, count) }
}
