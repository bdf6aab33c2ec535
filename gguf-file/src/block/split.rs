//! Takes a block apart into its fields, with sizes checked when the crate is compiled.

/// The first `A` of `N` bytes and the `B` others.
#[inline(always)]
pub(super) fn split<const A: usize, const B: usize, const N: usize>(bytes: &[u8; N]) -> (&[u8; A], &[u8; B]) {
    const { assert!(A + B == N, "the parts must be the whole") };
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => (first, last),
        (None, _) | (_, None) => unreachable!("A and B are at most N, as asserted above"),
    }
}
