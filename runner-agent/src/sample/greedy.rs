//! The most likely token.

/// How many maxima are kept at once, for the compiler to keep in vector registers.
const LANES: usize = 16;

/// The index of the largest logit, the first of equals; `None` where no logit is a number above negative infinity.
pub(crate) fn argmax(logits: &[f32]) -> Option<u32> {
    let (rows, rest) = logits.as_chunks::<LANES>();
    let mut best = [f32::NEG_INFINITY; LANES];
    for row in rows {
        for (best, &logit) in best.iter_mut().zip(row) {
            // False for NaN, which then loses.
            *best = if logit > *best { logit } else { *best };
        }
    }
    let best = best.iter().chain(rest).copied().fold(f32::NEG_INFINITY, f32::max);
    let index = logits.iter().position(|&logit| logit == best)?;
    (best > f32::NEG_INFINITY).then(|| u32::try_from(index).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_largest_wins() {
        for length in [1, 15, 16, 17, 100] {
            for place in 0..length {
                let mut logits = vec![-1.0; length];
                logits[place] = 3.0;
                logits[length - 1] = 3.0;
                assert_eq!(argmax(&logits), Some(place as u32), "{place} of {length}");
            }
        }
    }

    #[test]
    fn what_is_no_number_never_wins() {
        assert_eq!(argmax(&[f32::NAN, 1.0, f32::NAN, 2.0]), Some(3));
        assert_eq!(argmax(&[f32::NAN; 40]), None);
        assert_eq!(argmax(&[f32::NEG_INFINITY; 2]), None);
        assert_eq!(argmax(&[]), None);
    }
}
