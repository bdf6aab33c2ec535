//! The eight 6-bit scales and eight 6-bit minima that Q4_K and Q5_K share.

/// Unpacks `(scales, minima)`. The first four of each are the low six bits of bytes 0–3 and 4–7; the others
/// have their low four bits in bytes 8–11 and their high two in the top bits of the first eight bytes.
#[inline(always)]
pub(super) fn unpack(packed: &[u8; 12]) -> ([u8; 8], [u8; 8]) {
    let (mut scales, mut minima) = ([0; 8], [0; 8]);
    for i in 0..4 {
        scales[i] = packed[i] & 63;
        minima[i] = packed[4 + i] & 63;
        scales[4 + i] = packed[8 + i] & 15 | packed[i] >> 6 << 4;
        minima[4 + i] = packed[8 + i] >> 4 | packed[4 + i] >> 6 << 4;
    }
    (scales, minima)
}
