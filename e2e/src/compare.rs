//! How far two sets of logits are apart.

/// What [`logits`] found.
#[derive(Debug, Clone, Copy)]
pub struct Distance {
    /// The largest difference, relative to the range of the reference's logits.
    pub max_relative: f64,
    /// The mean over positions of the Kullback-Leibler divergence from the reference, in nats.
    pub mean_kl: f64,
    /// The share of positions where both have the same best token.
    pub top1_agreement: f64,
}

/// Compares row by row; `vocabulary` values make a row.
pub fn logits(reference: &[f32], ours: &[f32], vocabulary: usize) -> Distance {
    assert_eq!(reference.len(), ours.len(), "as many logits on both sides");
    let rows: Vec<_> = reference.chunks_exact(vocabulary).zip(ours.chunks_exact(vocabulary)).collect();
    let count = rows.len() as f64;
    Distance {
        max_relative: largest_difference(reference, ours) / range(reference),
        mean_kl: rows.iter().map(|(want, got)| divergence(want, got)).sum::<f64>() / count,
        top1_agreement: rows.iter().filter(|(want, got)| best(want) == best(got)).count() as f64 / count,
    }
}

/// The index of the largest; the first of equals.
pub fn best(row: &[f32]) -> usize {
    row.iter().enumerate().fold((0, f32::NEG_INFINITY), |top, (i, &x)| if x > top.1 { (i, x) } else { top }).0
}

/// From the least to the greatest.
pub fn range(logits: &[f32]) -> f64 {
    let (low, high) = logits.iter().fold((f32::MAX, f32::MIN), |(low, high), &x| (low.min(x), high.max(x)));
    f64::from(high - low)
}

fn largest_difference(want: &[f32], got: &[f32]) -> f64 {
    // A NaN must count as infinitely wrong, and `f64::max` would drop it.
    let difference =
        |(a, b): (&f32, &f32)| if b.is_finite() { f64::from((a - b).abs()) } else { f64::INFINITY };
    want.iter().zip(got).map(difference).fold(0.0, f64::max)
}

fn divergence(want: &[f32], got: &[f32]) -> f64 {
    let (p, q) = (log_softmax(want), log_softmax(got));
    p.iter().zip(&q).map(|(p, q)| p.exp() * (p - q)).sum()
}

fn log_softmax(row: &[f32]) -> Vec<f64> {
    let max = f64::from(row[best(row)]);
    let sum: f64 = row.iter().map(|&x| (f64::from(x) - max).exp()).sum();
    row.iter().map(|&x| f64::from(x) - max - sum.ln()).collect()
}
