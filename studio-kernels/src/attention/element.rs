//! The number types that a cache is kept in.

use crate::isa::Isa;

/// A cache's numbers, read and written as `f32`.
///
/// # Safety of the methods
/// As [`Isa`]'s: pointers are valid for what is read or written, in any alignment.
pub(crate) trait Element: Copy {
    /// A vector.
    unsafe fn load<I: Isa>(from: *const Self) -> I::Floats;
    /// A vector's first `count` lanes; the others are 0 and their memory isn't touched.
    unsafe fn load_first<I: Isa>(from: *const Self, count: usize) -> I::Floats;
    /// A vector, rounded to the nearest.
    unsafe fn store<I: Isa>(to: *mut Self, value: I::Floats);
    /// Its first `count` lanes.
    unsafe fn store_first<I: Isa>(to: *mut Self, value: I::Floats, count: usize);
}

impl Element for f32 {
    #[inline(always)]
    unsafe fn load<I: Isa>(from: *const Self) -> I::Floats {
        I::load(from)
    }
    #[inline(always)]
    unsafe fn load_first<I: Isa>(from: *const Self, count: usize) -> I::Floats {
        I::load_first(from, count)
    }
    #[inline(always)]
    unsafe fn store<I: Isa>(to: *mut Self, value: I::Floats) {
        I::store(to, value);
    }
    #[inline(always)]
    unsafe fn store_first<I: Isa>(to: *mut Self, value: I::Floats, count: usize) {
        I::store_first(to, value, count);
    }
}

/// The bits of a half-precision number.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F16(u16);

impl Element for F16 {
    #[inline(always)]
    unsafe fn load<I: Isa>(from: *const Self) -> I::Floats {
        I::load_f16(from.cast())
    }
    #[inline(always)]
    unsafe fn load_first<I: Isa>(from: *const Self, count: usize) -> I::Floats {
        I::load_f16_first(from.cast(), count)
    }
    #[inline(always)]
    unsafe fn store<I: Isa>(to: *mut Self, value: I::Floats) {
        I::store_f16(to.cast(), value);
    }
    #[inline(always)]
    unsafe fn store_first<I: Isa>(to: *mut Self, value: I::Floats, count: usize) {
        I::store_f16_first(to.cast(), value, count);
    }
}
