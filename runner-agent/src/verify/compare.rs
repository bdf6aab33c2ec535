//! Two files of logits, row by row. Memory holds two rows.

use crate::sample::argmax;
use std::io::{self, Read};
use studio_protocol::{Distances, Position};

/// How many of the worst positions are named.
const WORST: usize = 5;

/// Compares our rows, one after each part of `step` tokens, with the reference's rows, one after each token. Both are
/// little-endian f32, `vocabulary` to a row.
pub(crate) fn compare(
    mut reference: impl Read,
    mut ours: impl Read,
    vocabulary: usize,
    tokens: &[u32],
    step: usize,
    margin: f64,
) -> io::Result<Distances> {
    let (mut want, mut got) = (vec![0.0; vocabulary], vec![0.0; vocabulary]);
    let mut positions = Vec::new();
    for (index, &token) in tokens.iter().enumerate() {
        read_row(&mut reference, &mut want)?;
        if (index + 1).is_multiple_of(step.max(1)) || index + 1 == tokens.len() {
            read_row(&mut ours, &mut got)?;
            positions.push(position(index as u32, token, &want, &got));
        }
    }
    Ok(summary(positions, margin))
}

fn read_row(file: &mut impl Read, row: &mut [f32]) -> io::Result<()> {
    let mut bytes = vec![0; size_of_val(row)];
    file.read_exact(&mut bytes)?;
    for (value, bytes) in row.iter_mut().zip(bytes.as_chunks().0) {
        *value = f32::from_le_bytes(*bytes);
    }
    Ok(())
}

fn position(position: u32, token: u32, want: &[f32], got: &[f32]) -> Position {
    let difference = |(a, b): (&f32, &f32)| {
        let difference = f64::from((a - b).abs());
        // `f64::max` would drop what is no number.
        if difference.is_nan() { f64::INFINITY } else { difference }
    };
    let (eager, compiled) = (argmax(want).unwrap_or_default(), argmax(got).unwrap_or_default());
    let best = want.get(eager as usize).copied().unwrap_or_default();
    let others = want.iter().enumerate().filter(|(index, _)| *index != eager as usize);
    let second = others.map(|(_, logit)| *logit).fold(f32::NEG_INFINITY, f32::max);
    Position {
        position,
        token,
        kl: divergence(want, got),
        max_abs_logit_diff: want.iter().zip(got).map(difference).fold(0.0, f64::max),
        compiled,
        eager,
        eager_margin: f64::from(best - second),
    }
}

/// The Kullback-Leibler divergence of softmax(got) from softmax(want), in nats; infinite where one is no distribution.
fn divergence(want: &[f32], got: &[f32]) -> f64 {
    let (log_p, log_q) = (log_sum(want), log_sum(got));
    let term = |(a, b): (&f32, &f32)| {
        let (a, b) = (f64::from(*a) - log_p, f64::from(*b) - log_q);
        a.exp() * (a - b)
    };
    let sum: f64 = want.iter().zip(got).map(term).sum();
    if sum.is_nan() { f64::INFINITY } else { sum.max(0.0) }
}

/// The logarithm of the sum of exponentials.
fn log_sum(row: &[f32]) -> f64 {
    let max = f64::from(row.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    max + row.iter().map(|&logit| (f64::from(logit) - max).exp()).sum::<f64>().ln()
}

fn summary(mut positions: Vec<Position>, margin: f64) -> Distances {
    let count = positions.len();
    let agree = |position: &&Position| position.compiled == position.eager;
    let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    let clear: Vec<_> = positions.iter().filter(|position| position.eager_margin > margin).collect();
    let distances = Distances {
        positions: count as u32,
        max_abs_logit_diff: positions.iter().map(|position| position.max_abs_logit_diff).fold(0.0, f64::max),
        mean_kl: positions.iter().map(|position| position.kl).sum::<f64>() / count.max(1) as f64,
        top1_agreement: share(positions.iter().filter(agree).count(), count),
        top1_agreement_above_margin: share(
            clear.iter().filter(|position| agree(position)).count(),
            clear.len(),
        ),
        positions_above_margin: clear.len() as u32,
        worst: Vec::new(),
    };
    positions.sort_by(|a, b| b.kl.total_cmp(&a.kl));
    positions.truncate(WORST);
    Distances { worst: positions, ..distances }
}

#[cfg(test)]
mod tests {
    use super::super::limits::hold;
    use super::*;
    use studio_protocol::Limits;

    const LIMITS: Limits = Limits { mean_kl: 1e-4, top1_agreement: 0.99, margin: 0.1 };

    fn file(rows: &[&[f32]]) -> Vec<u8> {
        rows.concat().iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn equal_logits_are_no_distance_apart_and_a_constant_neither() {
        let reference = file(&[&[1.0, 2.0, 3.0], &[0.0, 5.0, -1.0]]);
        let shifted = file(&[&[11.0, 12.0, 13.0], &[0.0, 5.0, -1.0]]);
        let found = compare(&reference[..], &shifted[..], 3, &[7, 8], 1, LIMITS.margin).unwrap();
        assert_eq!((found.positions, found.top1_agreement, found.max_abs_logit_diff), (2, 1.0, 10.0));
        assert!(found.mean_kl < 1e-12 && hold(&LIMITS, &found));
    }

    /// scipy.stats.entropy([0.5, 0.5], [0.9, 0.1]) is 0.510825623765991.
    #[test]
    fn the_divergence_is_that_of_the_distributions() {
        let (want, got) = ([0.0, 0.0], [0.9_f32.ln(), 0.1_f32.ln()]);
        assert!((divergence(&want, &got) - 0.510825623765991).abs() < 1e-6);
    }

    #[test]
    fn parts_are_compared_where_they_end() {
        let reference = file(&[&[0.0, 1.0], &[0.0, 2.0], &[0.0, 3.0]]);
        let ours = file(&[&[0.0, 2.0], &[3.0, 0.0]]);
        let found = compare(&reference[..], &ours[..], 2, &[7, 8, 9], 2, LIMITS.margin).unwrap();
        assert_eq!((found.positions, found.top1_agreement), (2, 0.5));
        assert_eq!((found.worst[0].position, found.worst[0].token), (2, 9));
        assert_eq!((found.worst[0].eager, found.worst[0].compiled), (1, 0));
        assert!(!hold(&LIMITS, &found));
    }

    #[test]
    fn what_is_no_number_never_passes() {
        let reference = file(&[&[0.0, 1.0]]);
        for bad in [f32::NAN, f32::INFINITY] {
            let ours = file(&[&[bad, 1.0]]);
            let found = compare(&reference[..], &ours[..], 2, &[1], 1, LIMITS.margin).unwrap();
            assert!(!hold(&LIMITS, &found), "{found:?}");
        }
    }

    #[test]
    fn a_draw_is_no_failure_and_a_clear_lead_is() {
        let near = compare(&file(&[&[1.0, 1.05]])[..], &file(&[&[1.05, 1.0]])[..], 2, &[1], 1, LIMITS.margin)
            .unwrap();
        assert_eq!((near.positions_above_margin, near.top1_agreement_above_margin), (0, 1.0));
        let clear =
            compare(&file(&[&[1.0, 1.2]])[..], &file(&[&[1.2, 1.0]])[..], 2, &[1], 1, LIMITS.margin).unwrap();
        assert_eq!((clear.positions_above_margin, clear.top1_agreement_above_margin), (1, 0.0));
    }
}
