//! all-MiniLM-L6-v2, a text to its vector: exported, compiled and run by `studio`, against the model's own formulas and
//! llama.cpp.

use e2e::{minilm, minilm_gguf, scratch, studio};
use serde_json::Value;
use std::{path::PathBuf, process::Command};
use studio_core::tokenizer::Tokenizer;

const TEXTS: [&str; 3] =
    ["The cat sits outside, and it's raining!", "Ein kleiner Hund läuft über die Straße; 日本 🙂", "hi"];

/// What the published weights give by the published formulas, in numpy.
fn expected(tokens: &[u32]) -> Vec<f64> {
    let python = PathBuf::from(std::env::var_os("STUDIO_TEST_PYTHON").expect("run by `./dev test system`"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/embed_minilm.py");
    let output = Command::new(python)
        .args([script, studio::arg(&minilm()), &e2e::reference::list(tokens)])
        .output()
        .expect("starting Python");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("it prints a list")
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    assert_eq!(a.len(), b.len(), "vectors of one length");
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn a_text_gives_the_vector_of_the_published_model() {
    let model = minilm_gguf();
    let source = gguf_file::FileSource::open(&model).expect("the model is there");
    let gguf = gguf_file::Gguf::open(&source).expect("it is a GGUF");
    let tokenizer = Tokenizer::from_metadata(gguf.metadata()).expect("BERT's tokenizer");
    for (weights, seq, least) in [("f32", "64", 1.0 - 1e-5), ("bf16", "32", 1.0 - 1e-3)] {
        let folder = scratch(&format!("embeddings-{weights}"));
        studio::export_and_compile(&model, &folder, &["--weights", weights, "--seq", seq]);
        for text in TEXTS {
            let report: Value = studio::json(&["run", studio::arg(&folder), "--prompt", text]);
            let ours: Vec<f64> = report["embedding"]
                .as_array()
                .expect("a vector")
                .iter()
                .map(|x| x.as_f64().expect("a number"))
                .collect();
            let length = ours.iter().map(|x| x * x).sum::<f64>();
            assert!((length - 1.0).abs() < 1e-5, "of length {length}");
            let tokens = tokenizer.encode(text, true, false).expect("a short text");
            let published = cosine(&ours, &expected(&tokens));
            assert!(published > least, "{weights}, {text:?}: the cosine is {published}");
            let of_llama: Vec<f64> =
                e2e::reference::embedding(&model, &tokens).into_iter().map(f64::from).collect();
            let of_llama = cosine(&ours, &of_llama);
            println!(
                "{weights}, {text:?}: cosine {published} to the published model, {of_llama} to llama.cpp"
            );
            assert!(of_llama > least, "{weights}, {text:?}: the cosine to llama.cpp is {of_llama}");
        }
    }
}

/// Several texts at once: each vector is what it is alone, and cosines say which texts are near.
#[test]
fn texts_are_compared() {
    let folder = scratch("embeddings-several");
    studio::export_and_compile(&minilm_gguf(), &folder, &["--seq", "32"]);
    let bundle = studio::arg(&folder);
    let texts =
        ["A cat sits on the mat.", "A kitten is sitting on a rug.", "The bank raised its interest rates."];
    let several: Vec<&str> = texts.iter().flat_map(|text| ["--prompt", text]).collect();
    let report = studio::json(&[&["run", bundle], &several[..]].concat());
    let alone = studio::json(&["run", bundle, "--prompt", texts[1]]);
    studio::assert_memory_as_said(&folder, &alone);
    assert_eq!(report["runs"][1]["embedding"], alone["embedding"]);
    let cosine = |a: usize, b: usize| report["cosines"][a][b].as_f64().expect("a number");
    assert!((cosine(0, 0) - 1.0).abs() < 1e-5 && cosine(0, 1) == cosine(1, 0), "{}", report["cosines"]);
    assert!(cosine(0, 1) > cosine(0, 2) + 0.3, "{}", report["cosines"]);
}

/// What can't be done is said before any work.
#[test]
fn an_encoder_takes_no_other_contract_and_no_other_form() {
    let model = minilm_gguf();
    let folder = scratch("embeddings-refused");
    let fails = |options: &[&str], words: &str| {
        let args = [&["export", studio::arg(&model), "--out", studio::arg(&folder)][..], options].concat();
        let output = studio::run(&args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(words), "{options:?}: {said}");
    };
    fails(&["--graphs", "kv", "--form", "stablehlo"], "generates no tokens");
    fails(&["--graphs", "embed", "--form", "cpu"], "no kernels yet");
    fails(&["--seq", "1024"], "the model has learned 512 positions");
}
