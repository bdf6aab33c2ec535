//! How long attention takes: `cargo bench -p studio-kernels --bench attention`.
//!
//! The cache is that of a whole model and calls go through its layers, so that keys and values come from where they
//! come from in real use. Times are the least of several passes, in one thread. An argument names a set of
//! instructions; without one it is the quickest that the processor has.
#![expect(unsafe_code, clippy::print_stdout, reason = "entry points take raw pointers; a bench prints")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;
use studio_kernels::{
    KernelSet,
    abi::{CacheType, PHASE_WORDS, attend_partials_len},
    entry,
    native::Attention,
};

struct Model {
    name: &'static str,
    layers: usize,
    heads: usize,
    kv_heads: usize,
    head_dim: usize,
}

const MODELS: [Model; 3] = [
    Model { name: "SmolLM2-135M", layers: 30, heads: 9, kv_heads: 3, head_dim: 64 },
    Model { name: "Llama-3.2-1B", layers: 16, heads: 32, kv_heads: 8, head_dim: 64 },
    Model { name: "gemma-3-270m", layers: 18, heads: 4, kv_heads: 1, head_dim: 256 },
];

const PASSES: usize = 7;

/// The least seconds that a pass over all layers takes.
fn least(model: &Model, mut call: impl FnMut(usize, *const u32)) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..PASSES {
        let team = vec![0u32; PHASE_WORDS * model.layers];
        let start = Instant::now();
        for layer in 0..model.layers {
            call(layer, team[PHASE_WORDS * layer..].as_ptr());
        }
        least = least.min(start.elapsed().as_secs_f64());
    }
    least
}

fn kernels(set: KernelSet, cache: CacheType) -> Attention {
    match set {
        #[cfg(target_arch = "x86_64")]
        KernelSet::Avx512Vnni => entry::avx512vnni::attention(cache),
        #[cfg(target_arch = "x86_64")]
        KernelSet::Avx2 => entry::avx2::attention(cache),
        #[cfg(target_arch = "aarch64")]
        KernelSet::I8mm => entry::i8mm::attention(cache),
        #[cfg(target_arch = "aarch64")]
        KernelSet::Dotprod => entry::dotprod::attention(cache),
        _ => entry::portable::attention(cache),
    }
}

fn main() {
    let sets = common::sets();
    let named = std::env::args().skip(1).find_map(|name| KernelSet::from_name(&name));
    let set = named.filter(|set| sets.contains(set)).unwrap_or(sets[0]);
    println!("{}", set.name());
    for model in &MODELS {
        for cache in [CacheType::F16, CacheType::F32] {
            decode(model, kernels(set, cache), cache);
            prefill(model, kernels(set, cache), cache);
        }
    }
}

fn size(cache: CacheType) -> usize {
    match cache {
        CacheType::F16 => 2,
        CacheType::F32 => 4,
    }
}

fn decode(model: &Model, kernels: Attention, of: CacheType) {
    for position in [10, 100, 500, 1900, 8000] {
        let capacity = (position + 1usize).next_multiple_of(64);
        let numbers = model.layers * 2 * model.kv_heads * capacity * model.head_dim;
        let mut cache = vec![0u8; numbers * size(of)];
        let rope = vec![0.5f32; capacity * 2 * model.head_dim];
        let heads = vec![0.1f32; model.heads * model.head_dim];
        let mut partials = vec![0f32; attend_partials_len(model.heads, model.head_dim, capacity)];
        let mut results = heads.clone();
        let seconds = least(model, |layer, team| {
            // SAFETY: all memory is as large as the numbers say.
            unsafe {
                (kernels.attend)(
                    team,
                    0,
                    0,
                    heads.as_ptr(),
                    0,
                    heads.as_ptr(),
                    0,
                    heads.as_ptr(),
                    0,
                    cache.as_mut_ptr(),
                    0,
                    rope.as_ptr(),
                    0,
                    partials.as_mut_ptr(),
                    0,
                    results.as_mut_ptr(),
                    0,
                    position,
                    layer,
                    model.heads,
                    model.kv_heads,
                    model.head_dim,
                    model.head_dim,
                    capacity,
                    0,
                    0.125,
                    0.0,
                );
            }
        });
        let read = model.layers * 2 * model.kv_heads * (position + 1) * model.head_dim * size(of);
        println!(
            "{:13} cache {} attend at {position:5}: {:8.2} us a layer, {:6.2} ns a position and kv head, {:5.1} GB/s",
            model.name,
            of.name(),
            seconds / model.layers as f64 * 1e6,
            seconds / (model.layers * model.kv_heads * (position + 1)) as f64 * 1e9,
            read as f64 / seconds / 1e9,
        );
    }
}

fn prefill(model: &Model, kernels: Attention, of: CacheType) {
    for (position, rows) in [(0, 16), (0, 128), (0, 512), (1536, 512)] {
        let capacity = position + rows;
        let numbers = model.layers * 2 * model.kv_heads * capacity * model.head_dim;
        let mut cache = vec![0u8; numbers * size(of)];
        let rope = vec![0.5f32; capacity * 2 * model.head_dim];
        let heads = vec![0.1f32; rows * model.heads * model.head_dim];
        let mut results = heads.clone();
        let append = least(model, |layer, team| {
            // SAFETY: all memory is as large as the numbers say.
            unsafe {
                (kernels.append)(
                    team,
                    0,
                    0,
                    heads.as_ptr(),
                    0,
                    heads.as_ptr(),
                    0,
                    cache.as_mut_ptr(),
                    0,
                    rope.as_ptr(),
                    0,
                    rows,
                    position,
                    layer,
                    model.kv_heads,
                    model.head_dim,
                    model.head_dim,
                    capacity,
                );
            }
        });
        let attend = least(model, |layer, team| {
            // SAFETY: as above.
            unsafe {
                (kernels.attend_chunk)(
                    team,
                    0,
                    0,
                    heads.as_ptr(),
                    0,
                    cache.as_ptr(),
                    0,
                    rope.as_ptr(),
                    0,
                    results.as_mut_ptr(),
                    0,
                    rows,
                    position,
                    layer,
                    model.heads,
                    model.kv_heads,
                    model.head_dim,
                    model.head_dim,
                    capacity,
                    0,
                    0,
                    0.125,
                    0.0,
                );
            }
        });
        let pairs = rows * position + rows * (rows + 1) / 2;
        let flops = (model.layers * model.heads * pairs * model.head_dim * 4) as f64;
        println!(
            "{:13} cache {} {rows:4} rows from {position:4}: attend_chunk {:8.2} us a layer, {:6.1} GFLOP/s; append {:6.2} us",
            model.name,
            of.name(),
            attend / model.layers as f64 * 1e6,
            flops / attend / 1e9,
            append / model.layers as f64 * 1e6,
        );
    }
}
