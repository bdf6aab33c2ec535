//! Plain Rust over arrays, for targets without a set of their own: loops that LLVM makes vectors of.

use super::{Isa, Work};
use crate::half::{f16_to_f32, f32_to_f16};

/// No particular instructions.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

/// What fits the smallest vector registers that are common.
const LANES: usize = 4;
type Floats = [f32; LANES];
type Ints = [i32; LANES];

/// An array by a function of the lane. A loop, so that nothing is left to be called.
macro_rules! lanes {
    ($initial:expr, $lane:ident => $value:expr) => {{
        let mut result = [$initial; LANES];
        let mut $lane = 0;
        while $lane < LANES {
            result[$lane] = $value;
            $lane += 1;
        }
        result
    }};
}

/// Adds to each sum the products of four `u8`, less `bias`, with four `i8` that are the same for all. A byte at a time,
/// so that it is a product of a vector with a number.
#[inline(always)]
fn dot_bytes(sum: Ints, weights: Ints, activations: Ints, bias: i32) -> Ints {
    let mut sums = sum;
    let mut byte = 0;
    while byte < 4 {
        let activation = activations[0] << (24 - 8 * byte) >> 24;
        let mut i = 0;
        while i < LANES {
            let weight = ((weights[i] as u32 >> (8 * byte)) & 0xff) as i32 - bias;
            sums[i] = sums[i].wrapping_add(weight.wrapping_mul(activation));
            i += 1;
        }
        byte += 1;
    }
    sums
}

/// Adding it leaves no room for a fraction in a single of magnitude below 2²².
const ROUNDER: f32 = 12_582_912.0;

impl Isa for Portable {
    const LANES: usize = LANES;
    const REGISTERS: usize = 8;
    const WIDE_IS_BIASED: bool = false;
    const DOTS_ARE_LONG: bool = false;
    const WHOLE_UNITS: bool = false;
    type Floats = Floats;
    type Ints = Ints;
    type Group = Ints;
    type Mask = [bool; LANES];

    #[inline(never)]
    unsafe fn call<W: Work<Self>>(work: W) -> W::Result {
        work.run()
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Floats {
        [value; LANES]
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Floats {
        lanes!(0.0, i => from.add(i).read_unaligned())
    }
    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> Floats {
        lanes!(0.0, i => if i < count { from.add(i).read_unaligned() } else { 0.0 })
    }
    #[inline(always)]
    unsafe fn store(to: *mut f32, value: Floats) {
        Self::store_first(to, value, LANES)
    }
    #[inline(always)]
    unsafe fn store_first(to: *mut f32, value: Floats, count: usize) {
        let mut i = 0;
        while i < LANES && i < count {
            to.add(i).write_unaligned(value[i]);
            i += 1;
        }
    }
    #[inline(always)]
    unsafe fn load_f16(from: *const u16) -> Floats {
        lanes!(0.0, i => f16_to_f32(from.add(i).read_unaligned()))
    }
    #[inline(always)]
    unsafe fn load_f16_first(from: *const u16, count: usize) -> Floats {
        lanes!(0.0, i => if i < count { f16_to_f32(from.add(i).read_unaligned()) } else { 0.0 })
    }
    #[inline(always)]
    unsafe fn store_f16(to: *mut u16, value: Floats) {
        Self::store_f16_first(to, value, LANES)
    }
    #[inline(always)]
    unsafe fn store_f16_first(to: *mut u16, value: Floats, count: usize) {
        let mut i = 0;
        while i < LANES && i < count {
            to.add(i).write_unaligned(f32_to_f16(value[i]));
            i += 1;
        }
    }
    #[inline(always)]
    unsafe fn load_bf16(from: *const u16) -> Floats {
        lanes!(0.0, i => f32::from_bits(u32::from(from.add(i).read_unaligned()) << 16))
    }

    #[inline(always)]
    unsafe fn add(a: Floats, b: Floats) -> Floats {
        lanes!(0.0, i => a[i] + b[i])
    }
    #[inline(always)]
    unsafe fn sub(a: Floats, b: Floats) -> Floats {
        lanes!(0.0, i => a[i] - b[i])
    }
    #[inline(always)]
    unsafe fn mul(a: Floats, b: Floats) -> Floats {
        lanes!(0.0, i => a[i] * b[i])
    }
    #[inline(always)]
    unsafe fn div(a: Floats, b: Floats) -> Floats {
        lanes!(0.0, i => a[i] / b[i])
    }
    #[inline(always)]
    unsafe fn fma(a: Floats, b: Floats, c: Floats) -> Floats {
        lanes!(0.0, i => a[i] * b[i] + c[i])
    }
    #[inline(always)]
    unsafe fn min(a: Floats, b: Floats) -> Floats {
        lanes!(0.0, i => if a[i] < b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    unsafe fn max(a: Floats, b: Floats) -> Floats {
        lanes!(0.0, i => if a[i] > b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    unsafe fn abs(a: Floats) -> Floats {
        lanes!(0.0, i => f32::from_bits(a[i].to_bits() & 0x7fff_ffff))
    }
    #[inline(always)]
    unsafe fn scale_by_power(a: Floats, n: Floats) -> Floats {
        lanes!(0.0, i => {
            let exponent = (n[i] + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits());
            a[i] * f32::from_bits(exponent.wrapping_add(127) << 23)
        })
    }
    #[inline(always)]
    unsafe fn reduce_sum(a: Floats) -> f32 {
        let mut sums = a;
        let mut width = LANES / 2;
        while width > 0 {
            let mut i = 0;
            while i < width {
                sums[i] += sums[i + width];
                i += 1;
            }
            width /= 2;
        }
        sums[0]
    }
    #[inline(always)]
    unsafe fn reduce_max(a: Floats) -> f32 {
        let mut greatest = a[0];
        let mut i = 1;
        while i < LANES {
            greatest = if a[i] > greatest { a[i] } else { greatest };
            i += 1;
        }
        greatest
    }
    #[inline(always)]
    unsafe fn square_root(a: f32) -> f32 {
        // Newton's method for 1/√a from an estimate of three digits: a library's function can't be called here.
        if a <= 0.0 || a.is_nan() || a == f32::INFINITY {
            return if a == 0.0 || a == f32::INFINITY { a } else { f32::NAN };
        }
        let a = f64::from(a);
        let mut inverse = f64::from_bits(0x5fe6_eb50_c7b5_37a9 - (a.to_bits() >> 1));
        let mut step = 0;
        while step < 4 {
            inverse *= 1.5 - 0.5 * a * inverse * inverse;
            step += 1;
        }
        (a * inverse) as f32
    }

    #[inline(always)]
    unsafe fn greater(a: Floats, b: Floats) -> [bool; LANES] {
        lanes!(false, i => a[i] > b[i])
    }
    #[inline(always)]
    unsafe fn select(mask: [bool; LANES], a: Floats, b: Floats) -> Floats {
        lanes!(0.0, i => if mask[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    unsafe fn select_ints(mask: [bool; LANES], a: Ints, b: Ints) -> Ints {
        lanes!(0, i => if mask[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    unsafe fn splat_int(value: i32) -> Ints {
        [value; LANES]
    }
    #[inline(always)]
    unsafe fn load_ints(from: *const u8) -> Ints {
        lanes!(0, i => i32::from_le(from.cast::<i32>().add(i).read_unaligned()))
    }
    #[inline(always)]
    unsafe fn store_ints(to: *mut i32, value: Ints) {
        let mut i = 0;
        while i < LANES {
            to.add(i).write_unaligned(value[i]);
            i += 1;
        }
    }
    #[inline(always)]
    unsafe fn load_u8(from: *const u8) -> Ints {
        lanes!(0, i => i32::from(*from.add(i)))
    }
    #[inline(always)]
    unsafe fn load_i8(from: *const i8) -> Ints {
        lanes!(0, i => i32::from(*from.add(i)))
    }
    #[inline(always)]
    unsafe fn store_i8(to: *mut i8, value: Ints) {
        let mut i = 0;
        while i < LANES {
            *to.add(i) = value[i] as i8;
            i += 1;
        }
    }
    #[inline(always)]
    unsafe fn lane_numbers() -> Ints {
        lanes!(0, i => i as i32)
    }
    #[inline(always)]
    unsafe fn add_ints(a: Ints, b: Ints) -> Ints {
        lanes!(0, i => a[i].wrapping_add(b[i]))
    }
    #[inline(always)]
    unsafe fn sub_ints(a: Ints, b: Ints) -> Ints {
        lanes!(0, i => a[i].wrapping_sub(b[i]))
    }
    #[inline(always)]
    unsafe fn and(a: Ints, b: Ints) -> Ints {
        lanes!(0, i => a[i] & b[i])
    }
    #[inline(always)]
    unsafe fn or(a: Ints, b: Ints) -> Ints {
        lanes!(0, i => a[i] | b[i])
    }
    #[inline(always)]
    unsafe fn shift_left<const N: u32>(a: Ints) -> Ints {
        lanes!(0, i => a[i].wrapping_shl(N))
    }
    #[inline(always)]
    unsafe fn shift_right<const N: u32>(a: Ints) -> Ints {
        lanes!(0, i => (a[i] as u32).wrapping_shr(N) as i32)
    }
    #[inline(always)]
    unsafe fn to_floats(a: Ints) -> Floats {
        lanes!(0.0, i => a[i] as f32)
    }
    #[inline(always)]
    unsafe fn to_ints(a: Floats) -> Ints {
        lanes!(0, i => (a[i] + ROUNDER - ROUNDER) as i32)
    }
    #[inline(always)]
    unsafe fn max_ints(a: Ints, b: Ints) -> Ints {
        lanes!(0, i => if a[i] > b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    unsafe fn bits(a: Floats) -> Ints {
        lanes!(0, i => a[i].to_bits() as i32)
    }
    #[inline(always)]
    unsafe fn reduce_max_ints(a: Ints) -> i32 {
        let mut greatest = a[0];
        let mut i = 1;
        while i < LANES {
            greatest = if a[i] > greatest { a[i] } else { greatest };
            i += 1;
        }
        greatest
    }
    #[inline(always)]
    unsafe fn reduce_sum_ints(a: Ints) -> i32 {
        let mut sum = 0i32;
        let mut i = 0;
        while i < LANES {
            sum = sum.wrapping_add(a[i]);
            i += 1;
        }
        sum
    }

    #[inline(always)]
    unsafe fn group(activations: *const u8, index: usize) -> Ints {
        let from = activations.add(4 * index);
        [i32::from_le(from.cast::<i32>().read_unaligned()); LANES]
    }
    #[inline(always)]
    unsafe fn dot(sum: Ints, weights: Ints, activations: Ints) -> Ints {
        dot_bytes(sum, weights, activations, 0)
    }
    #[inline(always)]
    unsafe fn dot_both(sum: Ints, weights: [Ints; 2], activations: [Ints; 2]) -> Ints {
        Self::dot(Self::dot(sum, weights[0], activations[0]), weights[1], activations[1])
    }
    #[inline(always)]
    unsafe fn dot_wide(sum: Ints, weights: Ints, activations: Ints) -> Ints {
        dot_bytes(sum, weights, activations, 128)
    }
    #[inline(always)]
    unsafe fn prefetch(_from: *const u8) {}
}
