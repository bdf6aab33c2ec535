//! The cpu form of tiny llama models: its text, and that what IREE's compiler makes of it computes the logits of
//! `lowering/make_fixture.py`, with any number of threads.

use super::super::{arg_max, spaced};
use super::model::{Expected, cpu_text, lower};
use super::module::{Module, schedule};
use expect_test::expect_file;
use studio_core::options::{
    Activations, CacheElement, CpuOptions, ExportOptions, Form, GraphKind, Kernels, Weights,
};

const TIED: &str = "tied.gguf";

fn options(kernels: Kernels, weights: Weights) -> ExportOptions {
    let form = Form::Cpu(CpuOptions { kernels, activations: Activations::I8, cache: CacheElement::F16 });
    let graphs = vec![GraphKind::Redecode, GraphKind::Kv];
    ExportOptions { weights, graphs, seq: 12, context: 16, chunk: 4, ..ExportOptions::of(form) }
}

/// The sets of kernels that this machine can run.
fn usable() -> Vec<Kernels> {
    #[cfg(target_arch = "x86_64")]
    let has = |kernels| match kernels {
        Kernels::Avx512Vnni => {
            std::is_x86_feature_detected!("avx512vnni") && std::is_x86_feature_detected!("avx512bw")
        }
        Kernels::Avx2 => std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma"),
        Kernels::I8mm | Kernels::Dotprod => false,
        Kernels::Portable => true,
    };
    #[cfg(not(target_arch = "x86_64"))]
    let has = |kernels| kernels == Kernels::Portable;
    Kernels::ALL.into_iter().filter(|&kernels| has(kernels)).collect()
}

#[test]
fn text_of_a_tied_model() {
    let options = ExportOptions { graphs: vec![GraphKind::Kv], ..options(Kernels::Portable, Weights::Keep) };
    let text = cpu_text(TIED, &options, b"BC\xC0\xDE and so on").unwrap();
    expect_file!["../out/tied-cpu.mlir"].assert_eq(&text);
    assert_eq!(cpu_text(TIED, &options, b"BC\xC0\xDE and so on").unwrap(), text);
}

#[test]
fn what_kernels_cannot_do_is_refused_with_its_place() {
    let error = cpu_text("untied.gguf", &options(Kernels::Portable, Weights::Keep), b"BC").unwrap_err();
    assert_eq!(
        error.to_string(),
        "function main, scope \"layer 0 / attention\": there is no kernel for heads of 12 numbers: they must be a \
         multiple of 8, at most 512; choose the stablehlo form"
    );
}

#[test]
fn no_call_copies_the_cache() {
    let Some(schedule) = schedule(&lower(TIED, &options(Kernels::Portable, Weights::Keep))) else { return };
    assert!(schedule.contains("stream.cmd.dispatch"));
    let copies: Vec<&str> = schedule.lines().filter(|line| line.contains("stream.cmd.copy")).collect();
    assert!(copies.is_empty(), "{copies:#?}");
}

/// Chunks with and without padding, one that starts over what an earlier one padded, then single tokens.
#[test]
fn prefill_and_decode_give_the_logits_of_the_whole_sequence() {
    for kernels in usable() {
        let Some(module) = Module::compile(&lower(TIED, &options(kernels, Weights::Keep))) else { return };
        let expected = Expected::read(TIED);
        for device in ["local-sync", "local-task"] {
            let mut cache = "2x4x64x8xf16=0".to_owned();
            for (position, count) in [(0, 4), (4, 2), (6, 3), (9, 1), (10, 1)] {
                let mut chunk = expected.tokens[position..position + count].to_vec();
                let results = ["next", "logits", "cache"];
                let called = if count == 1 {
                    let arguments = [format!("1xi32={}", chunk[0]), format!("{position}"), cache];
                    module.call_on(device, "decode", &arguments, &results)
                } else {
                    chunk.resize(4, 47);
                    let tokens = format!("4xi32={}", spaced(&chunk));
                    let arguments = [tokens, format!("{position}"), format!("{count}"), cache];
                    module.call_on(device, "prefill", &arguments, &results)
                };
                let row = &expected.logits[position + count - 1];
                let logits = called.f32("logits");
                let worst = row.iter().zip(&logits).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(worst < 2e-2, "{kernels:?} at {position}: off by {worst}");
                assert_eq!(called.i32("next"), [arg_max(&logits)]);
                cache = called.argument("cache");
            }
        }
    }
}

#[test]
fn redecode_gives_the_next_token_at_every_position() {
    for kernels in usable() {
        let Some(module) = Module::compile(&lower(TIED, &options(kernels, Weights::Keep))) else { return };
        let expected = Expected::read(TIED);
        let mut tokens = expected.tokens.clone();
        tokens.push(0);
        let best: Vec<i32> = expected.logits.iter().map(|row| arg_max(row)).collect();
        for device in ["local-sync", "local-task"] {
            let tokens = format!("1x12xi32={}", spaced(&tokens));
            let next = module.call_on(device, "main", &[tokens], &["next"]).i32("next");
            assert_eq!(next[..11], best, "{kernels:?} on {device}");
        }
    }
}
