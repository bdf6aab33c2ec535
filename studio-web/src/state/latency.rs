//! The chart of how long each token took: bars as fractions of the chart's height.

/// The most bars; a longer run shows the slowest token of each stretch.
pub const MAX_BARS: usize = 160;

/// The chart's bars and its scale.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// Heights from 0 to 1, in order.
    pub bars: Vec<f64>,
    /// What a height of 1 stands for, in milliseconds.
    pub top_ms: f64,
    /// The median, in milliseconds.
    pub median_ms: f64,
}

/// The chart of these latencies. One outlier does not flatten the rest: the top is four medians at most.
pub fn chart(latencies_ms: &[f64]) -> Chart {
    if latencies_ms.is_empty() {
        return Chart::default();
    }
    let mut sorted = latencies_ms.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median_ms = sorted[sorted.len() / 2];
    let largest = sorted[sorted.len() - 1];
    let top_ms = largest.min(4.0 * median_ms).max(f64::MIN_POSITIVE);
    let stretch = latencies_ms.len().div_ceil(MAX_BARS);
    let slowest = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
    let bars = latencies_ms.chunks(stretch).map(|part| (slowest(part) / top_ms).min(1.0)).collect();
    Chart { bars, top_ms, median_ms }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_outlier_does_not_flatten_the_rest() {
        let chart = chart(&[2.0, 2.0, 2.0, 200.0]);
        assert_eq!(chart.top_ms, 8.0);
        assert_eq!(chart.bars, [0.25, 0.25, 0.25, 1.0]);
        assert_eq!(chart.median_ms, 2.0);
    }

    #[test]
    fn a_long_run_shows_the_slowest_of_each_stretch() {
        let mut latencies = vec![1.0; 1_000];
        latencies[500] = 3.0;
        let chart = chart(&latencies);
        assert!(chart.bars.len() <= MAX_BARS);
        assert_eq!(chart.bars.iter().filter(|&&bar| bar == 1.0).count(), 1);
    }

    #[test]
    fn nothing_gives_an_empty_chart() {
        assert!(chart(&[]).bars.is_empty());
    }
}
