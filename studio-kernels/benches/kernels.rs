//! How quickly kernels stream weights, beside how quickly this machine reads memory, and how quickly they multiply:
//! `cargo bench -p studio-kernels [-- NAME]`, where `NAME` is a part of a kernel's name.
//!
//! Every number is the best of several runs of one thread.
#![expect(
    unsafe_code,
    clippy::print_stdout,
    reason = "kernels are called as modules call them; it prints a table"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{products, sets, team};
use std::{env, hint::black_box, time::Instant};
use studio_kernels::{
    TILE_ROWS, TileFormat,
    abi::{Precision, Prologue},
    native::Products,
    pack_tile,
};

/// More than caches hold.
const STREAM_BYTES: usize = 200 << 20;
/// What a second-level cache holds.
const CACHED_BYTES: usize = 1 << 20;

fn main() {
    let wanted = env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let memory = Memory::new();
    println!("{:<24} {:>8} {:>9} {:>9} {:>12}", "", "GB/s", "of memory", "in cache", "rows, GMAC/s");
    for set in sets() {
        for format in TileFormat::ALL {
            for precision in [Precision::Int8, Precision::Float32] {
                let name = format!("{}/{}/{}", set.name(), format.name(), precision.name());
                let Some(kernels) = products(set, format, precision).filter(|_| name.contains(&wanted))
                else {
                    continue;
                };
                let subject = Subject { kernels, format, precision };
                // In turns, because what memory gives changes from one second to the next.
                let turns: Vec<_> =
                    (0..5).map(|_| (memory.read_speed(), subject.matvec(&memory, STREAM_BYTES, 1))).collect();
                let read = turns.iter().fold(0.0, |best: f64, (read, _)| best.max(*read));
                let stream = turns.iter().fold(0.0, |best: f64, (_, stream)| best.max(*stream));
                let share = 100.0 * stream / read;
                let cached = subject.matvec(&memory, CACHED_BYTES, 100);
                let multiply = subject.matmul(&memory);
                println!("{name:<24} {stream:>8.1} {share:>7.0} % {cached:>9.1} {multiply:>12.1}");
            }
        }
    }
    for format in TileFormat::ALL {
        let name = format!("pack/{}", format.name());
        if name.contains(&wanted) {
            println!("{name:<24} {:>8.1}", pack_speed(format));
        }
    }
}

/// GB/s of rows that are packed into tiles, from and to cache.
fn pack_speed(format: TileFormat) -> f64 {
    let k = 2048;
    let rows = vec![vec![0x2cu8; k / format.block_elements() * format.block_bytes()]; TILE_ROWS];
    let rows: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
    let mut tile = vec![0; format.tile_bytes(k)];
    let seconds = best(200, || pack_tile(format, black_box(&rows), k, black_box(&mut tile)));
    (TILE_ROWS * rows[0].len()) as f64 / seconds / 1e9
}

/// The operands of all kernels.
struct Memory {
    weights: Vec<u8>,
    x: Vec<f32>,
}

impl Memory {
    fn new() -> Memory {
        // Ordinary numbers in any format: 16 bits 0x2c2c are small halves, and no bytes are denormal singles.
        Memory { weights: vec![0x2c; STREAM_BYTES], x: (0..1 << 20).map(|i| (i % 17) as f32 - 8.0).collect() }
    }

    /// How quickly all bytes are summed up, in GB/s.
    fn read_speed(&self) -> f64 {
        let sum = || {
            let words = self.weights.as_chunks::<64>().0.iter();
            words.fold([0u8; 64], |mut sums, line| {
                for (sum, byte) in sums.iter_mut().zip(line) {
                    *sum = sum.wrapping_add(*byte);
                }
                sums
            })
        };
        let seconds = best(1, || {
            black_box(sum());
        });
        self.weights.len() as f64 / seconds / 1e9
    }
}

fn best(runs: usize, mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(time).fold(f64::INFINITY, f64::min)
}

struct Subject {
    kernels: Products,
    format: TileFormat,
    precision: Precision,
}

impl Subject {
    /// GB/s of weights that one vector is multiplied with.
    fn matvec(&self, memory: &Memory, bytes: usize, runs: usize) -> f64 {
        let k = 2048;
        let tiles = bytes / self.format.tile_bytes(k);
        let mut y = vec![0.0f32; tiles * 16];
        let seconds = best(runs, || {
            let team = team(1);
            let x = memory.x.as_ptr();
            // SAFETY: there are as many weights as the rows need; other operands are longer than `k` and `n`.
            unsafe {
                (self.kernels.matvec)(
                    team.as_ptr().cast(),
                    0,
                    0,
                    memory.weights.as_ptr(),
                    0,
                    x,
                    0,
                    x,
                    0,
                    x,
                    0,
                    x,
                    0,
                    x,
                    0,
                    y.as_mut_ptr(),
                    0,
                    k,
                    y.len(),
                    Prologue::RmsNorm as usize,
                    0,
                    1e-5,
                    1.0,
                );
            }
        });
        (tiles * self.format.tile_bytes(k)) as f64 / seconds / 1e9
    }

    /// 10⁹ multiplications a second with 128 rows.
    fn matmul(&self, memory: &Memory) -> f64 {
        let (rows, k, n) = (128, 1536, 256);
        let mut activations = vec![0.0f32; self.precision.row_bytes(k) / 4 * rows];
        let mut y = vec![0.0f32; rows * n];
        let (x, lines) = (memory.x.as_ptr(), team(1));
        // SAFETY: the vectors are as long as the numbers say.
        unsafe {
            (self.kernels.prepare)(
                lines.as_ptr().cast(),
                0,
                0,
                x,
                0,
                x,
                0,
                x,
                0,
                activations.as_mut_ptr(),
                0,
                rows,
                k,
                0,
                0.0,
            );
        }
        let seconds = best(50, || {
            let team = team(1);
            // SAFETY: as above.
            unsafe {
                (self.kernels.matmul)(
                    team.as_ptr().cast(),
                    0,
                    0,
                    memory.weights.as_ptr(),
                    0,
                    activations.as_ptr(),
                    0,
                    x,
                    0,
                    x,
                    0,
                    y.as_mut_ptr(),
                    0,
                    rows,
                    k,
                    n,
                    0,
                    1.0,
                );
            }
        });
        (rows * k * n) as f64 / seconds / 1e9
    }
}
