//! The choice of experts and products with those that were chosen, of every set, against a plain evaluation.

#![expect(unsafe_code, reason = "kernels are called as modules call them")]

mod common;

use common::{Matrix, Random, Scales, products, route, sets, team};
use studio_kernels::{
    KernelSet, TileFormat,
    abi::{ExpertsMode, Precision, Prologue},
};

/// The choices and the weights of each row.
fn choose(
    set: KernelSet,
    logits: &[f32],
    [rows, experts, used]: [usize; 3],
    normalise: bool,
    scale: f32,
) -> (Vec<i32>, Vec<f32>) {
    let team = team(1);
    let mut chosen = vec![f32::NAN; rows * used];
    let mut weights = chosen.clone();
    // SAFETY: the vectors are as long as the numbers say, and the set runs here.
    unsafe {
        route(set)(
            team.as_ptr().cast(),
            0,
            0,
            logits.as_ptr(),
            0,
            chosen.as_mut_ptr(),
            0,
            weights.as_mut_ptr(),
            0,
            rows,
            experts,
            used,
            usize::from(normalise),
            scale,
        );
    }
    (chosen.iter().map(|bits| bits.to_bits() as i32).collect(), weights)
}

#[test]
fn the_greatest_are_chosen_and_weigh_what_softmax_gives_them() {
    let mut random = Random(31);
    for set in sets() {
        for sizes @ [rows, experts, used] in [[1, 1, 1], [3, 8, 2], [2, 7, 7], [5, 60, 4], [1, 128, 8]] {
            for normalise in [false, true] {
                let logits: Vec<f32> = random.numbers(rows * experts).iter().map(|x| x * 9.0).collect();
                let (chosen, weights) = choose(set, &logits, sizes, normalise, 2.5);
                for row in 0..rows {
                    let logits = &logits[row * experts..(row + 1) * experts];
                    let mut order: Vec<usize> = (0..experts).collect();
                    order.sort_by(|a, b| logits[*b].total_cmp(&logits[*a]));
                    let powers: Vec<f64> = logits.iter().map(|x| f64::from(*x).exp()).collect();
                    let whole: f64 = match normalise {
                        true => order[..used].iter().map(|expert| powers[*expert]).sum(),
                        false => powers.iter().sum(),
                    };
                    for place in 0..used {
                        let what = format!("{set:?} {sizes:?} row {row}, choice {place}");
                        assert_eq!(chosen[row * used + place], order[place] as i32, "{what}");
                        let expected = 2.5 * powers[order[place]] / whole;
                        let found = f64::from(weights[row * used + place]);
                        assert!(
                            (found - expected).abs() <= 4e-6 * expected,
                            "{what}: {found}, not {expected}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn equal_logits_choose_the_lower_number_and_those_that_are_none_choose_experts_that_there_are() {
    for set in sets() {
        let logits = [1.0, 3.0, 3.0, 1.0, 3.0, -2.0];
        let (chosen, weights) = choose(set, &logits, [1, 6, 4], true, 1.0);
        assert_eq!(chosen, [1, 2, 4, 0]);
        assert!(weights[0] == weights[1] && weights[3] < weights[0]);
        let (chosen, weights) = choose(set, &[f32::NAN; 6], [1, 6, 3], true, 1.0);
        assert!(chosen.iter().all(|expert| (0..6).contains(expert)), "{chosen:?}");
        assert!(weights.iter().all(|weight| weight.is_nan()));
        let logits = [f32::NEG_INFINITY, 0.5, f32::NEG_INFINITY, 0.5];
        let (chosen, weights) = choose(set, &logits, [1, 4, 3], true, 1.0);
        assert_eq!((chosen, weights), (vec![1, 3, 0], vec![0.5, 0.5, 0.0]));
    }
}

/// Rows of activations of a call, as products take them, and as numbers.
fn activations(
    set: KernelSet,
    format: TileFormat,
    precision: Precision,
    x: &[f32],
    k: usize,
) -> (Vec<f32>, Vec<Vec<f64>>) {
    let rows = x.len() / k;
    let words = precision.row_bytes(k) / 4;
    let mut prepared = vec![f32::NAN; words * rows];
    let team = team(1);
    let kernels = products(set, format, precision).expect("a pair that there are kernels for");
    // SAFETY: as above.
    unsafe {
        (kernels.prepare)(
            team.as_ptr().cast(),
            0,
            0,
            x.as_ptr(),
            0,
            x.as_ptr(),
            0,
            x.as_ptr(),
            0,
            prepared.as_mut_ptr(),
            0,
            rows,
            k,
            Prologue::None as usize,
            0.0,
        );
    }
    let seen = |row: &[f32]| match precision {
        Precision::Float32 => row.iter().map(|x| f64::from(*x)).collect(),
        Precision::Int8 => row
            .chunks(16)
            .flat_map(|block| {
                let quants = block[..8].iter().flat_map(|word| word.to_ne_bytes());
                quants.map(|quant| f64::from(quant as i8) * f64::from(block[8])).collect::<Vec<_>>()
            })
            .collect(),
    };
    let seen = prepared.chunks(words).map(seen).collect();
    (prepared, seen)
}

#[test]
fn products_are_those_of_the_chosen_experts() {
    let mut random = Random(32);
    for set in sets() {
        for format in TileFormat::ALL {
            for precision in [Precision::Int8, Precision::Float32] {
                let Some(kernels) = products(set, format, precision) else { continue };
                let [rows, used, experts, n] = [3, 2, 5, 48];
                let k = 2 * format.block_elements().max(16);
                // All experts' rows, one behind the other.
                let matrix = Matrix::random(format, experts * n, k, Scales::Ordinary, &mut random);
                // Numbers outside of what there is are taken as the nearest.
                let chosen = [4, 0, 1, 1, -3, 77].map(|expert: i32| f32::from_bits(expert as u32));
                let taken = [4, 0, 1, 1, 0, 4];
                let weights = random.numbers(rows * used);
                for mode in [ExpertsMode::Each, ExpertsMode::Sum] {
                    let inputs = if mode == ExpertsMode::Sum { rows * used } else { rows };
                    let x = random.numbers(inputs * k);
                    let (prepared, seen) = activations(set, format, precision, &x, k);
                    let results = if mode == ExpertsMode::Sum { rows } else { rows * used };
                    let mut y = vec![f32::NAN; results * n];
                    let team = team(1);
                    // SAFETY: as above.
                    unsafe {
                        (kernels.experts)(
                            team.as_ptr().cast(),
                            0,
                            0,
                            matrix.tiles.as_ptr(),
                            0,
                            prepared.as_ptr(),
                            0,
                            chosen.as_ptr(),
                            0,
                            weights.as_ptr(),
                            0,
                            y.as_mut_ptr(),
                            0,
                            rows,
                            used,
                            experts,
                            k,
                            n,
                            mode as usize,
                        );
                    }
                    for choice in 0..rows * used {
                        let row = if mode == ExpertsMode::Sum { choice } else { choice / used };
                        let all = matrix.times(&seen[row]);
                        let expert = taken[choice] * n;
                        for (i, (product, size)) in all[expert..expert + n].iter().enumerate() {
                            let what = format!("{set:?} {format:?} {precision:?} {mode:?} {choice}: {i}");
                            if mode == ExpertsMode::Each {
                                let error = (f64::from(y[choice * n + i]) - product).abs();
                                assert!(error <= 2e-6 * size + 1e-30, "{what}: off by {error}");
                            } else if choice % used == 0 {
                                let (other, other_size) =
                                    matrix.times(&seen[choice + 1])[taken[choice + 1] * n + i];
                                let weights = [weights[choice], weights[choice + 1]].map(f64::from);
                                let expected = product * weights[0] + other * weights[1];
                                let error = (f64::from(y[choice / used * n + i]) - expected).abs();
                                assert!(
                                    error <= 2e-6 * (size + other_size) + 1e-30,
                                    "{what}: off by {error}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}
