//! F16, BF16 and F32: plain numbers, `[k][16 rows]`.

use super::{Format, Plain, TILE_ROWS, TileFormat};
use crate::{half::f16_to_f32, isa::Isa};

macro_rules! plain {
    ($name:ident, $bytes:literal, $widen:expr, $isa:ident, $from:ident => $load:expr) => {
        pub(crate) struct $name;

        impl Format for $name {
            const FORMAT: TileFormat = TileFormat::$name;
            type Block = [u8; $bytes];
            type Unit = [[u8; $bytes]; TILE_ROWS];

            #[inline(always)]
            fn put(unit: &mut Self::Unit, _index: usize, row: usize, number: &[u8; $bytes]) {
                unit[row] = *number;
            }

            #[inline]
            fn get(unit: &Self::Unit, row: usize, out: &mut [f32]) {
                let widen: fn([u8; $bytes]) -> f32 = $widen;
                out.fill(widen(unit[row]));
            }
        }

        impl Plain for $name {
            #[inline(always)]
            unsafe fn load<$isa: Isa>(unit: *const Self::Unit, lane: usize) -> $isa::Floats {
                let $from = unit.cast::<[u8; $bytes]>().add(lane);
                $load
            }
        }
    };
}

plain!(F16, 2, |bits| f16_to_f32(u16::from_le_bytes(bits)), I, from => I::load_f16(from.cast()));
plain!(BF16, 2, |bits| f32::from_bits(u32::from(u16::from_le_bytes(bits)) << 16), I, from => I::load_bf16(from.cast()));
plain!(F32, 4, f32::from_le_bytes, I, from => I::load(from.cast()));
