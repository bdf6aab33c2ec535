//! AVX2 with FMA and F16C: two vectors for a tile's sixteen rows.

use super::{Isa, Work};
use core::arch::x86_64::*;

/// AVX2, FMA and F16C.
#[derive(Clone, Copy)]
pub(crate) struct Avx2;

#[inline(always)]
unsafe fn first_mask(count: usize) -> __m256i {
    _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), Avx2::lane_numbers())
}

impl Isa for Avx2 {
    const LANES: usize = 8;
    const REGISTERS: usize = 16;
    const WIDE_IS_BIASED: bool = false;
    const DOTS_ARE_LONG: bool = false;
    const WHOLE_UNITS: bool = false;
    type Floats = __m256;
    type Ints = __m256i;
    type Group = __m256i;
    type Mask = __m256;

    #[inline(always)]
    unsafe fn call<W: Work<Self>>(work: W) -> W::Result {
        #[target_feature(enable = "avx2,fma,f16c")]
        #[inline(never)]
        unsafe fn outlined<W: Work<Avx2>>(work: W) -> W::Result {
            work.run()
        }
        outlined(work)
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> __m256 {
        _mm256_set1_ps(value)
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> __m256 {
        _mm256_loadu_ps(from)
    }
    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> __m256 {
        _mm256_maskload_ps(from, first_mask(count))
    }
    #[inline(always)]
    unsafe fn store(to: *mut f32, value: __m256) {
        _mm256_storeu_ps(to, value)
    }
    #[inline(always)]
    unsafe fn store_first(to: *mut f32, value: __m256, count: usize) {
        _mm256_maskstore_ps(to, first_mask(count), value)
    }
    #[inline(always)]
    unsafe fn load_f16(from: *const u16) -> __m256 {
        _mm256_cvtph_ps(_mm_loadu_si128(from.cast()))
    }
    #[inline(always)]
    unsafe fn load_f16_first(from: *const u16, count: usize) -> __m256 {
        let mut halves = [0u16; 8];
        let mut i = 0;
        while i < 8 && i < count {
            halves[i] = from.add(i).read_unaligned();
            i += 1;
        }
        Self::load_f16(halves.as_ptr())
    }
    #[inline(always)]
    unsafe fn store_f16(to: *mut u16, value: __m256) {
        _mm_storeu_si128(to.cast(), _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(value))
    }
    #[inline(always)]
    unsafe fn store_f16_first(to: *mut u16, value: __m256, count: usize) {
        let mut halves = [0u16; 8];
        Self::store_f16(halves.as_mut_ptr(), value);
        let mut i = 0;
        while i < 8 && i < count {
            to.add(i).write_unaligned(halves[i]);
            i += 1;
        }
    }
    #[inline(always)]
    unsafe fn load_bf16(from: *const u16) -> __m256 {
        _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(_mm_loadu_si128(from.cast()))))
    }

    #[inline(always)]
    unsafe fn add(a: __m256, b: __m256) -> __m256 {
        _mm256_add_ps(a, b)
    }
    #[inline(always)]
    unsafe fn sub(a: __m256, b: __m256) -> __m256 {
        _mm256_sub_ps(a, b)
    }
    #[inline(always)]
    unsafe fn mul(a: __m256, b: __m256) -> __m256 {
        _mm256_mul_ps(a, b)
    }
    #[inline(always)]
    unsafe fn div(a: __m256, b: __m256) -> __m256 {
        _mm256_div_ps(a, b)
    }
    #[inline(always)]
    unsafe fn fma(a: __m256, b: __m256, c: __m256) -> __m256 {
        _mm256_fmadd_ps(a, b, c)
    }
    #[inline(always)]
    unsafe fn min(a: __m256, b: __m256) -> __m256 {
        _mm256_min_ps(a, b)
    }
    #[inline(always)]
    unsafe fn max(a: __m256, b: __m256) -> __m256 {
        _mm256_max_ps(a, b)
    }
    #[inline(always)]
    unsafe fn abs(a: __m256) -> __m256 {
        _mm256_andnot_ps(_mm256_set1_ps(-0.0), a)
    }
    #[inline(always)]
    unsafe fn scale_by_power(a: __m256, n: __m256) -> __m256 {
        let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
        _mm256_mul_ps(a, _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent)))
    }
    #[inline(always)]
    unsafe fn reduce_sum(a: __m256) -> f32 {
        let four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
    }
    #[inline(always)]
    unsafe fn reduce_max(a: __m256) -> f32 {
        let four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
    }
    #[inline(always)]
    unsafe fn square_root(a: f32) -> f32 {
        _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a)))
    }

    #[inline(always)]
    unsafe fn greater(a: __m256, b: __m256) -> __m256 {
        _mm256_cmp_ps::<_CMP_GT_OQ>(a, b)
    }
    #[inline(always)]
    unsafe fn select(mask: __m256, a: __m256, b: __m256) -> __m256 {
        _mm256_blendv_ps(b, a, mask)
    }
    #[inline(always)]
    unsafe fn select_ints(mask: __m256, a: __m256i, b: __m256i) -> __m256i {
        _mm256_blendv_epi8(b, a, _mm256_castps_si256(mask))
    }

    #[inline(always)]
    unsafe fn splat_int(value: i32) -> __m256i {
        _mm256_set1_epi32(value)
    }
    #[inline(always)]
    unsafe fn load_ints(from: *const u8) -> __m256i {
        _mm256_loadu_si256(from.cast())
    }
    #[inline(always)]
    unsafe fn store_ints(to: *mut i32, value: __m256i) {
        _mm256_storeu_si256(to.cast(), value)
    }
    #[inline(always)]
    unsafe fn load_u8(from: *const u8) -> __m256i {
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(from.cast()))
    }
    #[inline(always)]
    unsafe fn load_i8(from: *const i8) -> __m256i {
        _mm256_cvtepi8_epi32(_mm_loadl_epi64(from.cast()))
    }
    #[inline(always)]
    unsafe fn store_i8(to: *mut i8, value: __m256i) {
        // The low bytes of each half of the vector, then of both together.
        let low = _mm256_setr_epi8(
            0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12, -1, -1, -1, -1, -1, -1,
            -1, -1, -1, -1, -1, -1,
        );
        let bytes = _mm256_shuffle_epi8(value, low);
        let joined = _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes));
        _mm_storel_epi64(to.cast(), joined)
    }
    #[inline(always)]
    unsafe fn lane_numbers() -> __m256i {
        _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
    }
    #[inline(always)]
    unsafe fn add_ints(a: __m256i, b: __m256i) -> __m256i {
        _mm256_add_epi32(a, b)
    }
    #[inline(always)]
    unsafe fn sub_ints(a: __m256i, b: __m256i) -> __m256i {
        _mm256_sub_epi32(a, b)
    }
    #[inline(always)]
    unsafe fn and(a: __m256i, b: __m256i) -> __m256i {
        _mm256_and_si256(a, b)
    }
    #[inline(always)]
    unsafe fn or(a: __m256i, b: __m256i) -> __m256i {
        _mm256_or_si256(a, b)
    }
    #[inline(always)]
    unsafe fn shift_left<const N: u32>(a: __m256i) -> __m256i {
        _mm256_sll_epi32(a, _mm_cvtsi32_si128(N as i32))
    }
    #[inline(always)]
    unsafe fn shift_right<const N: u32>(a: __m256i) -> __m256i {
        _mm256_srl_epi32(a, _mm_cvtsi32_si128(N as i32))
    }
    #[inline(always)]
    unsafe fn to_floats(a: __m256i) -> __m256 {
        _mm256_cvtepi32_ps(a)
    }
    #[inline(always)]
    unsafe fn to_ints(a: __m256) -> __m256i {
        _mm256_cvtps_epi32(a)
    }
    #[inline(always)]
    unsafe fn max_ints(a: __m256i, b: __m256i) -> __m256i {
        _mm256_max_epi32(a, b)
    }
    #[inline(always)]
    unsafe fn bits(a: __m256) -> __m256i {
        _mm256_castps_si256(a)
    }
    #[inline(always)]
    unsafe fn reduce_max_ints(a: __m256i) -> i32 {
        let four = _mm_max_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256::<1>(a));
        let two = _mm_max_epi32(four, _mm_shuffle_epi32::<0b_00_00_11_10>(four));
        _mm_cvtsi128_si32(_mm_max_epi32(two, _mm_shuffle_epi32::<1>(two)))
    }
    #[inline(always)]
    unsafe fn reduce_sum_ints(a: __m256i) -> i32 {
        let four = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256::<1>(a));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b_00_00_11_10>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)))
    }

    #[inline(always)]
    unsafe fn group(activations: *const u8, index: usize) -> __m256i {
        let from = activations.add(4 * index);
        _mm256_set1_epi32(from.cast::<i32>().read_unaligned())
    }
    #[inline(always)]
    unsafe fn dot(sum: __m256i, weights: __m256i, activations: __m256i) -> __m256i {
        // Two products of at most 127 · 128 fit the 16 bits of their sum.
        let pairs = _mm256_maddubs_epi16(weights, activations);
        _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    }
    #[inline(always)]
    unsafe fn dot_both(sum: __m256i, weights: [__m256i; 2], activations: [__m256i; 2]) -> __m256i {
        // Four products of at most 63 · 128 fit.
        let first = _mm256_maddubs_epi16(weights[0], activations[0]);
        let pairs = _mm256_add_epi16(first, _mm256_maddubs_epi16(weights[1], activations[1]));
        _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    }
    #[inline(always)]
    unsafe fn dot_wide(sum: __m256i, weights: __m256i, activations: __m256i) -> __m256i {
        // |w| · sign(w) x: the magnitude of -128 is 128 as an unsigned byte, and two products of it with at most 127 fit.
        let signed = _mm256_xor_si256(weights, _mm256_set1_epi8(-128));
        let activations = _mm256_sign_epi8(activations, signed);
        let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(signed), activations);
        _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    }

    #[inline(always)]
    unsafe fn prefetch(from: *const u8) {
        _mm_prefetch::<_MM_HINT_T0>(from.cast())
    }
}
