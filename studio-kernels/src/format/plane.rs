//! Planes: where the bits of the quantised values of a block of 32 lie in a tile.
//!
//! Elements come in *groups* of four consecutive `k`; group `g` of a row holds elements `4 g ..= 4 g + 3`. Kernels take
//! them in *pairs* of groups, `p` and `p + 4` for `p` in 0..4, because that is what a vector of nibbles holds.

use super::TILE_ROWS;
use crate::isa::Isa;

/// Four bytes for each row of a tile: 64 bytes.
pub(crate) type Vector = [[u8; 4]; TILE_ROWS];

/// The bytes of the lanes from `lane` on of vector `index` of a plane.
#[inline(always)]
unsafe fn load<I: Isa>(plane: *const Vector, index: usize, lane: usize) -> I::Ints {
    I::load_ints(plane.add(index).cast::<u8>().add(4 * lane))
}

/// Four bits a value: vector `p` holds group `p` in the low nibbles and group `p + 4` in the high ones.
#[repr(C)]
pub(crate) struct Nibbles([Vector; 4]);

impl Nibbles {
    /// Byte `i` has element `i` in its low nibble and element `i + 16` in its high one, as ggml's smallest blocks do.
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, bytes: &[u8; 16]) {
        for (vector, group) in self.0.iter_mut().zip(bytes.as_chunks::<4>().0) {
            vector[row] = *group;
        }
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> [u8; 32] {
        let mut values = [0; 32];
        for (i, value) in values.iter_mut().enumerate() {
            *value = self.0[i / 4 % 4][row][i % 4] >> (4 * (i / 16)) & 15;
        }
        values
    }

    /// Pair `pair`.
    #[inline(always)]
    pub(crate) unsafe fn pair<I: Isa>(this: *const Self, pair: usize, lane: usize) -> [I::Ints; 2] {
        let both = load::<I>(this.cast(), pair, lane);
        [I::and(both, I::splat_int(0x0f0f_0f0f)), I::high_nibbles(both)]
    }
}

/// One bit a value: bit `g` belongs to group `g`.
#[repr(C)]
pub(crate) struct Bits(Vector);

impl Bits {
    /// Byte `j` has at bit `g` the bit of element `4 g + j`.
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, bytes: [u8; 4]) {
        self.0[row] = bytes;
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> [u8; 32] {
        core::array::from_fn(|i| self.0[row][i % 4] >> (i / 4) & 1)
    }

    /// Pair `pair`, each bit as the fifth of its byte.
    #[inline(always)]
    pub(crate) unsafe fn pair<I: Isa>(this: *const Self, pair: usize, lane: usize) -> [I::Ints; 2] {
        let bits = load::<I>(this.cast(), 0, lane);
        let (low, high) = match pair {
            0 => (I::shift_left::<4>(bits), bits),
            1 => (I::shift_left::<3>(bits), I::shift_right::<1>(bits)),
            2 => (I::shift_left::<2>(bits), I::shift_right::<2>(bits)),
            _ => (I::shift_left::<1>(bits), I::shift_right::<3>(bits)),
        };
        let mask = I::splat_int(0x1010_1010);
        [I::and(low, mask), I::and(high, mask)]
    }
}

/// Two bits a value: vector `h` holds groups `4 h ..= 4 h + 3`, the lowest bits first.
#[repr(C)]
pub(crate) struct Crumbs([Vector; 2]);

impl Crumbs {
    /// The two bits of each element, in their order.
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, values: &[u8; 32]) {
        for (vector, values) in self.0.iter_mut().zip(values.as_chunks::<16>().0) {
            for j in 0..4 {
                vector[row][j] = values[j] | values[4 + j] << 2 | values[8 + j] << 4 | values[12 + j] << 6;
            }
        }
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> [u8; 32] {
        core::array::from_fn(|i| self.0[i / 16][row][i % 4] >> (2 * (i / 4 % 4)) & 3)
    }

    /// Pair `pair`, the two bits as the fifth and sixth of their byte.
    #[inline(always)]
    pub(crate) unsafe fn pair<I: Isa>(this: *const Self, pair: usize, lane: usize) -> [I::Ints; 2] {
        let mask = I::splat_int(0x3030_3030);
        let (low, high) = (load::<I>(this.cast(), 0, lane), load::<I>(this.cast(), 1, lane));
        let (low, high) = match pair {
            0 => (I::shift_left::<4>(low), I::shift_left::<4>(high)),
            1 => (I::shift_left::<2>(low), I::shift_left::<2>(high)),
            2 => (low, high),
            _ => (I::shift_right::<2>(low), I::shift_right::<2>(high)),
        };
        [I::and(low, mask), I::and(high, mask)]
    }
}

/// Eight bits a value: vector `g` holds group `g`.
#[repr(C)]
pub(crate) struct Bytes([Vector; 8]);

impl Bytes {
    /// The values in their order.
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, values: &[u8; 32]) {
        for (vector, group) in self.0.iter_mut().zip(values.as_chunks::<4>().0) {
            vector[row] = *group;
        }
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> [u8; 32] {
        core::array::from_fn(|i| self.0[i / 4][row][i % 4])
    }

    /// Pair `pair`.
    #[inline(always)]
    pub(crate) unsafe fn pair<I: Isa>(this: *const Self, pair: usize, lane: usize) -> [I::Ints; 2] {
        [load::<I>(this.cast(), pair, lane), load::<I>(this.cast(), pair + 4, lane)]
    }
}

/// Pairs of two planes put together: the values are made of the bits of both.
#[inline(always)]
pub(crate) unsafe fn join<I: Isa>(low: [I::Ints; 2], high: [I::Ints; 2]) -> [I::Ints; 2] {
    [I::or(low[0], high[0]), I::or(low[1], high[1])]
}
