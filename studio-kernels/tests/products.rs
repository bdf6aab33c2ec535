//! Every kernel of every set against a plain evaluation in double precision: odd sizes, one row and many, blocks of zeros,
//! denormal, huge and NaN scales.

#![expect(unsafe_code, reason = "kernels are called as modules call them")]

mod common;

use common::{Matrix, Random, Scales, embedding, products, sets, team};
use studio_kernels::{
    KernelSet, TileFormat,
    abi::{Epilogue, MAX_ROW, Precision, Prologue},
    native::Products,
};

/// The kernels under test with the set, format and precision that they are for.
struct Subject {
    set: KernelSet,
    format: TileFormat,
    precision: Precision,
    kernels: Products,
}

fn subjects() -> Vec<Subject> {
    let mut subjects = Vec::new();
    for set in sets() {
        for format in TileFormat::ALL {
            for precision in [Precision::Int8, Precision::Float32] {
                let kernels = products(set, format, precision);
                assert_eq!(kernels.is_some(), precision.supports(format));
                subjects.extend(kernels.map(|kernels| Subject { set, format, precision, kernels }));
            }
        }
    }
    subjects
}

/// The operands of one call, with everything that a prologue and an epilogue may read.
struct Operands {
    x: Vec<f32>,
    aux: Vec<f32>,
    gain: Vec<f32>,
    bias: Vec<f32>,
    residual: Vec<f32>,
    rows: usize,
}

impl Operands {
    fn random(rows: usize, n: usize, k: usize, random: &mut Random) -> Operands {
        Operands {
            x: random.numbers(rows * k),
            aux: random.numbers(rows * k),
            gain: random.numbers(k),
            bias: random.numbers(n),
            residual: random.numbers(rows * n),
            rows,
        }
    }
}

const EPS: f32 = 1e-5;

/// What a prologue is given as epsilon: a soft cap's is the cap.
fn epsilon(prologue: Prologue) -> f32 {
    if prologue == Prologue::SoftCap { 0.7 } else { EPS }
}

/// What products with a bias are multiplied by.
const SCALE: f32 = 0.375;

const PROLOGUES: [Prologue; 9] = [
    Prologue::None,
    Prologue::RmsNorm,
    Prologue::SiluMul,
    Prologue::GeluMul,
    Prologue::LayerNorm,
    Prologue::BiasedLayerNorm,
    Prologue::Silu,
    Prologue::Gelu,
    Prologue::SoftCap,
];

fn gate(activation: usize, x: f64) -> f64 {
    if activation == 1 {
        0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x)).tanh())
    } else {
        x / (1.0 + (-x).exp())
    }
}

/// The activations of row `row` after the prologue, in double precision.
fn after_prologue(operands: &Operands, row: usize, k: usize, prologue: Prologue) -> Vec<f64> {
    let x: Vec<f64> = operands.x[row * k..(row + 1) * k].iter().map(|x| f64::from(*x)).collect();
    let aux = &operands.aux[row * k..];
    match prologue {
        Prologue::None => x,
        Prologue::RmsNorm => {
            let mean = x.iter().map(|x| x * x).sum::<f64>() / k as f64;
            let factor = 1.0 / (mean + f64::from(EPS)).sqrt();
            x.iter().zip(&operands.gain).map(|(x, gain)| x * factor * f64::from(*gain)).collect()
        }
        Prologue::SiluMul => x.iter().zip(aux).map(|(x, aux)| gate(0, *x) * f64::from(*aux)).collect(),
        Prologue::GeluMul => x.iter().zip(aux).map(|(x, aux)| gate(1, *x) * f64::from(*aux)).collect(),
        Prologue::LayerNorm | Prologue::BiasedLayerNorm => {
            let mean = x.iter().sum::<f64>() / k as f64;
            let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / k as f64;
            let factor = 1.0 / (variance + f64::from(EPS)).sqrt();
            let bias = |i: usize| {
                if prologue == Prologue::LayerNorm { 0.0 } else { f64::from(operands.aux[i]) }
            };
            let normed = x.iter().zip(&operands.gain).map(|(x, gain)| (x - mean) * factor * f64::from(*gain));
            normed.enumerate().map(|(i, normed)| normed + bias(i)).collect()
        }
        Prologue::Silu => x.iter().map(|x| gate(0, *x)).collect(),
        Prologue::Gelu => x.iter().map(|x| gate(1, *x)).collect(),
        Prologue::SoftCap => {
            let cap = f64::from(epsilon(prologue));
            x.iter().map(|x| cap * (x / cap).tanh()).collect()
        }
        Prologue::RowGate => unreachable!("it is none of a product's"),
    }
}

impl Subject {
    fn name(&self) -> String {
        format!("{} {:?} {}", self.set.name(), self.format, self.precision.name())
    }

    /// Rows of activations, made by `prepare`.
    fn prepare(&self, operands: &Operands, k: usize, prologue: Prologue) -> Vec<f32> {
        let team = team(1);
        let mut y = vec![f32::NAN; self.precision.row_bytes(k) / 4 * operands.rows];
        // SAFETY: the vectors are as long as the numbers say, and the set runs here.
        unsafe {
            (self.kernels.prepare)(
                team.as_ptr().cast(),
                0,
                0,
                operands.x.as_ptr(),
                0,
                operands.aux.as_ptr(),
                0,
                operands.gain.as_ptr(),
                0,
                y.as_mut_ptr(),
                0,
                operands.rows,
                k,
                prologue as usize,
                epsilon(prologue),
            );
        }
        y
    }

    /// What products see of a row that `prepare` made, in double precision.
    fn seen(&self, prepared: &[f32], row: usize, k: usize) -> Vec<f64> {
        let words = self.precision.row_bytes(k) / 4;
        let row = &prepared[row * words..(row + 1) * words];
        match self.precision {
            Precision::Float32 => row.iter().map(|x| f64::from(*x)).collect(),
            Precision::Int8 => row
                .chunks(16)
                .flat_map(|block| {
                    let quants = block[..8].iter().flat_map(|word| word.to_ne_bytes());
                    quants.map(|quant| f64::from(quant as i8) * f64::from(block[8])).collect::<Vec<_>>()
                })
                .collect(),
        }
    }

    fn matmul(&self, matrix: &Matrix, operands: &Operands, prepared: &[f32], epilogue: Epilogue) -> Vec<f32> {
        let team = team(1);
        let mut y = vec![f32::NAN; operands.rows * matrix.n];
        // SAFETY: as above.
        unsafe {
            (self.kernels.matmul)(
                team.as_ptr().cast(),
                0,
                0,
                matrix.tiles.as_ptr(),
                0,
                prepared.as_ptr(),
                0,
                operands.bias.as_ptr(),
                0,
                operands.residual.as_ptr(),
                0,
                y.as_mut_ptr(),
                0,
                operands.rows,
                matrix.k,
                matrix.n,
                epilogue.0,
                SCALE,
            );
        }
        y
    }

    fn gated_matmul(&self, w: [&Matrix; 2], rows: usize, prepared: &[f32], activation: usize) -> Vec<f32> {
        let team = team(1);
        let mut y = vec![f32::NAN; rows * w[0].n];
        // SAFETY: as above.
        unsafe {
            (self.kernels.gated_matmul)(
                team.as_ptr().cast(),
                0,
                0,
                w[0].tiles.as_ptr(),
                0,
                w[1].tiles.as_ptr(),
                0,
                prepared.as_ptr(),
                0,
                y.as_mut_ptr(),
                0,
                rows,
                w[0].k,
                w[0].n,
                activation,
            );
        }
        y
    }

    fn matvec(
        &self,
        matrix: &Matrix,
        operands: &Operands,
        prologue: Prologue,
        epilogue: Epilogue,
    ) -> Vec<f32> {
        let team = team(1);
        let mut y = vec![f32::NAN; matrix.n];
        // SAFETY: as above.
        unsafe {
            (self.kernels.matvec)(
                team.as_ptr().cast(),
                0,
                0,
                matrix.tiles.as_ptr(),
                0,
                operands.x.as_ptr(),
                0,
                operands.aux.as_ptr(),
                0,
                operands.gain.as_ptr(),
                0,
                operands.bias.as_ptr(),
                0,
                operands.residual.as_ptr(),
                0,
                y.as_mut_ptr(),
                0,
                matrix.k,
                matrix.n,
                prologue as usize,
                epilogue.0,
                epsilon(prologue),
                SCALE,
            );
        }
        y
    }

    fn gated_matvec(
        &self,
        w: [&Matrix; 2],
        operands: &Operands,
        prologue: Prologue,
        activation: usize,
    ) -> Vec<f32> {
        let team = team(1);
        let mut y = vec![f32::NAN; w[0].n];
        // SAFETY: as above.
        unsafe {
            (self.kernels.gated_matvec)(
                team.as_ptr().cast(),
                0,
                0,
                w[0].tiles.as_ptr(),
                0,
                w[1].tiles.as_ptr(),
                0,
                operands.x.as_ptr(),
                0,
                operands.aux.as_ptr(),
                0,
                operands.gain.as_ptr(),
                0,
                y.as_mut_ptr(),
                0,
                w[0].k,
                w[0].n,
                prologue as usize,
                activation,
                epsilon(prologue),
            );
        }
        y
    }
}

/// A product after the epilogue, with its bias and what is added: the sum, and the magnitudes that bound its errors.
fn finished(sum: f64, size: f64, extra: [f32; 2]) -> (f64, f64) {
    let [bias, residual] = extra.map(f64::from);
    let scale = f64::from(SCALE);
    ((sum + bias) * scale + residual, (size + bias.abs()) * scale + residual.abs())
}

fn assert_near(found: f32, (expected, size): (f64, f64), what: &str) {
    if expected.is_nan() {
        assert!(found.is_nan(), "{what}: {found}, not NaN");
        return;
    }
    let tolerance = size * 2e-6 + 1e-30;
    assert!(
        (f64::from(found) - expected).abs() <= tolerance,
        "{what}: {found}, expected {expected} ± {tolerance:e}"
    );
}

/// Whether a product of so many numbers a row is what `prepare` made times the matrix.
fn assert_matmul(subject: &Subject, [n, k, rows]: [usize; 3], random: &mut Random) {
    let matrix = Matrix::random(subject.format, n, k, Scales::Ordinary, random);
    let operands = Operands::random(rows, n, k, random);
    let prepared = subject.prepare(&operands, k, Prologue::None);
    let epilogue = if n % 2 == 0 { Epilogue::default() } else { Epilogue::BIAS.and(Epilogue::RESIDUAL) };
    let y = subject.matmul(&matrix, &operands, &prepared, epilogue);
    for row in 0..rows {
        let expected = matrix.times(&subject.seen(&prepared, row, k));
        for (i, (sum, size)) in expected.into_iter().enumerate() {
            let operands = (n % 2 == 1).then(|| [operands.bias[i], operands.residual[row * n + i]]);
            let (sum, size) = finished(sum, size, operands.unwrap_or_default());
            let what = format!("{} {n}x{k}, row {row} of {rows}, {i}", subject.name());
            assert_near(y[row * n + i], (sum, size), &what);
        }
    }
}

#[test]
fn matmul_is_the_product_with_what_prepare_made_whatever_the_sizes() {
    let mut random = Random(7);
    for subject in subjects() {
        for (n, blocks, rows) in
            [(1, 1, 1), (15, 2, 2), (16, 3, 7), (17, 5, 8), (50, 1, 9), (33, 3, 17), (16, 2, 16)]
        {
            let k = blocks * subject.format.block_elements();
            assert_matmul(&subject, [n, k, rows], &mut random);
        }
    }
}

/// The longest rows that a matrix may have: more than `matvec` takes, so that one vector goes this way, too.
#[test]
fn matmul_takes_the_longest_rows() {
    let mut random = Random(11);
    for subject in subjects() {
        assert_matmul(&subject, [17, MAX_ROW, 2], &mut random);
    }
}

#[test]
fn a_gated_product_is_the_activation_of_one_times_the_other() {
    let mut random = Random(8);
    for subject in subjects() {
        for (n, blocks, rows) in [(16, 1, 1), (35, 2, 9), (7, 3, 5)] {
            let k = blocks * subject.format.block_elements();
            let mut matrix = || Matrix::random(subject.format, n, k, Scales::Ordinary, &mut random);
            let (w_gate, w_up) = (matrix(), matrix());
            let operands = Operands::random(rows, n, k, &mut random);
            let prologue = if n == 35 { Prologue::RmsNorm } else { Prologue::BiasedLayerNorm };
            let prepared = subject.prepare(&operands, k, prologue);
            for activation in [0, 1] {
                let y = subject.gated_matmul([&w_gate, &w_up], rows, &prepared, activation);
                let one = subject.gated_matvec([&w_gate, &w_up], &operands, prologue, activation);
                for row in 0..rows {
                    let seen = subject.seen(&prepared, row, k);
                    let pairs = w_gate.times(&seen).into_iter().zip(w_up.times(&seen));
                    for (i, ((gated, gate_size), (up, up_size))) in pairs.enumerate() {
                        let expected = gate(activation, gated) * up;
                        // The slope of both functions is below 1.2.
                        let size = expected.abs() + 1.2 * gate_size * up.abs() + gated.abs() * up_size;
                        let what = format!("{} {n}x{k}, row {row} of {rows}, {i}", subject.name());
                        assert_near(y[row * n + i], (expected, size), &what);
                        if row == 0 {
                            assert_near(one[i], (expected, size), &format!("{what}, one vector"));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn one_vector_gives_what_a_row_of_many_gives() {
    let mut random = Random(9);
    for subject in subjects() {
        for (n, blocks) in [(1, 1), (16, 2), (31, 3), (300, 4)] {
            let k = blocks * subject.format.block_elements();
            let matrix = Matrix::random(subject.format, n, k, Scales::Ordinary, &mut random);
            let operands = Operands::random(1, n, k, &mut random);
            for prologue in PROLOGUES {
                for epilogue in [Epilogue::default(), Epilogue::BIAS, Epilogue::RESIDUAL] {
                    let prepared = subject.prepare(&operands, k, prologue);
                    let seen = subject.seen(&prepared, 0, k);
                    let y = subject.matvec(&matrix, &operands, prologue, epilogue);
                    for (i, (sum, size)) in matrix.times(&seen).into_iter().enumerate() {
                        let extra =
                            [(Epilogue::BIAS, &operands.bias), (Epilogue::RESIDUAL, &operands.residual)]
                                .map(|(bit, numbers)| if epilogue.has(bit) { numbers[i] } else { 0.0 });
                        let (sum, size) = finished(sum, size, extra);
                        let what = format!("{} {n}x{k} {prologue:?} {epilogue:?}, {i}", subject.name());
                        assert_near(y[i], (sum, size), &what);
                    }
                }
            }
        }
    }
}

#[test]
fn prepared_rows_are_the_prologue_to_half_a_step() {
    let mut random = Random(10);
    for subject in
        subjects().iter().filter(|subject| matches!(subject.format, TileFormat::Q4_0 | TileFormat::F32))
    {
        for rows in [1, 3, 40] {
            let k = if subject.precision == Precision::Int8 { 96 } else { 37 };
            let operands = Operands::random(rows, 1, k, &mut random);
            for prologue in PROLOGUES {
                let k = if subject.format == TileFormat::Q4_0 { k / 32 * 32 } else { k };
                let prepared = subject.prepare(&operands, k, prologue);
                for row in 0..rows {
                    let expected = after_prologue(&operands, row, k, prologue);
                    let seen = subject.seen(&prepared, row, k);
                    for (block, (expected, seen)) in expected.chunks(32).zip(seen.chunks(32)).enumerate() {
                        let greatest = expected.iter().fold(0.0, |greatest: f64, x| greatest.max(x.abs()));
                        let step = if subject.precision == Precision::Int8 {
                            greatest / 127.0 * 0.5001
                        } else {
                            0.0
                        };
                        // A layer norm's mean and bias may take most of a number away, but not its rounding.
                        let centred = matches!(prologue, Prologue::LayerNorm | Prologue::BiasedLayerNorm);
                        let lost = if centred { 4e-7 } else { 1e-9 };
                        for (i, (a, b)) in expected.iter().zip(seen).enumerate() {
                            let what = format!("{} {prologue:?} row {row}, {block}:{i}", subject.name());
                            assert!(
                                (a - b).abs() <= step + 2e-6 * a.abs() + lost,
                                "{what}: {b}, expected {a}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn blocks_of_zeros_and_of_extreme_scales_give_what_arithmetic_gives() {
    let mut random = Random(11);
    for subject in subjects() {
        for scales in [Scales::Zero, Scales::Denormal, Scales::Huge, Scales::Nan] {
            let (n, k, rows) = (17, 3 * subject.format.block_elements(), 9);
            let matrix = Matrix::random(subject.format, n, k, scales, &mut random);
            let operands = Operands::random(rows, n, k, &mut random);
            let prepared = subject.prepare(&operands, k, Prologue::None);
            let y = subject.matmul(&matrix, &operands, &prepared, Epilogue::default());
            for row in 0..rows {
                for (i, expected) in matrix.times(&subject.seen(&prepared, row, k)).into_iter().enumerate() {
                    let what = format!("{} {scales:?}, row {row}, {i}", subject.name());
                    assert_near(y[row * n + i], finished(expected.0, expected.1, [0.0; 2]), &what);
                }
            }
        }
    }
}

#[test]
fn activations_that_are_no_numbers_give_results_that_are_none() {
    let mut random = Random(12);
    for subject in subjects() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let k = 2 * subject.format.block_elements().max(32);
            let matrix = Matrix::random(subject.format, 16, k, Scales::Ordinary, &mut random);
            let mut operands = Operands::random(1, 16, k, &mut random);
            operands.x[3] = bad;
            let y = subject.matvec(&matrix, &operands, Prologue::None, Epilogue::default());
            assert!(y.iter().all(|y| !y.is_finite()), "{} with {bad}: {y:?}", subject.name());
        }
    }
}

#[test]
fn an_embedding_is_the_row_as_ggml_decodes_it() {
    let mut random = Random(13);
    for set in sets() {
        for format in TileFormat::ALL {
            let (n, k) = (37, 3 * format.block_elements());
            let table = Matrix::random(format, n, k, Scales::Ordinary, &mut random);
            // Tokens outside of the table are taken as the nearest that is in it.
            let tokens = [0, 36, 17, -5, 1000];
            for (listed, rows) in [(1, [0, 36, 17, 0, 36]), (0, [33, 34, 35, 36, 36])] {
                let mut y = vec![f32::NAN; tokens.len() * k];
                let team = team(1);
                // SAFETY: the vectors are as long as the numbers say, and the set runs here.
                unsafe {
                    embedding(set, format)(
                        team.as_ptr().cast(),
                        0,
                        0,
                        table.tiles.as_ptr(),
                        0,
                        tokens.as_ptr(),
                        0,
                        y.as_mut_ptr(),
                        0,
                        tokens.len(),
                        k,
                        n,
                        listed,
                        33,
                        1.0,
                    );
                }
                for (y, row) in y.chunks(k).zip(rows) {
                    assert_eq!(
                        y,
                        &table.values[row * k..(row + 1) * k],
                        "{} {format:?} row {row}",
                        set.name()
                    );
                }
            }
        }
    }
}
