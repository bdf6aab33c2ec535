//! Attention in double precision, written as the formula is.

/// Turns the first `rotated` numbers of a head by `position`, with the rotation that [`super::world::rope_table`] has a
/// rounded copy of.
pub(crate) fn turned(head: &[f32], rotated: usize, position: usize) -> Vec<f64> {
    let half = rotated / 2;
    let mut turned: Vec<f64> = head.iter().map(|&number| f64::from(number)).collect();
    for pair in 0..half {
        let (sin, cos) = angle(position, pair, half).sin_cos();
        let (low, high) = (f64::from(head[pair]), f64::from(head[half + pair]));
        turned[pair] = low * cos - high * sin;
        turned[half + pair] = low * sin + high * cos;
    }
    turned
}

/// The angle of a pair, in radians.
pub(crate) fn angle(position: usize, pair: usize, half: usize) -> f64 {
    position as f64 * 10000f64.powf(-(pair as f64) / half as f64)
}

/// The values of the seen positions, weighted by the softmax of their scores.
pub(crate) fn attention(
    query: &[f64],
    keys: &[&[f64]],
    values: &[&[f64]],
    scale: f32,
    softcap: f32,
) -> Vec<f64> {
    let (scale, softcap) = (f64::from(scale), f64::from(softcap));
    let scores: Vec<f64> = keys
        .iter()
        .map(|key| {
            let score = scale * key.iter().zip(query).map(|(k, q)| k * q).sum::<f64>();
            if softcap == 0.0 { score } else { softcap * (score / softcap).tanh() }
        })
        .collect();
    let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - greatest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let mut mixed = vec![0.0; query.len()];
    for (weight, value) in weights.iter().zip(values) {
        for (mixed, value) in mixed.iter_mut().zip(*value) {
            *mixed += weight / sum * value;
        }
    }
    mixed
}
