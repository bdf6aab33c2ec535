//! A picture of a matrix: the mean magnitude of the elements under each of its pixels.

use serde::{Deserialize, Serialize};

/// The most pixels each way.
const MOST_ROWS: u64 = 128;
const MOST_COLUMNS: u64 = 192;

/// Mean magnitudes over a matrix, or over the rows of all matrices of a tensor with more dimensions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    /// Pixels from top to bottom: each covers as many of the tensor's rows as any other, or one more.
    pub rows: usize,
    /// Pixels from left to right, over the first dimension.
    pub columns: usize,
    /// Row by row, the mean magnitude of the finite elements under a pixel; 0 where there is none.
    pub mean_magnitude: Vec<f32>,
}

/// Sums under each pixel.
#[derive(Debug, Clone)]
pub(super) struct HeatSum {
    matrix_rows: u64,
    matrix_columns: u64,
    rows: u64,
    columns: u64,
    sums: Vec<f64>,
    counts: Vec<u64>,
}

impl HeatSum {
    pub(super) fn new(matrix_rows: u64, matrix_columns: u64) -> Self {
        let (rows, columns) = (matrix_rows.min(MOST_ROWS), matrix_columns.min(MOST_COLUMNS));
        let pixels = (rows * columns) as usize;
        Self { matrix_rows, matrix_columns, rows, columns, sums: vec![0.0; pixels], counts: vec![0; pixels] }
    }

    /// Takes elements in, of which the first is number `first` of the tensor.
    pub(super) fn take(&mut self, first: u64, values: &[f32]) {
        let (mut at, mut rest) = (first, values);
        while !rest.is_empty() {
            let (row, column) = (at / self.matrix_columns, at % self.matrix_columns);
            let line = scaled(row, self.rows, self.matrix_rows);
            let pixel = scaled(column, self.columns, self.matrix_columns);
            // The first column under the next pixel; beyond the last pixel, the row's end.
            let end = ((pixel + 1) * self.matrix_columns).div_ceil(self.columns);
            let count = ((end - column) as usize).min(rest.len());
            let (now, later) = rest.split_at(count);
            self.add((line * self.columns + pixel) as usize, now);
            (at, rest) = (at + count as u64, later);
        }
    }

    fn add(&mut self, pixel: usize, values: &[f32]) {
        let (mut sum, mut count) = (0.0, values.len() as u64);
        for value in values {
            sum += f64::from(value.abs());
        }
        if !sum.is_finite() {
            let finite = values.iter().filter(|value| value.is_finite());
            (sum, count) =
                finite.fold((0.0, 0), |(sum, count), value| (sum + f64::from(value.abs()), count + 1));
        }
        self.sums[pixel] += sum;
        self.counts[pixel] += count;
    }

    pub(super) fn finish(self) -> Heat {
        let mean = |(sum, count): (&f64, &u64)| (sum / (*count).max(1) as f64) as f32;
        Heat {
            rows: self.rows as usize,
            columns: self.columns as usize,
            mean_magnitude: self.sums.iter().zip(&self.counts).map(mean).collect(),
        }
    }
}

/// `index` of `from`, in a scale of `to`.
fn scaled(index: u64, to: u64, from: u64) -> u64 {
    (u128::from(index) * u128::from(to) / u128::from(from.max(1))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any way to cut the tensor gives what adding up element by element gives.
    #[test]
    fn pixels_cover_every_element_once() {
        for (rows, columns) in [(2, 3), (300, 500), (129, 193), (128, 192), (1000, 7)] {
            let values: Vec<f32> = (0..rows * columns).map(|at| (at % 17) as f32 - 8.0).collect();
            let mut heat = HeatSum::new(rows, columns);
            let mut at = 0;
            for part in values.chunks(61) {
                heat.take(at, part);
                at += part.len() as u64;
            }
            assert_eq!(heat.counts.iter().sum::<u64>(), rows * columns);
            let mut want = vec![(0.0, 0_u64); heat.counts.len()];
            for (at, value) in (0_u64..).zip(&values) {
                let line = at / columns * heat.rows / rows;
                let pixel = at % columns * heat.columns / columns;
                let cell = &mut want[(line * heat.columns + pixel) as usize];
                *cell = (cell.0 + f64::from(value.abs()), cell.1 + 1);
            }
            let got: Vec<_> = heat.sums.iter().copied().zip(heat.counts.iter().copied()).collect();
            assert_eq!(got, want, "{rows} × {columns}");
        }
    }
}
