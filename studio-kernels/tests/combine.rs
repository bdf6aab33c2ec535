//! `combine` of every set against a plain evaluation in double precision: norms of rows and of heads, sums, caps.

#![expect(unsafe_code, reason = "kernels are called as modules call them")]

mod common;

use common::{Random, combine, sets, team};
use studio_kernels::abi::{Epilogue, Prologue};

/// The operands of a call, everything `[rows][k]` but gains and biases, `[gains][k]`.
struct Call {
    rows: usize,
    k: usize,
    gains: usize,
    prologue: Prologue,
    epsilon: f32,
    scale: f32,
    x: Vec<f32>,
    aux: Vec<f32>,
    gain: Vec<f32>,
    residual: Option<Vec<f32>>,
}

impl Call {
    fn new(prologue: Prologue, [rows, k, gains]: [usize; 3], random: &mut Random) -> Self {
        Self {
            rows,
            k,
            gains,
            prologue,
            epsilon: if prologue == Prologue::SoftCap { 0.7 } else { 1e-5 },
            scale: 1.0,
            x: random.numbers(rows * k),
            aux: random.numbers(rows.max(gains) * k),
            gain: random.numbers(gains * k),
            residual: None,
        }
    }

    /// With every set, in place of the residual and elsewhere, which must be the same.
    fn results(&self) -> Vec<(String, Vec<f32>)> {
        let results = |set| {
            let elsewhere = self.run(set, false);
            assert_eq!(
                format!("{elsewhere:?}"),
                format!("{:?}", self.run(set, true)),
                "where the residual is"
            );
            (format!("{set:?} {:?}", self.prologue), elsewhere)
        };
        sets().into_iter().map(results).collect()
    }

    fn run(&self, set: studio_kernels::KernelSet, in_place: bool) -> Vec<f32> {
        let team = team(1);
        let mut y = match (&self.residual, in_place) {
            (Some(residual), true) => residual.clone(),
            _ => vec![f32::NAN; self.rows * self.k],
        };
        let residual = match (&self.residual, in_place) {
            (Some(residual), false) => residual.as_ptr(),
            _ => y.as_ptr(),
        };
        let epilogue = if self.residual.is_some() { Epilogue::RESIDUAL } else { Epilogue::default() };
        // SAFETY: the vectors are as long as the numbers say, and the set runs here.
        unsafe {
            combine(set)(
                team.as_ptr().cast(),
                0,
                0,
                self.x.as_ptr(),
                0,
                self.aux.as_ptr(),
                0,
                self.gain.as_ptr(),
                0,
                residual,
                0,
                y.as_mut_ptr(),
                0,
                self.rows,
                self.k,
                self.gains,
                self.prologue as usize,
                epilogue.0,
                self.epsilon,
                self.scale,
            );
        }
        y
    }

    /// What the formula gives, in double precision.
    fn expected(&self) -> Vec<f64> {
        let mut expected = Vec::new();
        for row in 0..self.rows {
            let x: Vec<f64> =
                self.x[row * self.k..(row + 1) * self.k].iter().map(|x| f64::from(*x)).collect();
            let n = self.k as f64;
            let mean = x.iter().sum::<f64>() / n;
            let about = |centre: f64| x.iter().map(|x| (x - centre) * (x - centre)).sum::<f64>() / n;
            let epsilon = f64::from(self.epsilon);
            let gains = row % self.gains * self.k;
            for (i, &x) in x.iter().enumerate() {
                let gain = || f64::from(self.gain[gains + i]);
                let value = match self.prologue {
                    Prologue::RmsNorm => x / (about(0.0) + epsilon).sqrt() * gain(),
                    Prologue::LayerNorm => (x - mean) / (about(mean) + epsilon).sqrt() * gain(),
                    Prologue::BiasedLayerNorm => {
                        (x - mean) / (about(mean) + epsilon).sqrt() * gain() + f64::from(self.aux[gains + i])
                    }
                    Prologue::Silu => x / (1.0 + (-x).exp()),
                    Prologue::SiluMul => x / (1.0 + (-x).exp()) * f64::from(self.aux[row * self.k + i]),
                    Prologue::SoftCap => epsilon * (x / epsilon).tanh(),
                    Prologue::RowGate => x / (1.0 + (-f64::from(self.aux[row])).exp()),
                    _ => x,
                };
                let added = self.residual.as_ref().map_or(0.0, |added| f64::from(added[row * self.k + i]));
                expected.push(value * f64::from(self.scale) + added);
            }
        }
        expected
    }

    fn check(&self) {
        let expected = self.expected();
        for (name, found) in self.results() {
            for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let error = (f64::from(*found) - expected).abs();
                assert!(
                    error <= 3e-6 * (1.0 + expected.abs()) || expected.is_nan() && found.is_nan(),
                    "{name} {}x{}, {i}: {found}, not {expected}",
                    self.rows,
                    self.k
                );
            }
        }
    }
}

const SIZES: [[usize; 2]; 7] = [[1, 1], [1, 7], [3, 16], [2, 33], [5, 100], [40, 64], [1, 5000]];

#[test]
fn norms_of_rows_and_of_heads_with_gains_of_their_own() {
    let mut random = Random(21);
    for prologue in [Prologue::RmsNorm, Prologue::LayerNorm, Prologue::BiasedLayerNorm] {
        for [rows, k] in SIZES {
            for gains in [1, rows] {
                Call::new(prologue, [rows, k, gains], &mut random).check();
            }
        }
        // Two positions of three heads.
        Call::new(prologue, [6, 24, 3], &mut random).check();
    }
}

#[test]
fn a_branch_is_scaled_and_added_whatever_is_done_to_it() {
    let mut random = Random(22);
    for prologue in
        [Prologue::None, Prologue::RmsNorm, Prologue::BiasedLayerNorm, Prologue::SiluMul, Prologue::RowGate]
    {
        for [rows, k] in SIZES {
            let mut call = Call::new(prologue, [rows, k, 1], &mut random);
            call.scale = 0.22;
            call.residual = Some(random.numbers(rows * k));
            call.check();
        }
    }
}

#[test]
fn scales_caps_and_activations_by_themselves() {
    let mut random = Random(23);
    for prologue in [Prologue::None, Prologue::SoftCap, Prologue::Silu] {
        for [rows, k] in SIZES {
            let mut call = Call::new(prologue, [rows, k, 1], &mut random);
            call.scale = 0.0625;
            call.check();
        }
    }
}

/// Huge numbers pass a cap as the cap; a mean far from 0 takes nothing off a layer norm's accuracy; rows of equal numbers
/// have no variance.
#[test]
fn extremes_give_limits() {
    let mut random = Random(24);
    let mut cap = Call::new(Prologue::SoftCap, [1, 18, 1], &mut random);
    cap.epsilon = 30.0;
    cap.x[..6].copy_from_slice(&[f32::MAX, f32::MIN, f32::INFINITY, 1e-42, 0.0, f32::NAN]);
    for (name, found) in cap.results() {
        assert_eq!(found[..3], [30.0, -30.0, 30.0], "{name}");
        assert!(found[3].abs() <= 2e-42 && found[4] == 0.0 && found[5].is_nan(), "{name}: {found:?}");
    }
    let mut far = Call::new(Prologue::LayerNorm, [1, 64, 1], &mut random);
    far.x.iter_mut().for_each(|x| *x += 100.0);
    let expected = far.expected();
    for (name, found) in far.results() {
        for (found, expected) in found.iter().zip(&expected) {
            assert!((f64::from(*found) - expected).abs() < 3e-5, "{name}: {found}, not {expected}");
        }
    }
    let mut equal = Call::new(Prologue::LayerNorm, [1, 40, 1], &mut random);
    equal.x.fill(3.0);
    for (name, found) in equal.results() {
        assert!(found.iter().all(|y| y.abs() < 1e-3), "{name}: {found:?}");
    }
    let mut nan = Call::new(Prologue::LayerNorm, [2, 40, 1], &mut random);
    nan.x[3] = f32::NAN;
    for (name, found) in nan.results() {
        assert!(found[..40].iter().all(|y| y.is_nan()), "{name}");
        assert!(found[40..].iter().all(|y| y.is_finite()), "{name}");
    }
}
