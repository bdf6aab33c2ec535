//! AVX-512 with VNNI: one vector is a tile's sixteen rows.

use super::{Isa, Work};
use core::arch::x86_64::*;

/// AVX-512 F, BW, DQ, VL and VNNI, with FMA and F16C.
#[derive(Clone, Copy)]
pub(crate) struct Avx512;

#[inline(always)]
fn first_mask(count: usize) -> u16 {
    ((1u32 << (count as u32 & 31)) - 1) as u16
}

impl Isa for Avx512 {
    const LANES: usize = 16;
    const REGISTERS: usize = 32;
    const WIDE_IS_BIASED: bool = true;
    const DOTS_ARE_LONG: bool = true;
    const WHOLE_UNITS: bool = false;
    type Floats = __m512;
    type Ints = __m512i;
    type Group = __m512i;
    type Mask = __mmask16;

    #[inline(always)]
    unsafe fn call<W: Work<Self>>(work: W) -> W::Result {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
        #[inline(never)]
        unsafe fn outlined<W: Work<Avx512>>(work: W) -> W::Result {
            work.run()
        }
        outlined(work)
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> __m512 {
        _mm512_set1_ps(value)
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> __m512 {
        _mm512_loadu_ps(from)
    }
    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> __m512 {
        _mm512_maskz_loadu_ps(first_mask(count), from)
    }
    #[inline(always)]
    unsafe fn store(to: *mut f32, value: __m512) {
        _mm512_storeu_ps(to, value)
    }
    #[inline(always)]
    unsafe fn store_first(to: *mut f32, value: __m512, count: usize) {
        _mm512_mask_storeu_ps(to, first_mask(count), value)
    }
    #[inline(always)]
    unsafe fn load_f16(from: *const u16) -> __m512 {
        // Not `_mm512_cvtph_ps`: suppressing exceptions keeps the load from being part of the instruction.
        _mm512_cvt_roundph_ps::<_MM_FROUND_CUR_DIRECTION>(_mm256_loadu_si256(from.cast()))
    }
    #[inline(always)]
    unsafe fn load_f16_first(from: *const u16, count: usize) -> __m512 {
        let halves = _mm256_maskz_loadu_epi16(first_mask(count), from.cast());
        _mm512_cvt_roundph_ps::<_MM_FROUND_CUR_DIRECTION>(halves)
    }
    #[inline(always)]
    unsafe fn store_f16(to: *mut u16, value: __m512) {
        _mm256_storeu_si256(to.cast(), _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(value))
    }
    #[inline(always)]
    unsafe fn store_f16_first(to: *mut u16, value: __m512, count: usize) {
        let halves = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(value);
        _mm256_mask_storeu_epi16(to.cast(), first_mask(count), halves)
    }
    #[inline(always)]
    unsafe fn load_bf16(from: *const u16) -> __m512 {
        _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(_mm256_loadu_si256(from.cast()))))
    }

    #[inline(always)]
    unsafe fn add(a: __m512, b: __m512) -> __m512 {
        _mm512_add_ps(a, b)
    }
    #[inline(always)]
    unsafe fn sub(a: __m512, b: __m512) -> __m512 {
        _mm512_sub_ps(a, b)
    }
    #[inline(always)]
    unsafe fn mul(a: __m512, b: __m512) -> __m512 {
        _mm512_mul_ps(a, b)
    }
    #[inline(always)]
    unsafe fn div(a: __m512, b: __m512) -> __m512 {
        _mm512_div_ps(a, b)
    }
    #[inline(always)]
    unsafe fn fma(a: __m512, b: __m512, c: __m512) -> __m512 {
        _mm512_fmadd_ps(a, b, c)
    }
    #[inline(always)]
    unsafe fn min(a: __m512, b: __m512) -> __m512 {
        _mm512_min_ps(a, b)
    }
    #[inline(always)]
    unsafe fn max(a: __m512, b: __m512) -> __m512 {
        _mm512_max_ps(a, b)
    }
    #[inline(always)]
    unsafe fn abs(a: __m512) -> __m512 {
        _mm512_abs_ps(a)
    }
    #[inline(always)]
    unsafe fn scale_by_power(a: __m512, n: __m512) -> __m512 {
        _mm512_scalef_ps(a, n)
    }
    #[inline(always)]
    unsafe fn reduce_sum(a: __m512) -> f32 {
        _mm512_reduce_add_ps(a)
    }
    #[inline(always)]
    unsafe fn reduce_max(a: __m512) -> f32 {
        _mm512_reduce_max_ps(a)
    }
    #[inline(always)]
    unsafe fn square_root(a: f32) -> f32 {
        _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a)))
    }

    #[inline(always)]
    unsafe fn greater(a: __m512, b: __m512) -> __mmask16 {
        _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b)
    }
    #[inline(always)]
    unsafe fn select(mask: __mmask16, a: __m512, b: __m512) -> __m512 {
        _mm512_mask_blend_ps(mask, b, a)
    }
    #[inline(always)]
    unsafe fn select_ints(mask: __mmask16, a: __m512i, b: __m512i) -> __m512i {
        _mm512_mask_blend_epi32(mask, b, a)
    }

    #[inline(always)]
    unsafe fn splat_int(value: i32) -> __m512i {
        _mm512_set1_epi32(value)
    }
    #[inline(always)]
    unsafe fn load_ints(from: *const u8) -> __m512i {
        _mm512_loadu_si512(from.cast())
    }
    #[inline(always)]
    unsafe fn store_ints(to: *mut i32, value: __m512i) {
        _mm512_storeu_si512(to.cast(), value)
    }
    #[inline(always)]
    unsafe fn load_u8(from: *const u8) -> __m512i {
        _mm512_cvtepu8_epi32(_mm_loadu_si128(from.cast()))
    }
    #[inline(always)]
    unsafe fn load_i8(from: *const i8) -> __m512i {
        _mm512_cvtepi8_epi32(_mm_loadu_si128(from.cast()))
    }
    #[inline(always)]
    unsafe fn store_i8(to: *mut i8, value: __m512i) {
        _mm_storeu_si128(to.cast(), _mm512_cvtepi32_epi8(value))
    }
    #[inline(always)]
    unsafe fn lane_numbers() -> __m512i {
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    }
    #[inline(always)]
    unsafe fn add_ints(a: __m512i, b: __m512i) -> __m512i {
        _mm512_add_epi32(a, b)
    }
    #[inline(always)]
    unsafe fn sub_ints(a: __m512i, b: __m512i) -> __m512i {
        _mm512_sub_epi32(a, b)
    }
    #[inline(always)]
    unsafe fn and(a: __m512i, b: __m512i) -> __m512i {
        _mm512_and_si512(a, b)
    }
    #[inline(always)]
    unsafe fn or(a: __m512i, b: __m512i) -> __m512i {
        _mm512_or_si512(a, b)
    }
    #[inline(always)]
    unsafe fn shift_left<const N: u32>(a: __m512i) -> __m512i {
        _mm512_slli_epi32::<N>(a)
    }
    #[inline(always)]
    unsafe fn shift_right<const N: u32>(a: __m512i) -> __m512i {
        _mm512_srli_epi32::<N>(a)
    }
    #[inline(always)]
    unsafe fn to_floats(a: __m512i) -> __m512 {
        _mm512_cvtepi32_ps(a)
    }
    #[inline(always)]
    unsafe fn to_ints(a: __m512) -> __m512i {
        _mm512_cvtps_epi32(a)
    }
    #[inline(always)]
    unsafe fn max_ints(a: __m512i, b: __m512i) -> __m512i {
        _mm512_max_epi32(a, b)
    }
    #[inline(always)]
    unsafe fn bits(a: __m512) -> __m512i {
        _mm512_castps_si512(a)
    }
    #[inline(always)]
    unsafe fn reduce_max_ints(a: __m512i) -> i32 {
        _mm512_reduce_max_epi32(a)
    }
    #[inline(always)]
    unsafe fn reduce_sum_ints(a: __m512i) -> i32 {
        _mm512_reduce_add_epi32(a)
    }

    #[inline(always)]
    unsafe fn group(activations: *const u8, index: usize) -> __m512i {
        let from = activations.add(4 * index);
        _mm512_set1_epi32(from.cast::<i32>().read_unaligned())
    }
    #[inline(always)]
    unsafe fn dot(sum: __m512i, weights: __m512i, activations: __m512i) -> __m512i {
        _mm512_dpbusd_epi32(sum, weights, activations)
    }
    #[inline(always)]
    unsafe fn dot_both(sum: __m512i, weights: [__m512i; 2], activations: [__m512i; 2]) -> __m512i {
        Self::dot(Self::dot(sum, weights[0], activations[0]), weights[1], activations[1])
    }
    #[inline(always)]
    unsafe fn dot_wide(sum: __m512i, weights: __m512i, activations: __m512i) -> __m512i {
        _mm512_dpbusd_epi32(sum, weights, activations)
    }
    #[inline(always)]
    unsafe fn prefetch(from: *const u8) {
        _mm_prefetch::<_MM_HINT_T0>(from.cast())
    }
}
