//! How fast this machine reads as many bytes as a token does: the roof of every decoder, measured in the same run as it.
//!
//! Not how fast it reads memory: servers have caches of hundreds of megabytes, in which a small model's weights stay from
//! one token to the next.

use crate::machine::memory_bytes;
use std::{hint::black_box, thread, time::Instant};

/// Values summed at once: several vector registers of any width, so that additions don't wait for each other.
const LANES: usize = 64;

/// Bytes read in a round, at least: one pass over a small model would be over before its threads have started.
const ROUND_BYTES: usize = 1 << 30;

/// A buffer to read.
pub(super) struct Memory(Vec<u64>);

impl Memory {
    /// A buffer of so many bytes, or of 1 GiB, which no cache holds, or of a quarter of the machine's memory: the least.
    pub(super) fn new(bytes: u64) -> Self {
        let bytes = bytes.min(1 << 30).min(memory_bytes() / 4);
        Self((0..bytes / 8).collect())
    }

    /// Bytes a second that so many threads read together, each its own part, summing it: the fastest of several passes.
    pub(super) fn read(&self, threads: usize) -> f64 {
        let pass = || {
            let start = Instant::now();
            thread::scope(|scope| {
                let part = self.0.len().div_ceil(threads.max(1)).max(1);
                let mut parts = self.0.chunks(part);
                let own = parts.next().unwrap_or_default();
                for part in parts {
                    scope.spawn(|| black_box(sum(part)));
                }
                black_box(sum(own));
            });
            size_of_val(self.0.as_slice()) as f64 / start.elapsed().as_secs_f64()
        };
        let passes = ROUND_BYTES.div_ceil(size_of_val(self.0.as_slice()).max(1)).clamp(3, 1000);
        (0..passes).map(|_| pass()).fold(0.0, f64::max)
    }
}

fn sum(values: &[u64]) -> u64 {
    let (rows, rest) = values.as_chunks::<LANES>();
    let mut sums = [0_u64; LANES];
    for row in rows {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum = sum.wrapping_add(*value));
    }
    sums.iter().chain(rest).fold(0, |sum, value| sum.wrapping_add(*value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_read() {
        for count in [0_u64, 1, 63, 64, 65, 1000] {
            let values: Vec<u64> = (0..count).collect();
            assert_eq!(sum(&values), count * count.saturating_sub(1) / 2);
        }
    }
}
