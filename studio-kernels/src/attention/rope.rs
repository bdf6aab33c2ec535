//! Rotary positions: of the part of a head that is rotated, its beginning, number `i` of the first half and number `i` of
//! the second half are turned by an angle. The rest stays as it is.

use crate::isa::Isa;

/// The rotations of all positions.
#[derive(Clone, Copy)]
pub(crate) struct Rope {
    /// `[positions, 2 (from half), 2 (to half), rotated / 2]`; any pointer if nothing is rotated.
    pub(crate) table: *const f32,
    /// Numbers of a head that are rotated: even, at most the head's.
    pub(crate) rotated: usize,
}

/// The rotation of a position.
#[derive(Clone, Copy)]
pub(super) struct Rotation {
    from: *const f32,
    rotated: usize,
}

impl Rope {
    /// The rotation of `position`.
    #[inline(always)]
    pub(super) unsafe fn at(self, position: usize) -> Rotation {
        Rotation { from: self.table.add(position * 2 * self.rotated), rotated: self.rotated }
    }
}

/// Turns a head and multiplies it by `scale`.
#[inline(always)]
pub(super) unsafe fn rotate<I: Isa>(
    head: *const f32,
    rotation: Rotation,
    head_dim: usize,
    scale: f32,
    to: *mut f32,
) {
    let Rotation { from: rotation, rotated } = rotation;
    let rotated = rotated.min(head_dim);
    let half = rotated / 2;
    let mut i = 0;
    while i + I::LANES <= half {
        turn::<I, true>(head.add(i), rotation.add(i), half, scale, to.add(i), I::LANES);
        i += I::LANES;
    }
    if i < half {
        turn::<I, false>(head.add(i), rotation.add(i), half, scale, to.add(i), half - i);
    }
    let mut i = rotated;
    while i < head_dim {
        let count = (head_dim - i).min(I::LANES);
        I::store_first(to.add(i), I::mul(I::load_first(head.add(i), count), I::splat(scale)), count);
        i += count;
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
