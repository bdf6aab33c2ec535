//! Activations in eight bits, and in singles.

use super::{Activations, Source, make};
use crate::{
    abi::{ACTIVATION_BLOCK, MAX_K, activation_bytes},
    isa::Isa,
};
use core::mem::size_of;

/// 32 activations: quants with a scale, and what sums of products with biased weights begin with.
#[repr(C)]
pub(crate) struct Block {
    quants: [i8; 32],
    scale: f32,
    /// `scale` times the sum of the quants: what a minimum of the weights is multiplied with.
    scaled_sum: f32,
    /// The sum of the quants times -8, -16 and -128.
    starts: [i32; 3],
    /// The sums of the first and of the second half times -32.
    half_starts: [i32; 2],
    _padding: u32,
}

impl Block {
    /// Group `index` of its quants.
    #[inline(always)]
    pub(crate) unsafe fn group<I: Isa>(this: *const u8, index: usize) -> I::Group {
        I::group(this, index)
    }

    #[inline(always)]
    pub(crate) unsafe fn scale<I: Isa>(this: *const u8) -> I::Floats {
        I::splat((*this.cast::<Block>()).scale)
    }

    #[inline(always)]
    pub(crate) unsafe fn scaled_sum<I: Isa>(this: *const u8) -> I::Floats {
        I::splat((*this.cast::<Block>()).scaled_sum)
    }

    /// What a sum over all 32 begins with, so that `bias` times the sum of the activations is taken off it.
    #[inline(always)]
    pub(crate) unsafe fn start<I: Isa>(this: *const u8, bias: i32) -> I::Ints {
        let [eight, sixteen, wide] = (*this.cast::<Block>()).starts;
        match bias {
            8 => I::splat_int(eight),
            16 => I::splat_int(sixteen),
            128 => I::splat_int(wide),
            _ => I::splat_int(0),
        }
    }

    /// As [`Block::start`], of both halves, for a bias of 32.
    #[inline(always)]
    pub(crate) unsafe fn half_starts<I: Isa>(this: *const u8) -> [I::Ints; 2] {
        let [first, second] = (*this.cast::<Block>()).half_starts;
        [I::splat_int(first), I::splat_int(second)]
    }

    /// Quantises 32 elements. What isn't finite makes the scale NaN or infinite.
    #[inline(always)]
    unsafe fn make<I: Isa>(&mut self, elements: *const f32) {
        let mut greatest = I::splat_int(0);
        let mut at = 0;
        while at < ACTIVATION_BLOCK {
            // As integers, magnitudes keep their order, and NaN is greater than all.
            greatest = I::max_ints(greatest, I::bits(I::abs(I::load(elements.add(at)))));
            at += I::LANES;
        }
        let greatest = f32::from_bits(I::reduce_max_ints(greatest) as u32);
        // Numbers so small that the factor would be infinite are taken as zeros.
        let factor = if greatest > 1e-35 { 127.0 / greatest } else { 0.0 };
        let mut sums = [0i32; 2];
        let mut at = 0;
        while at < ACTIVATION_BLOCK {
            let quants = I::to_ints(I::mul(I::load(elements.add(at)), I::splat(factor)));
            I::store_i8(self.quants.as_mut_ptr().add(at), quants);
            let sum = I::reduce_sum_ints(quants);
            if at < ACTIVATION_BLOCK / 2 {
                sums[0] = sums[0].wrapping_add(sum);
            } else {
                sums[1] = sums[1].wrapping_add(sum);
            }
            at += I::LANES;
        }
        let sum = sums[0].wrapping_add(sums[1]);
        self.scale = greatest * (1.0 / 127.0);
        self.scaled_sum = self.scale * sum as f32;
        self.starts = [sum.wrapping_mul(-8), sum.wrapping_mul(-16), sum.wrapping_mul(-128)];
        self.half_starts = [sums[0].wrapping_mul(-32), sums[1].wrapping_mul(-32)];
        self._padding = 0;
    }
}

const _: () = assert!(size_of::<Block>() == activation_bytes(ACTIVATION_BLOCK));

/// Memory that begins with a line of 64 bytes.
#[repr(C, align(64))]
pub(crate) struct Lines<T>(T);

/// Blocks of 32.
pub(crate) struct Quantised;

impl Activations for Quantised {
    type Buffer = Lines<[Block; MAX_K / ACTIVATION_BLOCK]>;

    #[inline(always)]
    fn row_bytes(k: usize) -> usize {
        activation_bytes(k)
    }

    #[inline(always)]
    unsafe fn make<I: Isa>(source: Source, k: usize, to: *mut u8) {
        let to = to.cast::<Block>();
        let source = source.measured::<I>(k);
        let mut squares = I::splat(0.0);
        for index in 0..k / ACTIVATION_BLOCK {
            let mut elements = [0.0; ACTIVATION_BLOCK];
            let mut at = 0;
            while at < ACTIVATION_BLOCK {
                let values = source.load::<I>(index * ACTIVATION_BLOCK + at, I::LANES, &mut squares);
                I::store(elements.as_mut_ptr().add(at), values);
                at += I::LANES;
            }
            (*to.add(index)).make::<I>(elements.as_ptr());
        }
        if source.is_rms_norm() {
            let factor = source.norm::<I>(squares, k);
            for index in 0..k / ACTIVATION_BLOCK {
                (*to.add(index)).scale *= factor;
                (*to.add(index)).scaled_sum *= factor;
            }
        }
    }

    #[inline(always)]
    unsafe fn of<I: Isa>(source: Source, k: usize, buffer: *mut Self::Buffer) -> *const u8 {
        make::<I, Self>(source, k, buffer.cast());
        buffer.cast()
    }
}

/// `f32`.
pub(crate) struct Singles;

impl Activations for Singles {
    type Buffer = Lines<[f32; MAX_K]>;

    #[inline(always)]
    fn row_bytes(k: usize) -> usize {
        k * size_of::<f32>()
    }

    #[inline(always)]
    unsafe fn make<I: Isa>(source: Source, k: usize, to: *mut u8) {
        let to = to.cast::<f32>();
        let source = source.measured::<I>(k);
        let mut squares = I::splat(0.0);
        let mut at = 0;
        while at < k {
            let values = source.load::<I>(at, k - at, &mut squares);
            store::<I>(to.add(at), values, k - at);
            at += I::LANES;
        }
        if source.is_rms_norm() {
            let factor = I::splat(source.norm::<I>(squares, k));
            let mut at = 0;
            while at < k {
                let values =
                    if k - at >= I::LANES { I::load(to.add(at)) } else { I::load_first(to.add(at), k - at) };
                store::<I>(to.add(at), I::mul(values, factor), k - at);
                at += I::LANES;
            }
        }
    }

    #[inline(always)]
    unsafe fn of<I: Isa>(source: Source, k: usize, buffer: *mut Self::Buffer) -> *const u8 {
        if let Some(elements) = source.plain() {
            return elements.cast();
        }
        make::<I, Self>(source, k, buffer.cast());
        buffer.cast()
    }
}

/// Stores `count` lanes, or all.
#[inline(always)]
unsafe fn store<I: Isa>(to: *mut f32, values: I::Floats, count: usize) {
    if count >= I::LANES { I::store(to, values) } else { I::store_first(to, values, count) }
}
