//! llama.cpp as the reference, through the program in `e2e/llama-reference`.

use serde::Deserialize;
use std::{fs, path::Path, process::Command};

/// What llama.cpp's greedy continuation is.
#[derive(Debug, Deserialize)]
pub struct Greedy {
    /// The tokens.
    pub tokens: Vec<u32>,
    /// How far the best logit is ahead of the second, at each.
    pub margins: Vec<f64>,
}

/// The token ids of a text, special tokens in it read as such.
pub fn tokens(model: &Path, text: &str) -> Vec<u32> {
    let text = run(&["tokens", path(model), text, "--parse-special"]);
    serde_json::from_str(&text).expect("llama-reference prints a JSON list")
}

/// The token ids of each text in a JSON file of them; with `special`, special tokens are added around the text and read in
/// it.
pub fn token_lists(model: &Path, texts: &Path, special: bool) -> Vec<Vec<u32>> {
    let mut args = vec!["tokens", path(model), "--batch", path(texts)];
    if special {
        args.extend(["--add-special", "--parse-special"]);
    }
    serde_json::from_str(&run(&args)).expect("llama-reference prints JSON lists")
}

/// The text of each list of ids in a JSON file of them, control tokens written out, bytes that are no UTF-8 replaced.
pub fn texts(model: &Path, lists: &Path) -> Vec<String> {
    let text = run(&["text", path(model), "--batch", path(lists)]);
    serde_json::from_str(&text).expect("llama-reference prints a JSON list")
}

/// The logits at every position, row by row; with a cache in f32 and plain attention, so that llama.cpp itself rounds
/// nothing to f16 but the inputs of products with F16 matrices.
pub fn logits(model: &Path, tokens: &[u32], scratch: &Path) -> Vec<f32> {
    let file = scratch.join("reference.f32");
    run(&["logits", path(model), "--exact", "--tokens", &list(tokens), "--out", path(&file)]);
    let bytes = fs::read(&file).expect("llama-reference wrote its logits");
    bytes.as_chunks::<4>().0.iter().map(|&value| f32::from_le_bytes(value)).collect()
}

/// The vector of a text's tokens, of length 1, nothing rounded to f16.
pub fn embedding(model: &Path, tokens: &[u32]) -> Vec<f32> {
    let text = run(&["embed", path(model), "--exact", "--tokens", &list(tokens)]);
    serde_json::from_str(&text).expect("llama-reference prints a JSON list")
}

/// The greedy continuation of `count` tokens.
pub fn greedy(model: &Path, tokens: &[u32], count: usize) -> Greedy {
    let text = run(&["greedy", path(model), "--tokens", &list(tokens), "-n", &count.to_string()]);
    serde_json::from_str(&text).expect("llama-reference prints JSON")
}

/// Token ids as an argument.
pub fn list(tokens: &[u32]) -> String {
    tokens.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

fn path(path: &Path) -> &str {
    path.to_str().expect("test paths are UTF-8")
}

fn run(args: &[&str]) -> String {
    let output =
        Command::new(super::given("LLAMA_REFERENCE")).args(args).output().expect("starting llama-reference");
    assert!(output.status.success(), "llama-reference {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("llama-reference prints UTF-8")
}
