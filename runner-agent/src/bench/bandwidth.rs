//! How fast this machine reads memory: the roof of every decoder, measured in the same run as it.

use crate::machine::memory_bytes;
use std::{hint::black_box, thread, time::Instant};

/// Larger than any processor's caches.
const BUFFER_BYTES: usize = 1 << 30;

/// Values summed at once: several vector registers of any width, so that additions don't wait for each other.
const LANES: usize = 64;

/// Passes of which the fastest counts; the first brings nothing into a cache that it would leave there.
const PASSES: usize = 3;

/// A buffer to read.
pub(super) struct Memory(Vec<u64>);

impl Memory {
    /// A buffer of 1 GiB, or a quarter of the machine's memory where that is less.
    pub(super) fn new() -> Self {
        let quarter = usize::try_from(memory_bytes() / 4).unwrap_or(usize::MAX);
        let bytes = BUFFER_BYTES.min(quarter.max(1 << 20));
        Self((0..bytes as u64 / 8).collect())
    }

    /// Bytes a second that so many threads read together, each its own part once, summing it.
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
        (0..PASSES).map(|_| pass()).fold(0.0, f64::max)
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
