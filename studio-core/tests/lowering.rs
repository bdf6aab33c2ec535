//! Tiny llama models, lowered: their text, that IREE's compiler takes it, and that what it makes of it computes the
//! logits of `lowering/make_fixture.py`.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking too")]

mod lowering {
    mod cpu;
    pub(crate) mod model;
    pub(crate) mod module;
    pub(crate) mod npy;
}
mod stock;

use expect_test::{ExpectFile, expect_file};
use lowering::model::{Expected, Lowered, lower};
use lowering::module::{Module, schedule};
use studio_core::options::{ExportOptions, GraphKind, Weights};

const TIED: &str = "tied.gguf";
/// Its embedding isn't tied; it has biases, rope factors, heads that are wider than their share and only partly
/// rotated.
const UNTIED: &str = "untied.gguf";

fn options(weights: Weights, graphs: &[GraphKind]) -> ExportOptions {
    let graphs = graphs.to_vec();
    ExportOptions { weights, graphs, seq: 12, context: 16, chunk: 4, ..ExportOptions::default() }
}

fn check_text(lowered: &Lowered, expected: ExpectFile) {
    expected.assert_eq(&lowered.text);
    // The compiler judges the text, whatever the golden says.
    let _module = Module::compile(lowered);
}

#[test]
fn redecode_text_of_a_tied_model() {
    let lowered = lower(TIED, &options(Weights::Bf16, &[GraphKind::Redecode]));
    check_text(&lowered, expect_file!["out/tied-redecode-bf16.mlir"]);
}

#[test]
fn kv_text_of_a_tied_model() {
    let lowered = lower(TIED, &options(Weights::F16, &[GraphKind::Kv]));
    check_text(&lowered, expect_file!["out/tied-kv-f16.mlir"]);
}

#[test]
fn redecode_text_of_an_untied_model() {
    let lowered = lower(UNTIED, &options(Weights::F32, &[GraphKind::Redecode]));
    check_text(&lowered, expect_file!["out/untied-redecode-f32.mlir"]);
}

#[test]
fn no_call_copies_the_cache() {
    let Some(schedule) = schedule(&lower(TIED, &options(Weights::F16, &[GraphKind::Kv]))) else { return };
    assert!(schedule.contains("stream.cmd.dispatch"));
    let copies: Vec<&str> = schedule.lines().filter(|line| line.contains("stream.cmd.copy")).collect();
    assert!(copies.is_empty(), "{copies:#?}");
}

#[test]
fn the_same_model_and_options_give_the_same_text() {
    let options = options(Weights::Bf16, &[GraphKind::Redecode, GraphKind::Kv]);
    assert_eq!(lower(UNTIED, &options).text, lower(UNTIED, &options).text);
}

#[test]
fn redecode_gives_the_next_token_at_every_position() {
    for (model, weights) in
        [(TIED, Weights::F32), (TIED, Weights::Bf16), (UNTIED, Weights::F32), (UNTIED, Weights::F16)]
    {
        let Some(module) = Module::compile(&lower(model, &options(weights, &[GraphKind::Redecode]))) else {
            return;
        };
        let expected = Expected::read(model);
        let mut tokens = expected.tokens.clone();
        tokens.push(0);
        let next = module.call("main", &[&format!("1x12xi32={}", spaced(&tokens))], &["next"]).i32("next");
        let best = expected.logits.iter().map(|row| arg_max(row));
        assert_eq!(next[..11], best.collect::<Vec<_>>(), "{model} {weights:?}");
    }
}

/// Chunks with and without padding, one that starts over what an earlier one padded, then single tokens up to the
/// last position.
#[test]
fn prefill_and_decode_give_the_logits_of_the_whole_sequence() {
    for (model, weights, heads) in [
        (TIED, Weights::F32, "2x4x64x8xf32"),
        (TIED, Weights::F16, "2x4x64x8xf16"),
        (UNTIED, Weights::F32, "2x4x64x12xf32"),
        (UNTIED, Weights::Bf16, "2x4x64x12xf16"),
    ] {
        let Some(module) = Module::compile(&lower(model, &options(weights, &[GraphKind::Kv]))) else {
            return;
        };
        let expected = Expected::read(model);
        let mut cache = format!("{heads}=0");
        for (position, count) in [(0, 4), (4, 2), (6, 3), (9, 1), (10, 1)] {
            let mut chunk = expected.tokens[position..position + count].to_vec();
            let results = ["next", "logits", "cache"];
            let called = if count == 1 {
                let arguments = [format!("1xi32={}", chunk[0]), format!("{position}"), cache];
                module.call("decode", &arguments, &results)
            } else {
                chunk.resize(4, 47);
                let tokens = format!("4xi32={}", spaced(&chunk));
                module.call("prefill", &[tokens, format!("{position}"), format!("{count}"), cache], &results)
            };
            let row = &expected.logits[position + count - 1];
            let logits = called.f32("logits");
            let worst = row.iter().zip(&logits).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            let allowed = if weights == Weights::F32 { 2e-5 } else { 2e-2 };
            assert!(worst < allowed, "{model} {weights:?} at {position}: off by {worst}");
            assert_eq!(called.i32("next"), [arg_max(&logits)]);
            cache = called.argument("cache");
        }
    }
}

/// The last chunk may hang over the end of the context: its padding must not move the valid tokens.
#[test]
fn a_chunk_may_start_at_the_last_position() {
    let Some(module) = Module::compile(&lower(TIED, &options(Weights::F32, &[GraphKind::Kv]))) else {
        return;
    };
    let expected = Expected::read(TIED);
    let prompt: Vec<i32> = expected.tokens.iter().copied().cycle().take(16).collect();
    let feed = |chunks: &[(usize, usize)]| {
        let mut cache = "2x4x64x8xf32=0".to_owned();
        let mut logits = Vec::new();
        for &(position, count) in chunks {
            let mut tokens = prompt[position..position + count].to_vec();
            tokens.resize(4, 0);
            let tokens = format!("4xi32={}", spaced(&tokens));
            let arguments = [tokens, format!("{position}"), format!("{count}"), cache];
            let called = module.call("prefill", &arguments, &["next", "logits", "cache"]);
            logits = called.f32("logits");
            cache = called.argument("cache");
        }
        logits
    };
    let aligned = feed(&[(0, 4), (4, 4), (8, 4), (12, 4)]);
    let hanging = feed(&[(0, 4), (4, 4), (8, 4), (12, 3), (15, 1)]);
    let worst = aligned.iter().zip(&hanging).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 2e-5, "off by {worst}");
}

fn spaced(tokens: &[i32]) -> String {
    tokens.iter().map(i32::to_string).collect::<Vec<_>>().join(" ")
}

/// The first of the greatest.
fn arg_max(row: &[f32]) -> i32 {
    let best =
        row.iter().enumerate().fold(0, |best, (index, value)| if *value > row[best] { index } else { best });
    i32::try_from(best).unwrap()
}
