//! Sums over pairs of numbers.

/// Sums that are added up side by side, so that the loop can be done in vectors.
const LANES: usize = 8;

/// Pairs whose sums are made in lanes before they are added to the totals.
const PART: usize = 4096;

/// What is known of the pairs so far.
#[derive(Debug, Clone, Default)]
pub(super) struct PairSums {
    /// Pairs of which one isn't finite; they are in no other figure.
    pub(super) not_finite: u64,
    /// Pairs of finite numbers.
    pub(super) finite: u64,
    /// Of these, pairs that are equal.
    pub(super) equal: u64,
    /// The greatest difference, and the index of the first pair that has it.
    pub(super) greatest: f64,
    pub(super) greatest_at: u64,
    /// Sums of the differences' magnitudes, of their squares, of the squares of either side, of the products.
    pub(super) absolute: f64,
    pub(super) squared: f64,
    pub(super) first_squares: f64,
    pub(super) second_squares: f64,
    pub(super) products: f64,
}

/// The sums of a part, in lanes.
#[derive(Default)]
struct Lanes {
    equal: [u32; LANES],
    greatest: [f64; LANES],
    absolute: [f64; LANES],
    squared: [f64; LANES],
    first_squares: [f64; LANES],
    second_squares: [f64; LANES],
    products: [f64; LANES],
}

impl PairSums {
    /// Takes in the pairs from index `first` on.
    pub(super) fn take(&mut self, first: u64, a: &[f32], b: &[f32]) {
        for (part, (a, b)) in a.chunks(PART).zip(b.chunks(PART)).enumerate() {
            self.part(first + (part * PART) as u64, a, b);
        }
    }

    fn part(&mut self, first: u64, a: &[f32], b: &[f32]) {
        let (vectors, rest) =
            (a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0), a.len() % LANES);
        let mut lanes = Lanes::default();
        for (a, b) in vectors {
            for lane in 0..LANES {
                let (a, b) = (f64::from(a[lane]), f64::from(b[lane]));
                let difference = (a - b).abs();
                lanes.equal[lane] += u32::from(a == b);
                lanes.greatest[lane] = lanes.greatest[lane].max(difference);
                lanes.absolute[lane] += difference;
                lanes.squared[lane] += difference * difference;
                lanes.first_squares[lane] += a * a;
                lanes.second_squares[lane] += b * b;
                lanes.products[lane] += a * b;
            }
        }
        let sum = |lanes: &[f64; LANES]| lanes.iter().sum::<f64>();
        // Squares of finite singles, and sums of a few thousand of them, are finite.
        if rest > 0 || !(sum(&lanes.first_squares) + sum(&lanes.second_squares)).is_finite() {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                self.pair(first + index as u64, *a, *b);
            }
            return;
        }
        self.finite += a.len() as u64;
        self.equal += lanes.equal.iter().map(|count| u64::from(*count)).sum::<u64>();
        self.absolute += sum(&lanes.absolute);
        self.squared += sum(&lanes.squared);
        self.first_squares += sum(&lanes.first_squares);
        self.second_squares += sum(&lanes.second_squares);
        self.products += sum(&lanes.products);
        let greatest = lanes.greatest.into_iter().fold(0.0, f64::max);
        if greatest > self.greatest {
            let at = a.iter().zip(b).position(|(a, b)| (f64::from(*a) - f64::from(*b)).abs() == greatest);
            self.greatest = greatest;
            self.greatest_at = first + at.unwrap_or(0) as u64;
        }
    }

    fn pair(&mut self, index: u64, a: f32, b: f32) {
        if !a.is_finite() || !b.is_finite() {
            self.not_finite += 1;
            return;
        }
        let (a, b) = (f64::from(a), f64::from(b));
        let difference = (a - b).abs();
        self.finite += 1;
        self.equal += u64::from(a == b);
        self.absolute += difference;
        self.squared += difference * difference;
        self.first_squares += a * a;
        self.second_squares += b * b;
        self.products += a * b;
        if difference > self.greatest {
            self.greatest = difference;
            self.greatest_at = index;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_counted_and_left_out() {
        let mut a = vec![1.0_f32; 10_000];
        let mut b = a.clone();
        (a[17], b[4097], b[9_999], a[5_000]) = (f32::NAN, f32::INFINITY, f32::NAN, 3.0);
        let mut sums = PairSums::default();
        sums.take(100, &a, &b);
        assert_eq!((sums.not_finite, sums.finite, sums.equal), (3, 9_997, 9_996));
        assert_eq!((sums.greatest, sums.greatest_at, sums.absolute, sums.squared), (2.0, 5_100, 2.0, 4.0));
        assert_eq!((sums.first_squares, sums.second_squares, sums.products), (10_005.0, 9_997.0, 9_999.0));
    }
}
