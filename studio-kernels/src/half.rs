//! Half precision by integer arithmetic, for targets without instructions for it. Loops over these functions are
//! vectorised; neither relies on denormal single-precision numbers, which a caller may have switched off.

/// The value of IEEE half-precision bits, exactly.
#[inline(always)]
pub(crate) fn f16_to_f32(bits: u16) -> f32 {
    let magnitude = u32::from(bits & 0x7fff);
    let denormal = (magnitude as f32 * (1.0 / 16_777_216.0)).to_bits();
    let normal = (magnitude << 13) + (112 << 23);
    let special = magnitude << 13 | 0x7f80_0000;
    let value = if magnitude < 0x400 {
        denormal
    } else if magnitude < 0x7c00 {
        normal
    } else {
        special
    };
    f32::from_bits(value | u32::from(bits >> 15) << 31)
}

/// The bits of the half-precision number nearest to `value`, ties to even.
#[inline(always)]
pub(crate) fn f32_to_f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // One unit in the last place of 0.5 is the smallest half-precision number, so the sum rounds to a multiple of it.
    let denormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let odd = magnitude >> 13 & 1;
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
    let rounded = if magnitude < 0x3880_0000 {
        denormal
    } else if magnitude < 0x4780_0000 {
        normal
    } else if magnitude <= 0x7f80_0000 {
        0x7c00
    } else {
        0x7e00
    };
    (rounded | bits >> 31 << 15) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_has_the_value_that_the_half_crate_gives_it() {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (f16_to_f32(bits), half::f16::from_bits(bits).to_f32());
            assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(), "{bits:#x}");
        }
    }

    #[test]
    fn singles_round_to_the_nearest_half_ties_to_even() {
        // Every half, its neighbours in single precision and the ties between halves.
        for bits in 0..=u16::MAX {
            let single = half::f16::from_bits(bits).to_f32().to_bits();
            for near in [single.wrapping_sub(1), single, single.wrapping_add(1), single.wrapping_add(0x1000)]
            {
                let value = f32::from_bits(near);
                let (ours, theirs) = (f32_to_f16(value), half::f16::from_f32(value).to_bits());
                let both_nan = value.is_nan() && half::f16::from_bits(ours).is_nan();
                assert!(ours == theirs || both_nan, "{value:e}: {ours:#x}, {theirs:#x}");
            }
        }
    }
}
