//! Counts, extremes and sums.

/// What is known of the elements so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Moments {
    pub(super) nan: u64,
    pub(super) infinite: u64,
    pub(super) zeros: u64,
    finite: u64,
    min: Option<f32>,
    max: Option<f32>,
    sum: f64,
    squares: f64,
}

/// Sums that are added up side by side, so that the loop can be done in vectors.
const LANES: usize = 16;

/// Elements whose sum is made in `f64` lanes before it is added to the total.
const PART: usize = 4096;

impl Moments {
    /// Takes elements in and gives the greatest magnitude among the finite ones.
    pub(super) fn take(&mut self, values: &[f32]) -> f32 {
        values.chunks(PART).map(|part| self.part(part)).fold(0.0, f32::max)
    }

    fn part(&mut self, values: &[f32]) -> f32 {
        let (mut low, mut high) = ([f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
        let (mut sums, mut squares) = ([0.0_f64; LANES], [0.0_f64; LANES]);
        let mut zeros = [0_u32; LANES];
        let (vectors, rest) = values.as_chunks::<LANES>();
        for values in vectors {
            for lane in 0..LANES {
                let value = values[lane];
                low[lane] = low[lane].min(value);
                high[lane] = high[lane].max(value);
                sums[lane] += f64::from(value);
                squares[lane] += f64::from(value) * f64::from(value);
                zeros[lane] += u32::from(value == 0.0);
            }
        }
        let sum: f64 = sums.iter().sum();
        if sum.is_finite() && rest.is_empty() {
            let low = low.into_iter().fold(f32::INFINITY, f32::min);
            let high = high.into_iter().fold(f32::NEG_INFINITY, f32::max);
            self.zeros += zeros.iter().map(|count| u64::from(*count)).sum::<u64>();
            self.add(values.len() as u64, [low, high], [sum, squares.iter().sum()]);
            return high.abs().max(low.abs());
        }
        // Something in it isn't finite (a sum of so few finite singles is), or it is the last part: one by one.
        values.iter().map(|value| self.one(*value)).fold(0.0, f32::max)
    }

    fn one(&mut self, value: f32) -> f32 {
        if value.is_nan() {
            self.nan += 1;
            return 0.0;
        }
        if value.is_infinite() {
            self.infinite += 1;
            return 0.0;
        }
        self.zeros += u64::from(value == 0.0);
        self.add(1, [value, value], [f64::from(value), f64::from(value) * f64::from(value)]);
        value.abs()
    }

    fn add(&mut self, count: u64, [low, high]: [f32; 2], [sum, squares]: [f64; 2]) {
        self.finite += count;
        self.min = Some(self.min.map_or(low, |min| min.min(low)));
        self.max = Some(self.max.map_or(high, |max| max.max(high)));
        self.sum += sum;
        self.squares += squares;
    }

    /// Least, greatest, mean and standard deviation of the finite elements.
    pub(super) fn summary(&self) -> [Option<f64>; 4] {
        let count = self.finite as f64;
        let mean = (self.finite > 0).then(|| self.sum / count);
        let std = mean.map(|mean| (self.squares / count - mean * mean).max(0.0).sqrt());
        [self.min.map(f64::from), self.max.map(f64::from), mean, std]
    }
}
