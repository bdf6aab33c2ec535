//! Drawing among the likely tokens.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore, SeedableRng},
};
use std::collections::{BTreeSet, VecDeque};
use studio_protocol::{ErrorCode, Sampling, WireError};

/// The state of one generation's draws.
#[derive(Debug)]
pub(crate) struct Sampler {
    settings: Sampling,
    /// The last tokens, at most as many as the penalty looks back.
    recent: VecDeque<u32>,
    random: ChaCha8Rng,
    seed: u64,
}

/// A token that may be drawn, and its logit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) token: u32,
    pub(super) logit: f32,
}

impl Sampler {
    /// A sampler for a generation that continues `prompt`. Settings out of their range are an error.
    pub(crate) fn new(settings: &Sampling, prompt: &[u32]) -> Result<Self, WireError> {
        check(settings)?;
        let seed = match settings.seed {
            Some(seed) => seed,
            None => getrandom::u64()
                .map_err(|error| WireError::new(ErrorCode::Io, format!("no seed to be had: {error}")))?,
        };
        let mut sampler = Self {
            settings: settings.clone(),
            recent: VecDeque::new(),
            random: ChaCha8Rng::seed_from_u64(seed),
            seed,
        };
        prompt.iter().for_each(|&token| sampler.accept(token));
        Ok(sampler)
    }

    /// The seed that the draws began with.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// Draws the next token and counts it as having occurred.
    pub(crate) fn next(&mut self, logits: &[f32]) -> Result<u32, WireError> {
        let shares = shares(&self.candidates(logits), self.settings.temperature);
        let token = self.draw(&shares).ok_or_else(|| {
            WireError::new(ErrorCode::Runtime, "the model gave logits without a largest one")
        })?;
        self.accept(token);
        Ok(token)
    }

    /// What is left to draw among, the most likely first.
    pub(super) fn candidates(&self, logits: &[f32]) -> Vec<Candidate> {
        let mut all: Vec<Candidate> = (0..)
            .zip(logits)
            .filter(|(_, logit)| **logit > f32::NEG_INFINITY)
            .map(|(token, &logit)| Candidate { token, logit })
            .collect();
        self.penalise(&mut all);
        let Sampling { top_k, top_p, min_p, .. } = self.settings;
        keep_top_k(&mut all, top_k as usize);
        keep_top_p(&mut all, top_p);
        keep_min_p(&mut all, min_p);
        all
    }

    /// Makes tokens that occurred less likely.
    fn penalise(&self, candidates: &mut [Candidate]) {
        let penalty = self.settings.repeat_penalty;
        let occurred: BTreeSet<u32> = self.recent.iter().copied().collect();
        for candidate in candidates.iter_mut().filter(|candidate| occurred.contains(&candidate.token)) {
            candidate.logit =
                if candidate.logit <= 0.0 { candidate.logit * penalty } else { candidate.logit / penalty };
        }
    }

    fn accept(&mut self, token: u32) {
        self.recent.push_back(token);
        while self.recent.len() > self.settings.repeat_last as usize {
            self.recent.pop_front();
        }
    }

    /// A token by its share; the last one for what rounding leaves.
    fn draw(&mut self, shares: &[(u32, f64)]) -> Option<u32> {
        let total: f64 = shares.iter().map(|(_, share)| share).sum();
        // 53 bits, as many as an f64 between 0 and 1 has.
        let mut at = (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 * total;
        for &(token, share) in shares {
            if at < share {
                return Some(token);
            }
            at -= share;
        }
        shares.last().map(|(token, _)| *token)
    }
}

/// Each candidate's probability times a constant, the first one's being 1.
pub(super) fn shares(candidates: &[Candidate], temperature: f32) -> Vec<(u32, f64)> {
    let Some(first) = candidates.first() else { return Vec::new() };
    let share = |logit: f32| (f64::from(logit - first.logit) / f64::from(temperature)).exp();
    candidates.iter().map(|candidate| (candidate.token, share(candidate.logit))).collect()
}

/// Sorts, the most likely first and the lower id of equals, and keeps the first `k`; all for 0.
fn keep_top_k(candidates: &mut Vec<Candidate>, k: usize) {
    let likelier = |a: &Candidate, b: &Candidate| b.logit.total_cmp(&a.logit).then(a.token.cmp(&b.token));
    if (1..candidates.len()).contains(&k) {
        candidates.select_nth_unstable_by(k - 1, likelier);
        candidates.truncate(k);
    }
    candidates.sort_unstable_by(likelier);
}

/// Keeps the fewest first ones whose probabilities sum to `p`, at least one.
fn keep_top_p(candidates: &mut Vec<Candidate>, p: f32) {
    if p >= 1.0 {
        return;
    }
    let shares = shares(candidates, 1.0);
    let goal = f64::from(p) * shares.iter().map(|(_, share)| share).sum::<f64>();
    let mut sum = 0.0;
    let reached = shares.iter().position(|(_, share)| {
        sum += share;
        sum >= goal
    });
    if let Some(last) = reached {
        candidates.truncate(last + 1);
    }
}

/// Keeps those with at least this share of the first one's probability.
fn keep_min_p(candidates: &mut Vec<Candidate>, p: f32) {
    if let (Some(first), true) = (candidates.first(), p > 0.0) {
        let least = first.logit + p.ln();
        candidates.retain(|candidate| candidate.logit >= least);
    }
}

fn check(settings: &Sampling) -> Result<(), WireError> {
    let Sampling { temperature, top_p, min_p, repeat_penalty, .. } = settings;
    let bad = |what: &str, value: f32, range: &str| {
        Err(WireError::new(ErrorCode::BadMessage, format!("{what} is {value}, not {range}")))
    };
    match () {
        () if !(temperature.is_finite() && *temperature > 0.0) => {
            bad("the temperature of a draw", *temperature, "above 0")
        }
        () if !(*top_p > 0.0 && *top_p <= 1.0) => bad("top-p", *top_p, "above 0 and at most 1"),
        () if !(0.0..=1.0).contains(min_p) => bad("min-p", *min_p, "from 0 to 1"),
        () if !(repeat_penalty.is_finite() && *repeat_penalty > 0.0) => {
            bad("the repetition penalty", *repeat_penalty, "above 0")
        }
        () => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    /// What llama.cpp's samplers leave, by `llama-reference samplers samplers.json`, which adds `candidates` to the rest.
    const CASES: &str = include_str!("fixtures/samplers.json");

    #[derive(Debug, Deserialize)]
    struct Case {
        logits: Vec<f32>,
        recent: Vec<u32>,
        settings: Sampling,
        /// Tokens, and logits divided by the temperature.
        candidates: Vec<(u32, f32)>,
    }

    #[test]
    fn what_is_left_to_draw_among_is_what_llama_cpp_leaves() {
        let cases: Vec<Case> = serde_json::from_str(CASES).unwrap();
        assert!(cases.len() > 10);
        for case in cases {
            let sampler = Sampler::new(&case.settings, &case.recent).unwrap();
            let found = sampler.candidates(&case.logits);
            let tokens: Vec<u32> = found.iter().map(|candidate| candidate.token).collect();
            let wanted: Vec<u32> = case.candidates.iter().map(|(token, _)| *token).collect();
            assert_eq!(tokens, wanted, "{case:?}");
            for (found, (_, logit)) in found.iter().zip(&case.candidates) {
                let divided = found.logit / case.settings.temperature;
                assert!((divided - logit).abs() < 1e-5, "{found:?}, {logit}: {case:?}");
            }
        }
    }

    /// Draws follow the probabilities: of 20 000, each token's share is within 5 standard deviations.
    #[test]
    fn draws_follow_the_probabilities() {
        let logits = [0.5_f32, 0.3, 0.2].map(f32::ln);
        let settings =
            Sampling { temperature: 1.0, top_p: 1.0, min_p: 0.0, seed: Some(1), ..Sampling::default() };
        let mut sampler = Sampler::new(&settings, &[]).unwrap();
        let mut counts = [0_u32; 3];
        const DRAWS: u32 = 20_000;
        for _ in 0..DRAWS {
            counts[sampler.next(&logits).unwrap() as usize] += 1;
        }
        for (count, p) in counts.into_iter().zip([0.5, 0.3, 0.2]) {
            let (mean, deviation) = (f64::from(DRAWS) * p, (f64::from(DRAWS) * p * (1.0 - p)).sqrt());
            assert!((f64::from(count) - mean).abs() < 5.0 * deviation, "{count} of {mean}");
        }
    }

    #[test]
    fn logits_that_are_no_numbers_are_never_drawn() {
        let settings = Sampling { temperature: 2.0, seed: Some(3), ..Sampling::default() };
        let mut sampler = Sampler::new(&settings, &[]).unwrap();
        for _ in 0..50 {
            assert_eq!(sampler.next(&[f32::NAN, f32::NEG_INFINITY, 1.0]).unwrap(), 2);
        }
        assert!(sampler.next(&[f32::NAN]).is_err());
    }

    #[test]
    fn settings_out_of_their_range_are_refused() {
        let base = Sampling { temperature: 1.0, ..Sampling::default() };
        for (bad, name) in [
            (Sampling { temperature: f32::NAN, ..base.clone() }, "temperature"),
            (Sampling { temperature: -1.0, ..base.clone() }, "temperature"),
            (Sampling { top_p: 0.0, ..base.clone() }, "top-p"),
            (Sampling { min_p: 1.5, ..base.clone() }, "min-p"),
            (Sampling { repeat_penalty: 0.0, ..base.clone() }, "penalty"),
        ] {
            assert!(Sampler::new(&bad, &[]).unwrap_err().message.contains(name), "{bad:?}");
        }
    }
}
