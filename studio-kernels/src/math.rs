//! Exponential and its kin, for 16 numbers at once.

use crate::isa::Isa;

/// Below it eˣ, at most 1.9e-38, is taken as 0.
const EXP_LOWEST: f32 = -86.9;
/// Above it eˣ isn't a finite f32.
const EXP_HIGHEST: f32 = 88.722_83;

/// eˣ to 1.5e-7 of its value; 0 below 1.9e-38, ∞ where that is too large; NaN stays NaN.
#[inline(always)]
pub(crate) unsafe fn exp<I: Isa>(x: I::Floats) -> I::Floats {
    let power = I::round(I::mul(x, I::splat(core::f32::consts::LOG2_E)));
    // ln 2 in two parts, the first with so few digits that its product with a whole number is exact.
    let rest = I::fma(power, I::splat(-0.693_145_75), x);
    let rest = I::fma(power, I::splat(-1.428_606_8e-6), rest);
    // (eʳ − 1 − r) / r² for |r| ≤ ½ ln 2.
    let tail = I::splat(0.001_394_216_4);
    let tail = I::fma(tail, rest, I::splat(0.008_363_776));
    let tail = I::fma(tail, rest, I::splat(0.041_666_362));
    let tail = I::fma(tail, rest, I::splat(0.166_665_73));
    let tail = I::fma(tail, rest, I::splat(0.5));
    let part = I::fma(I::mul(rest, rest), tail, rest);
    // Doubled first: the greatest power itself would be too large for a factor.
    let value = I::add(part, I::splat(1.0));
    let value = I::scale_by_power(I::add(value, value), I::sub(power, I::splat(1.0)));
    let value = I::select(I::greater(I::splat(EXP_LOWEST), x), I::splat(0.0), value);
    I::select(I::greater(x, I::splat(EXP_HIGHEST)), I::splat(f32::INFINITY), value)
}

/// tanh x to 2e-7 of its value; NaN stays NaN.
#[inline(always)]
pub(crate) unsafe fn tanh<I: Isa>(x: I::Floats) -> I::Floats {
    let size = I::abs(x);
    // Near 0 an odd polynomial: 1 − 2 / (e²ˣ + 1) would lose digits.
    let square = I::mul(x, x);
    let tail = I::splat(-0.005_942_254);
    let tail = I::fma(tail, square, I::splat(0.020_889_156));
    let tail = I::fma(tail, square, I::splat(-0.053_827_92));
    let tail = I::fma(tail, square, I::splat(0.133_326_19));
    let tail = I::fma(tail, square, I::splat(-0.333_333_28));
    let near = I::fma(I::mul(square, tail), x, x);
    let grown = I::add(exp::<I>(I::add(size, size)), I::splat(1.0));
    let far = I::sub(I::splat(1.0), I::div(I::splat(2.0), grown));
    let far = I::select(I::greater(I::splat(0.0), x), I::sub(I::splat(0.0), far), far);
    I::select(I::greater(size, I::splat(0.62)), far, near)
}

/// x · logistic(x), the limit 0 at −∞; NaN stays NaN.
#[inline(always)]
pub(crate) unsafe fn silu<I: Isa>(x: I::Floats) -> I::Floats {
    gate::<I>(x, x)
}

/// x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))), the limit 0 at −∞; NaN stays NaN.
#[inline(always)]
pub(crate) unsafe fn gelu_tanh<I: Isa>(x: I::Floats) -> I::Floats {
    // ½ (1 + tanh u) is the logistic function of 2u: exact where tanh is next to −1. The bounds keep x³ finite.
    let bounded = I::max(I::min(x, I::splat(1e6)), I::splat(-1e6));
    let inner = I::mul(bounded, I::splat(1.595_769_1));
    let twice = I::fma(I::mul(bounded, bounded), I::mul(inner, I::splat(0.044_715)), inner);
    gate::<I>(x, twice)
}

/// x · logistic(u). Where logistic(u) is next to nothing it is 0, also for x = −∞.
#[inline(always)]
unsafe fn gate<I: Isa>(x: I::Floats, u: I::Floats) -> I::Floats {
    let grown = I::add(exp::<I>(I::sub(I::splat(0.0), u)), I::splat(1.0));
    I::select(I::greater(I::splat(-EXP_HIGHEST), u), I::splat(0.0), I::div(x, grown))
}
