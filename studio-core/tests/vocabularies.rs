//! The tokenizer on vocabularies of many families, against the ids that llama.cpp keeps beside them for its own tests.
//! On harder texts, and other rules for words, `e2e/tests/tokenizers.rs` asks llama.cpp itself.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cache;

use std::fs;

use studio_core::tokenizer::Tokenizer;

/// What stands behind each text.
const SEPARATOR: &str = "\n__ggml_vocab_test__\n";

#[track_caller]
fn assert_agrees(name: &str) {
    let folder = cache::folder().join("vocabularies");
    let path = folder.join(format!("ggml-vocab-{name}.gguf"));
    let tokenizer = Tokenizer::from_metadata(&cache::metadata_of(&path)).unwrap();
    let read = |extension: &str| fs::read_to_string(path.with_extension(extension)).unwrap();
    let (texts, expected) = (read("gguf.inp"), read("gguf.out"));
    let texts: Vec<&str> = texts.strip_suffix(SEPARATOR).unwrap().split(SEPARATOR).collect();
    let expected: Vec<&str> = expected.lines().collect();
    assert!(
        texts.len() > 40 && texts.len() == expected.len(),
        "{} texts, {} lists",
        texts.len(),
        expected.len()
    );
    for (text, expected) in texts.into_iter().zip(expected) {
        let expected: Vec<u32> = expected.split_whitespace().map(|id| id.parse().unwrap()).collect();
        assert_eq!(tokenizer.encode(text, false, false).unwrap(), expected, "{name}: {text:?}");
    }
}

macro_rules! agrees {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            assert_agrees($name);
        })*
    };
}

agrees! {
    bert: "bert-bge",
    command_r: "command-r",
    deepseek_coder: "deepseek-coder",
    deepseek_llm: "deepseek-llm",
    falcon: "falcon",
    gpt_2: "gpt-2",
    llama_bpe: "llama-bpe",
    llama_spm: "llama-spm",
    mpt: "mpt",
    phi_3: "phi-3",
    qwen2: "qwen2",
    qwen35: "qwen35",
    refact: "refact",
    starcoder: "starcoder",
}
