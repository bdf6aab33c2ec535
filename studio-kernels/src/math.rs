//! The exponential function and its kin, for whole vectors.

use crate::isa::Isa;

/// Below it eˣ, at most 1.9e-38, is taken as 0.
const EXP_LOWEST: f32 = -86.9;
/// Numbers of about its size are whole.
const ROUNDER: f32 = 12_582_912.0;
/// Above it eˣ isn't a finite f32.
const EXP_HIGHEST: f32 = 88.722_83;

/// eˣ to 1.5e-7 of its value; 0 below 1.9e-38, ∞ where that is too large; NaN stays NaN.
#[inline(always)]
pub(crate) unsafe fn exp<I: Isa>(x: I::Floats) -> I::Floats {
    let [value, power] = exp_parts::<I>(x);
    // Doubled first: the greatest power itself would be too large for a factor.
    let value = I::scale_by_power(I::add(value, value), I::sub(power, I::splat(1.0)));
    let value = I::select(I::greater(I::splat(EXP_LOWEST), x), I::splat(0.0), value);
    I::select(I::greater(x, I::splat(EXP_HIGHEST)), I::splat(f32::INFINITY), value)
}

/// [`exp`] of what isn't above 0, or NaN.
#[inline(always)]
pub(crate) unsafe fn exp_of_negative<I: Isa>(x: I::Floats) -> I::Floats {
    let [value, power] = exp_parts::<I>(x);
    I::select(I::greater(I::splat(EXP_LOWEST), x), I::splat(0.0), I::scale_by_power(value, power))
}

/// Two numbers v and n, n whole, such that eˣ is v · 2ⁿ.
#[inline(always)]
unsafe fn exp_parts<I: Isa>(x: I::Floats) -> [I::Floats; 2] {
    // Next to the rounder there is no room for a fraction.
    let rounded = I::fma(x, I::splat(core::f32::consts::LOG2_E), I::splat(ROUNDER));
    let power = I::sub(rounded, I::splat(ROUNDER));
    // ln 2 in two parts, the first with so few digits that its product with a whole number is exact.
    let rest = I::fma(power, I::splat(-0.693_145_75), x);
    let rest = I::fma(power, I::splat(-1.428_606_8e-6), rest);
    // eʳ for |r| ≤ ½ ln 2.
    let value = I::splat(0.001_394_216_4);
    let value = I::fma(value, rest, I::splat(0.008_363_776));
    let value = I::fma(value, rest, I::splat(0.041_666_362));
    let value = I::fma(value, rest, I::splat(0.166_665_73));
    let value = I::fma(value, rest, I::splat(0.5));
    let value = I::fma(value, rest, I::splat(1.0));
    [I::fma(value, rest, I::splat(1.0)), power]
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
    let inner = I::mul(bounded, I::splat(1.595_769_2));
    let twice = I::fma(I::mul(bounded, bounded), I::mul(inner, I::splat(0.044_715)), inner);
    gate::<I>(x, twice)
}

/// 1 / (1 + e⁻ˣ), to 3e-7 of its value; 0 where that is next to nothing; NaN stays NaN.
#[inline(always)]
pub(crate) unsafe fn logistic<I: Isa>(x: I::Floats) -> I::Floats {
    gate::<I>(I::splat(1.0), x)
}

/// x · logistic(u). Where logistic(u) is next to nothing it is 0, also for x = −∞.
#[inline(always)]
unsafe fn gate<I: Isa>(x: I::Floats, u: I::Floats) -> I::Floats {
    let grown = I::add(exp::<I>(I::sub(I::splat(0.0), u)), I::splat(1.0));
    I::select(I::greater(I::splat(-EXP_HIGHEST), u), I::splat(0.0), I::div(x, grown))
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::isa::Portable;
    use std::vec::Vec;

    #[derive(Clone, Copy, Debug)]
    enum Function {
        Exp,
        Tanh,
        Silu,
        Gelu,
    }

    impl Function {
        fn exact(self, x: f64) -> f64 {
            match self {
                Function::Exp => x.exp(),
                Function::Tanh => x.tanh(),
                Function::Silu => x / (1.0 + (-x).exp()),
                Function::Gelu => {
                    let u = (2.0 / core::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
                    x / (1.0 + (-2.0 * u).exp())
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn apply<I: Isa>(function: Function, x: f32) -> f32 {
        let x = I::splat(x);
        I::reduce_max(match function {
            Function::Exp => exp::<I>(x),
            Function::Tanh => tanh::<I>(x),
            Function::Silu => silu::<I>(x),
            Function::Gelu => gelu_tanh::<I>(x),
        })
    }

    unsafe fn portable(function: Function, x: f32) -> f32 {
        apply::<Portable>(function, x)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma,f16c")]
    unsafe fn avx512(function: Function, x: f32) -> f32 {
        apply::<crate::isa::Avx512>(function, x)
    }

    type Applied = unsafe fn(Function, f32) -> f32;

    fn sets() -> Vec<Applied> {
        let mut sets: Vec<Applied> = std::vec![portable];
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx512bw") && std::is_x86_feature_detected!("avx512vnni") {
            sets.push(avx512);
        }
        sets
    }

    /// Asserts that the function is within a part of the exact value, or of `least`, over an interval.
    fn check(function: Function, [from, to]: [f32; 2], tolerance: f64, least: f64) {
        for set in sets() {
            for step in 0..200_000 {
                let x = from + (to - from) * (step as f32 / 200_000.0);
                let exact = function.exact(f64::from(x));
                // SAFETY: the processor has the set's features.
                let found = f64::from(unsafe { set(function, x) });
                let error = (found - exact).abs() / exact.abs().max(least).max(f64::MIN_POSITIVE);
                assert!(error <= tolerance, "{function:?} of {x:e} is {found:e}, not {exact:e}: {error:e}");
            }
        }
    }

    #[test]
    fn values_are_right_to_nearly_the_last_digit() {
        check(Function::Exp, [-86.9, 88.72], 2e-7, 0.0);
        check(Function::Exp, [-1.0, 1.0], 2e-7, 0.0);
        check(Function::Exp, [-200.0, -86.0], 2e-7, 1e-30);
        check(Function::Tanh, [-10.0, 10.0], 2e-7, 0.0);
        check(Function::Tanh, [-1.0, 1.0], 2e-7, 0.0);
        check(Function::Silu, [-20.0, 20.0], 3e-7, 0.0);
        check(Function::Silu, [-200.0, 200.0], 3e-7, 1e-30);
        check(Function::Gelu, [-3.0, 3.0], 2e-6, 0.0);
        check(Function::Gelu, [-200.0, 200.0], 4e-7, 5e-2);
    }

    #[test]
    fn extremes_give_limits() {
        let (infinity, huge) = (f32::INFINITY, f32::MAX);
        let limits = [
            (Function::Exp, [infinity, infinity, 0.0, 0.0]),
            (Function::Tanh, [1.0, 1.0, -1.0, -1.0]),
            (Function::Silu, [infinity, huge, 0.0, 0.0]),
            (Function::Gelu, [infinity, huge, 0.0, 0.0]),
        ];
        for set in sets() {
            for (function, expected) in limits {
                // SAFETY: the processor has the set's features.
                let found = [infinity, huge, -huge, -infinity].map(|x| unsafe { set(function, x) });
                assert_eq!(found, expected, "{function:?}");
                // SAFETY: as above.
                let [of_zero, of_nan] = [0.0, f32::NAN].map(|x| unsafe { set(function, x) });
                assert_eq!(
                    of_zero,
                    if matches!(function, Function::Exp) { 1.0 } else { 0.0 },
                    "{function:?}"
                );
                assert!(of_nan.is_nan(), "{function:?} of NaN");
            }
            // SAFETY: as above.
            let highest = unsafe { set(Function::Exp, 88.722_83) };
            assert!(highest.is_finite() && highest > 3.4e38, "{highest:e}");
        }
    }
}
