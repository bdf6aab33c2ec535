//! Q8_0: `d: f16`, 32 `i8`. Values are `d · q`.

use super::half_float::f16;
use crate::endian::ByteOrder;

#[inline(always)]
pub(super) fn decode<O: ByteOrder>(block: &[u8; 34], out: &mut [f32; 32]) {
    let [d0, d1, quants @ ..] = block;
    let d = f16::<O>([*d0, *d1]);
    for i in 0..32 {
        out[i] = f32::from(quants[i] as i8) * d;
    }
}
