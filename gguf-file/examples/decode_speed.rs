//! How fast each format is decoded: `cargo run --release -p gguf-file --example decode_speed`.
//!
//! Prints GB/s of `f32` output and the ratio to a plain copy of as many bytes.

#![expect(clippy::print_stdout, reason = "an example that measures and prints")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use gguf_file::BlockFormat;

/// More than a second-level cache, as in the streaming use that this stands for.
const ELEMENTS: usize = 1 << 20;

fn main() {
    let from = vec![1.0_f32; ELEMENTS];
    let mut out = vec![0.0_f32; ELEMENTS];
    let copy = best(|| black_box(&mut out).copy_from_slice(black_box(&from)));
    println!("{:8} {:6.2} GB/s", "copy", gigabytes_per_second(copy));
    for format in BlockFormat::ALL.iter().copied().filter(|format| format.can_decode()) {
        let blocks = blocks(format);
        let time = best(|| format.decode(black_box(&blocks), black_box(&mut out)).expect("whole blocks"));
        let ratio = time.as_secs_f64() / copy.as_secs_f64();
        println!("{:8} {:6.2} GB/s  {ratio:5.2} × copy", format.name(), gigabytes_per_second(time));
    }
}

/// Blocks of ordinary bytes: no denormals or infinities in the places of scales.
fn blocks(format: BlockFormat) -> Vec<u8> {
    let bytes = format.size_bytes(ELEMENTS as u64).expect("a multiple of every block") as usize;
    (0..bytes).map(|i| (i % 59) as u8).collect()
}

fn best(mut work: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..30 {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
    }
    best
}

fn gigabytes_per_second(time: Duration) -> f64 {
    (ELEMENTS * size_of::<f32>()) as f64 / time.as_secs_f64() / 1e9
}
