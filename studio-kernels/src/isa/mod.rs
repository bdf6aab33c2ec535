//! What an instruction set is to the kernels: vectors of [`Isa::LANES`] floats or integers, and a few operations.
//!
//! Methods are inlined always, into an outermost function that has the set's features: an entry point natively, any
//! function in a build whose features are set globally. There is no other way to call them; [`Isa::call`] is how a
//! part of the code can be a function all the same.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::Neon;
pub(crate) use portable::Portable;

/// A set of vector instructions.
///
/// # Safety of the methods
/// The processor has the set's features. Pointers are valid for what is read or written; none need be aligned.
/// Arithmetic is safe with any numbers: NaN and infinities give whatever the instruction gives.
pub(crate) trait Isa: Copy + 'static {
    /// The numbers in a vector: 16, or a divisor of 16.
    const LANES: usize;
    /// How many vectors of floats are fit to be kept in registers.
    const REGISTERS: usize;
    /// Whether products of [`Isa::dot_wide`] are too large by 128 times the sum of the activations.
    const WIDE_IS_BIASED: bool;
    /// Whether a sum isn't ready for the next product at once, so that a second sum helps.
    const DOTS_ARE_LONG: bool;
    /// Whether a unit's two blocks are better written out, so that all places in them are offsets of one address.
    const WHOLE_UNITS: bool;
    /// [`Isa::LANES`] `f32`.
    type Floats: Copy;
    /// [`Isa::LANES`] `i32`, or as many groups of four bytes.
    type Ints: Copy;
    /// Four bytes of activations, the same for every lane.
    type Group: Copy;
    /// A choice of lanes.
    type Mask: Copy;

    /// Does work in a function of its own that has the set's features.
    unsafe fn call<W: Work<Self>>(work: W) -> W::Result;

    // Floats: memory.

    unsafe fn splat(value: f32) -> Self::Floats;
    unsafe fn load(from: *const f32) -> Self::Floats;
    /// The first `count` lanes, at most [`Isa::LANES`]; the others are zero and their memory isn't touched.
    unsafe fn load_first(from: *const f32, count: usize) -> Self::Floats;
    unsafe fn store(to: *mut f32, value: Self::Floats);
    /// Stores the first `count` lanes, at most [`Isa::LANES`].
    unsafe fn store_first(to: *mut f32, value: Self::Floats, count: usize);
    /// Half-precision numbers, widened.
    unsafe fn load_f16(from: *const u16) -> Self::Floats;
    /// As [`Isa::load_first`].
    unsafe fn load_f16_first(from: *const u16, count: usize) -> Self::Floats;
    /// Rounds to nearest, ties to even.
    unsafe fn store_f16(to: *mut u16, value: Self::Floats);
    /// As [`Isa::store_first`].
    unsafe fn store_f16_first(to: *mut u16, value: Self::Floats, count: usize);
    /// `bfloat16`, widened.
    unsafe fn load_bf16(from: *const u16) -> Self::Floats;

    // Floats: arithmetic.

    unsafe fn add(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    unsafe fn sub(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    unsafe fn mul(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    unsafe fn div(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `a · b + c`, rounded once where the set can.
    unsafe fn fma(a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
    unsafe fn min(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    unsafe fn max(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    unsafe fn abs(a: Self::Floats) -> Self::Floats;
    /// `a · 2^n` for integers `n` in -126..=127 held as floats.
    unsafe fn scale_by_power(a: Self::Floats, n: Self::Floats) -> Self::Floats;
    unsafe fn reduce_sum(a: Self::Floats) -> f32;
    unsafe fn reduce_max(a: Self::Floats) -> f32;
    unsafe fn square_root(a: f32) -> f32;

    // Choices.

    /// Where `a > b`.
    unsafe fn greater(a: Self::Floats, b: Self::Floats) -> Self::Mask;
    /// `a` where the mask is set, `b` elsewhere.
    unsafe fn select(mask: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// As [`Isa::select`].
    unsafe fn select_ints(mask: Self::Mask, a: Self::Ints, b: Self::Ints) -> Self::Ints;

    // Integers.

    unsafe fn splat_int(value: i32) -> Self::Ints;
    unsafe fn load_ints(from: *const u8) -> Self::Ints;
    unsafe fn store_ints(to: *mut i32, value: Self::Ints);
    /// `u8`, widened.
    unsafe fn load_u8(from: *const u8) -> Self::Ints;
    /// `i8`, widened.
    unsafe fn load_i8(from: *const i8) -> Self::Ints;
    /// The low byte of each lane.
    unsafe fn store_i8(to: *mut i8, value: Self::Ints);
    /// 0, 1, 2, …
    unsafe fn lane_numbers() -> Self::Ints;
    unsafe fn add_ints(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    unsafe fn sub_ints(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    unsafe fn and(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    unsafe fn or(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Shifts each lane of 32 bits, filling with zeros.
    unsafe fn shift_left<const N: u32>(a: Self::Ints) -> Self::Ints;
    /// As [`Isa::shift_left`].
    unsafe fn shift_right<const N: u32>(a: Self::Ints) -> Self::Ints;
    /// The upper four bits of each byte.
    #[inline(always)]
    unsafe fn high_nibbles(a: Self::Ints) -> Self::Ints {
        Self::and(Self::shift_right::<4>(a), Self::splat_int(0x0f0f_0f0f))
    }
    unsafe fn to_floats(a: Self::Ints) -> Self::Floats;
    /// To the nearest, ties to even; any number for what doesn't fit.
    unsafe fn to_ints(a: Self::Floats) -> Self::Ints;
    unsafe fn max_ints(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// The bits of floats.
    unsafe fn bits(a: Self::Floats) -> Self::Ints;
    unsafe fn reduce_max_ints(a: Self::Ints) -> i32;
    unsafe fn reduce_sum_ints(a: Self::Ints) -> i32;

    // Dot products of four bytes a lane, added to `sum`. The activations are the same in every lane.

    /// Group `index` of 32 bytes of activations, 0..8, known where this is compiled.
    unsafe fn group(activations: *const u8, index: usize) -> Self::Group;

    /// `weights` are `u8` of at most 127, `activations` are `i8`.
    unsafe fn dot(sum: Self::Ints, weights: Self::Ints, activations: Self::Group) -> Self::Ints;
    /// Two at once, of weights of at most 63.
    unsafe fn dot_both(
        sum: Self::Ints,
        weights: [Self::Ints; 2],
        activations: [Self::Group; 2],
    ) -> Self::Ints;
    /// `weights` are `i8 + 128` as `u8`, `activations` are `i8` but never -128. Gives the product of what the weights
    /// stand for, or, if [`Isa::WIDE_IS_BIASED`], of the `u8`.
    unsafe fn dot_wide(sum: Self::Ints, weights: Self::Ints, activations: Self::Group) -> Self::Ints;

    /// Asks for a line of memory that will be read soon; any address will do.
    unsafe fn prefetch(from: *const u8);
    /// Asks for all lines of `bytes` bytes, a number that is known where this is compiled.
    #[inline(always)]
    unsafe fn prefetch_lines(from: *const u8, bytes: usize) {
        let mut line = 0;
        while line < bytes {
            Self::prefetch(from.wrapping_add(line));
            line += 64;
        }
    }
}

/// Work that stands once in the compiled code, from however many places it is called; see [`Isa::call`].
pub(crate) trait Work<I: Isa> {
    type Result;

    /// Does it.
    ///
    /// # Safety
    /// As for the methods of [`Isa`]; whoever makes the work states what else it needs.
    unsafe fn run(self) -> Self::Result;
}
