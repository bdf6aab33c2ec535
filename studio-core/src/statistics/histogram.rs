//! How often which values come, without knowing their range beforehand.

use serde::{Deserialize, Serialize};

/// Bins while counting, from −r to r where r is a power of two.
const BINS: usize = 4096;

/// Bins that are shown, at most.
const SHOWN: usize = 128;

/// Counts of the finite elements in bins of equal width. A bin has its lower edge and not its upper one; 0 is an edge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// The lower edge of the first bin.
    pub low: f64,
    /// The upper edge of the last.
    pub high: f64,
    /// The elements in each bin: 64 to 128 of them, or none where nothing is finite.
    pub counts: Vec<u64>,
}

/// Bins that grow with the values.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    /// r; 0 until something other than 0 came. Twice the greatest `f32` is none.
    reach: f64,
    counts: Vec<u64>,
    /// Zeros that came before there were bins.
    zeros: u64,
}

impl Counts {
    /// Counts elements, of which the finite ones are at most `greatest` in magnitude.
    pub(super) fn take(&mut self, values: &[f32], greatest: f32) {
        self.reach_to(f64::from(greatest));
        if self.reach == 0.0 {
            self.zeros += values.iter().filter(|value| **value == 0.0).count() as u64;
            return;
        }
        let bins_to_one = (BINS / 2) as f64 / self.reach;
        for &value in values {
            if value.is_finite() {
                // From −BINS/2 up to but not BINS/2; an edge belongs to the bin above it.
                let bin = (f64::from(value) * bins_to_one).floor() as i32 + (BINS / 2) as i32;
                if let Some(count) = self.counts.get_mut(bin as usize) {
                    *count += 1;
                }
            }
        }
    }

    /// Makes the bins so wide that they hold `greatest`.
    fn reach_to(&mut self, greatest: f64) {
        if greatest == 0.0 || greatest < self.reach {
            return;
        }
        let wanted = power_above(greatest);
        if self.reach == 0.0 {
            self.counts = vec![0; BINS];
            self.counts[BINS / 2] = self.zeros;
            self.reach = wanted;
        }
        while self.reach < wanted {
            self.reach *= 2.0;
            let mut halves = vec![0; BINS];
            for (at, count) in self.counts.iter().enumerate() {
                halves[BINS / 4 + at / 2] += count;
            }
            self.counts = halves;
        }
    }

    /// The bins between the least and the greatest value, joined until they are few enough to be seen.
    pub(super) fn finish(self) -> Histogram {
        let first = self.counts.iter().position(|count| *count > 0);
        let last = self.counts.iter().rposition(|count| *count > 0);
        let (Some(first), Some(last)) = (first, last) else {
            return match self.zeros {
                0 => Histogram { low: 0.0, high: 0.0, counts: Vec::new() },
                zeros => Histogram { low: 0.0, high: f64::from(f32::MIN_POSITIVE), counts: vec![zeros] },
            };
        };
        let mut width = 1;
        while last / width - first / width + 1 > SHOWN {
            width *= 2;
        }
        let (first, last) = (first / width, last / width);
        let counts =
            (first..=last).map(|bin| self.counts[bin * width..(bin + 1) * width].iter().sum()).collect();
        let edge = |bin: usize| self.reach * ((bin * width) as f64 / (BINS / 2) as f64 - 1.0);
        Histogram { low: edge(first), high: edge(last + 1), counts }
    }
}

/// The least power of two above a positive `f32`.
fn power_above(value: f64) -> f64 {
    // Exact: every f32, subnormal ones too, is a normal f64.
    let exponent = (value.to_bits() >> 52) as i32 - 1023;
    2.0_f64.powi(exponent + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(parts: &[&[f32]]) -> Histogram {
        let mut counts = Counts::default();
        for part in parts {
            let finite = part.iter().filter(|value| value.is_finite());
            counts.take(part, finite.fold(0.0, |max, value| max.max(value.abs())));
        }
        counts.finish()
    }

    #[test]
    fn nothing_is_lost_when_the_range_grows() {
        let found = counted(&[&[0.0, 0.0], &[0.001, -0.001], &[1.0, -1.0, 0.5], &[1000.0, f32::NAN]]);
        assert_eq!(found.counts.iter().sum::<u64>(), 8);
        assert!(found.low <= -1.0 && found.high > 1000.0, "{found:?}");
    }

    #[test]
    fn edges_belong_to_the_bin_above() {
        let found = counted(&[&[-1.0, -0.75, 0.0, 0.5, 0.75]]);
        let width = (found.high - found.low) / found.counts.len() as f64;
        let bin = |value: f64| ((value - found.low) / width) as usize;
        for value in [-1.0, -0.75, 0.0, 0.5, 0.75] {
            assert_eq!(found.counts[bin(value)], 1, "{value} in {found:?}");
        }
    }

    #[test]
    fn extremes_and_nothing() {
        assert_eq!(counted(&[&[0.0; 3]]).counts, [3]);
        assert_eq!(counted(&[&[f32::NAN, f32::INFINITY]]).counts, [0_u64; 0]);
        for value in [f32::MAX, f32::MIN_POSITIVE, 1e-45, 3e38] {
            let found = counted(&[&[value, -value]]);
            assert_eq!(found.counts.iter().sum::<u64>(), 2, "{value:e}: {found:?}");
        }
    }
}
