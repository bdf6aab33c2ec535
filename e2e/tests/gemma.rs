//! Gemma 3 270M, a model that people have, from its GGUF to tokens: sliding windows, norms of heads, two rotations, a
//! vocabulary of 262144 tokens, blocks of five types.

use e2e::{Scratch, compare, gemma3, gemma3_f32, reference, scratch, studio};
use runner_agent::{BundleFiles, engine};
use serde_json::Value;
use std::path::Path;

/// The beginning of Alice's Adventures in Wonderland: more tokens than a window has positions, which are 512.
const TEXT: &str = include_str!("../../runner-agent/src/text/alice.txt");

/// Tokens of the text that are decoded one by one.
const DECODED: usize = 64;

/// llama.cpp looks GELU up in a table of f16, by an input that was rounded to f16; each layer adds to that.
const ROUNDED_GELU: f64 = 1e-3;

const THREADS: u32 = 2;

struct Exported {
    folder: Scratch,
    bundle: BundleFiles,
}

impl Exported {
    fn new(name: &str, options: &[&str]) -> Self {
        let folder = scratch(name);
        studio::export_and_compile(&gemma3(), &folder, options);
        let bundle = BundleFiles::open(&folder).expect("the export is a bundle");
        Self { folder, bundle }
    }

    fn forced(&self, tokens: &[u32], path: engine::Path) -> engine::Forced {
        let module = self.folder.join("host.vmfb");
        engine::teacher_forced(&self.bundle, &module, tokens, Some(THREADS), path)
            .expect("running the module over the text")
    }

    fn vocabulary(&self) -> usize {
        self.bundle.manifest().model.vocabulary_size as usize
    }

    /// How far what was said at some positions is from llama.cpp's logits at all.
    fn distance(&self, want: &[f32], got: &engine::Forced) -> compare::Distance {
        let vocabulary = self.vocabulary();
        let rows = got.positions.iter().map(|&at| &want[at * vocabulary..][..vocabulary]);
        compare::logits(&rows.collect::<Vec<_>>().concat(), &got.logits.concat(), vocabulary)
    }
}

/// The text's first tokens, as the model is given them: behind the token that begins a text.
fn tokens(count: usize) -> Vec<u32> {
    const BEGIN: u32 = 2;
    let mut tokens = vec![BEGIN];
    tokens.extend(reference::tokens(&gemma3(), TEXT));
    assert!(tokens.len() >= count, "the text has {} tokens", tokens.len());
    tokens.truncate(count);
    tokens
}

#[test]
fn the_portable_form_has_the_logits_of_llama_cpp() {
    let lengths = ["--graphs", "kv", "--context", "128", "--chunk", "24"];
    let exported = Exported::new(
        "gemma-portable",
        &[&["--form", "stablehlo", "--weights", "f32"], &lengths[..]].concat(),
    );
    let tokens = tokens(DECODED);
    let want = reference::logits(&gemma3_f32(), &tokens, &exported.folder);
    for path in [engine::Path::Decode, engine::Path::Prefill] {
        let distance = exported.distance(&want, &exported.forced(&tokens, path));
        println!("stablehlo, f32, {path:?}: {distance:?}");
        assert!(distance.max_relative < ROUNDED_GELU && distance.mean_kl < 5e-6, "{path:?}: {distance:?}");
    }
    let report = studio::json(&["run", studio::arg(&exported.folder), "--prompt", "The", "-n", "2"]);
    studio::assert_memory_as_said(&exported.folder, &report);
}

/// With f32 activations nothing is rounded; the text is longer than a window.
#[test]
fn kernels_have_the_logits_of_llama_cpp_beyond_a_window() {
    let lengths = ["--context", "1024", "--chunk", "64", "--activations", "f32", "--cache", "f32"];
    let exported = Exported::new("gemma-exact", &lengths);
    let tokens = tokens(528);
    let want = reference::logits(&gemma3_f32(), &tokens, &exported.folder);
    let chunked = exported.distance(&want, &exported.forced(&tokens, engine::Path::Prefill));
    println!("cpu, f32, chunks: {chunked:?}");
    let decoded = exported.distance(&want, &exported.forced(&tokens[..DECODED], engine::Path::Decode));
    println!("cpu, f32, single tokens: {decoded:?}");
    for distance in [chunked, decoded] {
        assert!(distance.max_relative < ROUNDED_GELU && distance.mean_kl < 5e-6, "{distance:?}");
    }
}

/// What somebody gets who chooses nothing: blocks as they are, activations as bytes, as llama.cpp has them.
#[test]
fn the_usual_export_says_what_llama_cpp_says() {
    let exported = Exported::new("gemma-usual", &[]);
    let (bundle, model) = (studio::arg(&exported.folder), gemma3());
    let verify = ["verify", bundle, "--against", studio::arg(&model), "--tokens", "96", "--json"];
    let output = studio::eager_command().args(verify).output().expect("starting studio");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    println!(
        "int8 activations: KL {}, of llama.cpp from itself {}",
        report["mean_kl"], report["eager_against_itself"]["mean_kl"]
    );
    assert!(output.status.success() && report["passed"] == true, "{report:#}");

    let prompt = "The capital of France is";
    let report = studio::json(&["run", bundle, "--prompt", prompt, "-n", "12"]);
    let got: Vec<u32> = serde_json::from_value(report["tokens"].clone()).expect("`tokens` is a list of ids");
    assert_continues_like_llama_cpp(&model, prompt, &got);
}

/// The file has no chat template, being of the pretrained model: a prompt is continued as it is, behind the token that
/// begins a text.
fn assert_continues_like_llama_cpp(model: &Path, prompt: &str, got: &[u32]) {
    const BEGIN: u32 = 2;
    let mut tokens = vec![BEGIN];
    tokens.extend(reference::tokens(model, prompt));
    let want = reference::greedy(model, &tokens, got.len());
    for (place, (got, (want, margin))) in got.iter().zip(want.tokens.iter().zip(&want.margins)).enumerate() {
        if got != want {
            assert!(*margin < 0.5, "token {place}: {got}, llama.cpp {want} by a margin of {margin}");
            break; // From here on the two continue different texts.
        }
    }
    assert!(!got.is_empty(), "the prompt is continued");
}
