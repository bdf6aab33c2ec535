//! Exports of the real model against llama.cpp: logits, and the two contracts against each other.

use e2e::{compare, reference, scratch, smollm2, smollm2_as, studio};
use runner_agent::{BundleFiles, engine};
use std::path::Path;

/// A conversation, code, and prose in other scripts.
const PROMPTS: [&str; 3] = [
    "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n\
     <|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n",
    "fn fibonacci(n: u64) -> u64 {\n    match n {\n        0 => 0,\n        1 => 1,\n        _ => fibonacci(n - 1) +",
    "Der Mond ist die Ursache der Gezeiten. La lune tourne autour de la Terre en vingt-sept jours; 月は地球の衛星です。",
];

const THREADS: u32 = 2;

/// Positions that every graph here can hold, and the prompts with their continuations need.
const LENGTHS: [&str; 6] = ["--seq", "96", "--context", "256", "--chunk", "16"];

fn vocabulary(bundle: &BundleFiles) -> usize {
    bundle.manifest().model.vocabulary_size as usize
}

#[test]
fn the_f32_export_has_the_logits_of_llama_cpp() {
    let folder = scratch("f32");
    studio::export_and_compile(
        &smollm2(),
        &folder,
        &[&["--form", "stablehlo", "--weights", "f32"], &LENGTHS[..]].concat(),
    );
    let bundle = BundleFiles::open(&folder).expect("the export is a bundle");
    let module = folder.join("host.vmfb");

    for prompt in PROMPTS {
        let tokens = reference::tokens(&smollm2(), prompt);
        let forced = |path| engine::teacher_forced(&bundle, &module, &tokens, Some(THREADS), path);
        let decoded = forced(engine::Path::Decode).expect("decoding the prompt");
        let ours = decoded.logits.concat();
        // With F32 matrices both sides compute the same sums in another order; with F16 ones llama.cpp rounds.
        for (float, relative, divergence) in [("F32", 1e-4, 1e-8), ("F16", 2e-3, 1e-4)] {
            let want = reference::logits(&smollm2_as(float), &tokens, &folder);
            let distance = compare::logits(&want, &ours, vocabulary(&bundle));
            println!("{} tokens of {prompt:.20?}…, llama.cpp's {float}: {distance:?}", tokens.len());
            assert!(distance.max_relative < relative, "{prompt:?}, {float}: {distance:?}");
            assert!(distance.mean_kl < divergence, "{prompt:?}, {float}: {distance:?}");
        }
        let whole = forced(engine::Path::Redecode).expect("running the whole sequence");
        assert_eq!(
            whole.next, decoded.next,
            "both contracts name the same token at every position of {prompt:?}"
        );
        let chunked = forced(engine::Path::Prefill).expect("prefilling the prompt");
        for (&position, &next) in chunked.positions.iter().zip(&chunked.next) {
            assert_eq!(
                next, decoded.next[position],
                "prefill and decode agree at position {position} of {prompt:?}"
            );
        }
    }
}

#[test]
fn greedy_tokens_are_those_of_llama_cpp_where_its_margin_is_clear() {
    let folder = scratch("f32-greedy");
    studio::export_and_compile(
        &smollm2(),
        &folder,
        &[&["--form", "stablehlo", "--weights", "f32", "--graphs", "kv"], &LENGTHS[..]].concat(),
    );
    for prompt in PROMPTS {
        let tokens = reference::tokens(&smollm2(), prompt);
        let want = reference::greedy(&smollm2_as("F16"), &tokens, 24);
        let got = generate(&folder, &tokens, 24);
        for (position, (&got, (&want, &margin))) in
            got.iter().zip(want.tokens.iter().zip(&want.margins)).enumerate()
        {
            if got != want {
                assert!(
                    margin <= 0.05,
                    "{prompt:?}, token {position}: {got}, llama.cpp {want} by a margin of {margin}"
                );
                break; // From here on the two continue different texts.
            }
        }
        assert!(!got.is_empty(), "{prompt:?} is continued");
    }
}

fn generate(bundle: &Path, tokens: &[u32], count: usize) -> Vec<u32> {
    let (tokens, count) = (reference::list(tokens), count.to_string());
    let report = studio::json(&["run", studio::arg(bundle), "--tokens", &tokens, "-n", &count]);
    studio::assert_memory_as_said(bundle, &report);
    serde_json::from_value(report["tokens"].clone()).expect("`tokens` is a list of ids")
}
