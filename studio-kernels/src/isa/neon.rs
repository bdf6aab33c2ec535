//! NEON with dot products of bytes: four vectors for a tile's sixteen rows.
//!
//! Instructions whose intrinsics aren't in stable Rust, those of half precision and the dot products themselves, are
//! written out.

use super::{Isa, Work};
use core::arch::{aarch64::*, asm};

/// NEON and `sdot`; with `MIXED`, the dot products of unsigned and signed bytes, too (i8mm).
#[derive(Clone, Copy)]
pub(crate) struct Neon<const MIXED: bool>;

/// Four half-precision numbers as singles.
#[inline(always)]
unsafe fn widen(halves: uint16x4_t) -> float32x4_t {
    let mut singles: float32x4_t;
    asm!(
        "fcvtl {singles:v}.4s, {halves:v}.4h",
        singles = lateout(vreg) singles,
        halves = in(vreg) halves,
        options(pure, nomem, nostack, preserves_flags)
    );
    singles
}

/// To the nearest halves, ties to even.
#[inline(always)]
unsafe fn narrow(singles: float32x4_t) -> uint16x4_t {
    let mut halves: uint16x4_t;
    asm!(
        "fcvtn {halves:v}.4h, {singles:v}.4s",
        halves = lateout(vreg) halves,
        singles = in(vreg) singles,
        options(pure, nomem, nostack, preserves_flags)
    );
    halves
}

/// Group `index` of sixteen bytes: the instruction takes it from there, for every lane.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    bytes: int32x4_t,
    index: usize,
}

/// A dot product with one of the four groups of its last operand.
macro_rules! dot_of {
    ($instruction:literal, $sum:expr, $weights:expr, $group:expr; $($n:literal)*) => {
        match $group.index {
            $($n => asm!(
                concat!($instruction, " {sum:v}.4s, {weights:v}.16b, {activations:v}.4b[", $n, "]"),
                sum = inout(vreg) $sum,
                weights = in(vreg) $weights,
                activations = in(vreg) $group.bytes,
                options(pure, nomem, nostack, preserves_flags)
            ),)*
            _ => unreachable!("a group of four"),
        }
    };
}

/// Adds to each lane of 32 bits the products of its four `i8` with those of a group.
#[inline(always)]
unsafe fn sdot(sum: int32x4_t, weights: int32x4_t, activations: Group) -> int32x4_t {
    let mut sum = sum;
    dot_of!("sdot", sum, weights, activations; 0 1 2 3);
    sum
}

/// As [`sdot`], of `u8` with the group's `i8`.
#[inline(always)]
unsafe fn usdot(sum: int32x4_t, weights: int32x4_t, activations: Group) -> int32x4_t {
    let mut sum = sum;
    dot_of!("usdot", sum, weights, activations; 0 1 2 3);
    sum
}

/// Asks for the line at an address and an offset that is written out.
macro_rules! prefetch {
    ($from:expr, $offset:literal) => {
        asm!(
            concat!("prfm pldl1keep, [{from}, #", $offset, "]"),
            from = in(reg) $from,
            options(readonly, nostack, preserves_flags)
        )
    };
}

/// The first `count` of four numbers, zeros for the others.
#[inline(always)]
unsafe fn first<T: Copy>(from: *const T, zero: T, count: usize) -> [T; 4] {
    let mut values = [zero; 4];
    let mut i = 0;
    while i < 4 && i < count {
        values[i] = from.add(i).read_unaligned();
        i += 1;
    }
    values
}

#[inline(always)]
unsafe fn put_first<T: Copy>(to: *mut T, values: [T; 4], count: usize) {
    let mut i = 0;
    while i < 4 && i < count {
        to.add(i).write_unaligned(values[i]);
        i += 1;
    }
}

/// A shift by a number that is known when this is compiled; the intrinsics take no generic one.
macro_rules! shift {
    ($intrinsic:ident, $value:expr, $by:expr; $($n:literal)*) => {
        match $by {
            $($n => $intrinsic::<$n>($value),)*
            _ => unreachable!("a shift that is not in the list"),
        }
    };
}

impl<const MIXED: bool> Isa for Neon<MIXED> {
    const LANES: usize = 4;
    const REGISTERS: usize = 32;
    const WIDE_IS_BIASED: bool = MIXED;
    const DOTS_ARE_LONG: bool = false;
    const WHOLE_UNITS: bool = true;
    type Floats = float32x4_t;
    type Ints = int32x4_t;
    type Group = Group;
    type Mask = uint32x4_t;

    #[inline(always)]
    unsafe fn call<W: Work<Self>>(work: W) -> W::Result {
        #[target_feature(enable = "neon,dotprod")]
        #[inline(never)]
        unsafe fn outlined<I: Isa, W: Work<I>>(work: W) -> W::Result {
            work.run()
        }
        #[target_feature(enable = "neon,dotprod,i8mm")]
        #[inline(never)]
        unsafe fn mixed<I: Isa, W: Work<I>>(work: W) -> W::Result {
            work.run()
        }
        if MIXED { mixed::<Self, W>(work) } else { outlined::<Self, W>(work) }
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> float32x4_t {
        vdupq_n_f32(value)
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> float32x4_t {
        vld1q_f32(from)
    }
    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> float32x4_t {
        vld1q_f32(first(from, 0.0, count).as_ptr())
    }
    #[inline(always)]
    unsafe fn store(to: *mut f32, value: float32x4_t) {
        vst1q_f32(to, value);
    }
    #[inline(always)]
    unsafe fn store_first(to: *mut f32, value: float32x4_t, count: usize) {
        let mut values = [0.0; 4];
        vst1q_f32(values.as_mut_ptr(), value);
        put_first(to, values, count);
    }
    #[inline(always)]
    unsafe fn load_f16(from: *const u16) -> float32x4_t {
        widen(vld1_u16(from))
    }
    #[inline(always)]
    unsafe fn load_f16_first(from: *const u16, count: usize) -> float32x4_t {
        widen(vld1_u16(first(from, 0, count).as_ptr()))
    }
    #[inline(always)]
    unsafe fn store_f16(to: *mut u16, value: float32x4_t) {
        vst1_u16(to, narrow(value));
    }
    #[inline(always)]
    unsafe fn store_f16_first(to: *mut u16, value: float32x4_t, count: usize) {
        let mut values = [0; 4];
        vst1_u16(values.as_mut_ptr(), narrow(value));
        put_first(to, values, count);
    }
    #[inline(always)]
    unsafe fn load_bf16(from: *const u16) -> float32x4_t {
        vreinterpretq_f32_u32(vshll_n_u16::<16>(vld1_u16(from)))
    }

    #[inline(always)]
    unsafe fn add(a: float32x4_t, b: float32x4_t) -> float32x4_t {
        vaddq_f32(a, b)
    }
    #[inline(always)]
    unsafe fn sub(a: float32x4_t, b: float32x4_t) -> float32x4_t {
        vsubq_f32(a, b)
    }
    #[inline(always)]
    unsafe fn mul(a: float32x4_t, b: float32x4_t) -> float32x4_t {
        vmulq_f32(a, b)
    }
    #[inline(always)]
    unsafe fn div(a: float32x4_t, b: float32x4_t) -> float32x4_t {
        vdivq_f32(a, b)
    }
    #[inline(always)]
    unsafe fn fma(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
        vfmaq_f32(c, a, b)
    }
    #[inline(always)]
    unsafe fn min(a: float32x4_t, b: float32x4_t) -> float32x4_t {
        vminq_f32(a, b)
    }
    #[inline(always)]
    unsafe fn max(a: float32x4_t, b: float32x4_t) -> float32x4_t {
        vmaxq_f32(a, b)
    }
    #[inline(always)]
    unsafe fn abs(a: float32x4_t) -> float32x4_t {
        vabsq_f32(a)
    }
    #[inline(always)]
    unsafe fn scale_by_power(a: float32x4_t, n: float32x4_t) -> float32x4_t {
        let exponent = vaddq_s32(vcvtnq_s32_f32(n), vdupq_n_s32(127));
        vmulq_f32(a, vreinterpretq_f32_s32(vshlq_n_s32::<23>(exponent)))
    }
    #[inline(always)]
    unsafe fn reduce_sum(a: float32x4_t) -> f32 {
        vaddvq_f32(a)
    }
    #[inline(always)]
    unsafe fn reduce_max(a: float32x4_t) -> f32 {
        vmaxvq_f32(a)
    }
    #[inline(always)]
    unsafe fn square_root(a: f32) -> f32 {
        vget_lane_f32::<0>(vsqrt_f32(vdup_n_f32(a)))
    }

    #[inline(always)]
    unsafe fn greater(a: float32x4_t, b: float32x4_t) -> uint32x4_t {
        vcgtq_f32(a, b)
    }
    #[inline(always)]
    unsafe fn select(mask: uint32x4_t, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        vbslq_f32(mask, a, b)
    }
    #[inline(always)]
    unsafe fn select_ints(mask: uint32x4_t, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        vbslq_s32(mask, a, b)
    }

    #[inline(always)]
    unsafe fn splat_int(value: i32) -> int32x4_t {
        vdupq_n_s32(value)
    }
    #[inline(always)]
    unsafe fn load_ints(from: *const u8) -> int32x4_t {
        vreinterpretq_s32_u8(vld1q_u8(from))
    }
    #[inline(always)]
    unsafe fn store_ints(to: *mut i32, value: int32x4_t) {
        vst1q_s32(to, value);
    }
    #[inline(always)]
    unsafe fn load_u8(from: *const u8) -> int32x4_t {
        let bytes = vcreate_u8(u64::from(from.cast::<u32>().read_unaligned()));
        vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(bytes))))
    }
    #[inline(always)]
    unsafe fn load_i8(from: *const i8) -> int32x4_t {
        let bytes = vcreate_s8(u64::from(from.cast::<u32>().read_unaligned()));
        vmovl_s16(vget_low_s16(vmovl_s8(bytes)))
    }
    #[inline(always)]
    unsafe fn store_i8(to: *mut i8, value: int32x4_t) {
        let halves = vmovn_s32(value);
        let bytes = vmovn_s16(vcombine_s16(halves, halves));
        to.cast::<i32>().write_unaligned(vget_lane_s32::<0>(vreinterpret_s32_s8(bytes)));
    }
    #[inline(always)]
    unsafe fn lane_numbers() -> int32x4_t {
        vld1q_s32([0, 1, 2, 3].as_ptr())
    }
    #[inline(always)]
    unsafe fn add_ints(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        vaddq_s32(a, b)
    }
    #[inline(always)]
    unsafe fn sub_ints(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        vsubq_s32(a, b)
    }
    #[inline(always)]
    unsafe fn and(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        vandq_s32(a, b)
    }
    #[inline(always)]
    unsafe fn or(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        vorrq_s32(a, b)
    }
    #[inline(always)]
    unsafe fn shift_left<const N: u32>(a: int32x4_t) -> int32x4_t {
        shift!(vshlq_n_s32, a, N; 1 2 3 4)
    }
    #[inline(always)]
    unsafe fn shift_right<const N: u32>(a: int32x4_t) -> int32x4_t {
        let a = vreinterpretq_u32_s32(a);
        vreinterpretq_s32_u32(shift!(vshrq_n_u32, a, N; 1 2 3 4 8 16 24))
    }
    #[inline(always)]
    unsafe fn high_nibbles(a: int32x4_t) -> int32x4_t {
        vreinterpretq_s32_u8(vshrq_n_u8::<4>(vreinterpretq_u8_s32(a)))
    }
    #[inline(always)]
    unsafe fn to_floats(a: int32x4_t) -> float32x4_t {
        vcvtq_f32_s32(a)
    }
    #[inline(always)]
    unsafe fn to_ints(a: float32x4_t) -> int32x4_t {
        vcvtnq_s32_f32(a)
    }
    #[inline(always)]
    unsafe fn max_ints(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        vmaxq_s32(a, b)
    }
    #[inline(always)]
    unsafe fn bits(a: float32x4_t) -> int32x4_t {
        vreinterpretq_s32_f32(a)
    }
    #[inline(always)]
    unsafe fn reduce_max_ints(a: int32x4_t) -> i32 {
        vmaxvq_s32(a)
    }
    #[inline(always)]
    unsafe fn reduce_sum_ints(a: int32x4_t) -> i32 {
        vaddvq_s32(a)
    }

    #[inline(always)]
    unsafe fn group(activations: *const u8, index: usize) -> Group {
        let from = activations.add(index / 4 * 16);
        Group { bytes: vreinterpretq_s32_u8(vld1q_u8(from)), index: index % 4 }
    }
    #[inline(always)]
    unsafe fn dot(sum: int32x4_t, weights: int32x4_t, activations: Group) -> int32x4_t {
        // Weights of at most 127 are the same number as `i8`.
        sdot(sum, weights, activations)
    }
    #[inline(always)]
    unsafe fn dot_both(sum: int32x4_t, weights: [int32x4_t; 2], activations: [Group; 2]) -> int32x4_t {
        sdot(sdot(sum, weights[0], activations[0]), weights[1], activations[1])
    }
    #[inline(always)]
    unsafe fn dot_wide(sum: int32x4_t, weights: int32x4_t, activations: Group) -> int32x4_t {
        if MIXED {
            return usdot(sum, weights, activations);
        }
        // Less 128, as a change of the highest bit.
        let signed = veorq_s32(weights, vreinterpretq_s32_u8(vdupq_n_u8(0x80)));
        sdot(sum, signed, activations)
    }

    #[inline(always)]
    unsafe fn prefetch(from: *const u8) {
        prefetch!(from, 0);
    }
    #[inline(always)]
    unsafe fn prefetch_lines(from: *const u8, bytes: usize) {
        // The instruction takes an offset: one address does for all.
        macro_rules! lines {
            ($($offset:literal)*) => {
                $(if bytes > $offset {
                    prefetch!(from, $offset);
                })*
            };
        }
        lines!(0 64 128 192 256 320 384 448 512 576 640 704 768 832 896 960 1024);
    }
}
