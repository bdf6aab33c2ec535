//! Scales in a tile: a number for each of its rows.

use super::TILE_ROWS;
use crate::{half::f16_to_f32, isa::Isa};

/// A half-precision number for each row.
#[repr(C)]
pub(crate) struct Halves([[u8; 2]; TILE_ROWS]);

impl Halves {
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, bits: [u8; 2]) {
        self.0[row] = bits;
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> f32 {
        f16_to_f32(u16::from_le_bytes(self.0[row]))
    }

    /// The numbers of the rows from `lane` on, of the `index`th of several.
    #[inline(always)]
    pub(crate) unsafe fn load<I: Isa>(these: *const Self, index: usize, lane: usize) -> I::Floats {
        I::load_f16(these.add(index).cast::<u16>().add(lane))
    }
}

/// A small number for each row, `u8` or `i8`.
#[repr(C)]
pub(crate) struct Small([u8; TILE_ROWS]);

impl Small {
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, number: u8) {
        self.0[row] = number;
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> u8 {
        self.0[row]
    }

    /// As [`Halves::load`], of `u8`.
    #[inline(always)]
    pub(crate) unsafe fn load<I: Isa>(these: *const Self, index: usize, lane: usize) -> I::Floats {
        I::to_floats(I::load_u8(these.add(index).cast::<u8>().add(lane)))
    }

    /// As [`Halves::load`], of `i8`.
    #[inline(always)]
    pub(crate) unsafe fn load_signed<I: Isa>(these: *const Self, index: usize, lane: usize) -> I::Floats {
        I::to_floats(I::load_i8(these.add(index).cast::<i8>().add(lane)))
    }
}
