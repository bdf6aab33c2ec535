//! Figures from times.

use std::time::Duration;
use studio_protocol::LatencyPercentiles;

/// A duration in milliseconds.
pub(super) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// How many a second.
pub(super) fn per_second(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// Percentiles by nearest rank: the smallest time that at least so many of a hundred do not exceed. `None` of
/// nothing.
pub(crate) fn percentiles(times: &[Duration]) -> Option<LatencyPercentiles> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let rank = |percent: usize| (sorted.len() * percent).div_ceil(100).max(1) - 1;
    let at = |percent| sorted.get(rank(percent)).copied().map(millis);
    Some(LatencyPercentiles { p50: at(50)?, p90: at(90)?, p99: at(99)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let times: Vec<_> = (1..=200).rev().map(Duration::from_millis).collect();
        assert_eq!(percentiles(&times), Some(LatencyPercentiles { p50: 100.0, p90: 180.0, p99: 198.0 }));
        let one = [Duration::from_millis(7)];
        assert_eq!(percentiles(&one), Some(LatencyPercentiles { p50: 7.0, p90: 7.0, p99: 7.0 }));
        assert_eq!(percentiles(&[]), None);
    }
}
