//! Reports on small models, written for the occasion.

use super::*;
use gguf_file::{BlockFormat, GgufBuilder};

fn model() -> Vec<u8> {
    let mut builder = GgufBuilder::new();
    builder.set("general.architecture", "llama").unwrap();
    builder.set("general.name", "Tiny").unwrap();
    builder.set("llama.block_count", 2_u32).unwrap();
    builder.set("llama.context_length", 64_u32).unwrap();
    builder.set("llama.embedding_length", 32_u32).unwrap();
    builder.set("llama.attention.head_count", 4_u32).unwrap();
    builder.set("llama.attention.head_count_kv", 2_u32).unwrap();
    builder.set("llama.attention.layer_norm_rms_epsilon", 1e-5_f32).unwrap();
    builder.set("tokenizer.ggml.model", "gpt2").unwrap();
    builder.set("tokenizer.ggml.pre", "smollm").unwrap();
    builder.set("tokenizer.ggml.tokens", vec!["a".to_owned(), "b".to_owned()]).unwrap();
    builder.tensor("token_embd.weight", &[32, 2], BlockFormat::F32, vec![0; 256]).unwrap();
    builder.tensor("blk.0.attn_q.weight", &[32, 32], BlockFormat::Q8_0, vec![0; 1088]).unwrap();
    builder.write_to(Vec::new()).unwrap()
}

fn files(bytes: &[u8]) -> Vec<SourceFile> {
    vec![SourceFile { name: "tiny.gguf".into(), size_bytes: bytes.len() as u64 }]
}

fn read(bytes: &[u8]) -> Result<ModelReport, Problem> {
    let files = files(bytes);
    open(&[&bytes], &files).map(|gguf| report(&gguf, &files))
}

#[test]
fn the_card_tells_what_the_file_says() {
    let report = read(&model()).unwrap();
    let card = report.card;
    assert_eq!((card.title.as_str(), card.architecture.as_str()), ("Tiny", "llama"));
    assert_eq!(card.parameter_count, 32 * 2 + 32 * 32);
    assert_eq!(card.tensor_bytes, 256 + 1088);
    assert_eq!(card.context_length, Some(64));
    let shares: Vec<_> = card.formats.iter().map(|share| (share.format.as_str(), share.bytes)).collect();
    assert_eq!(shares, [("Q8_0", 1088), ("F32", 256)]);
    let fact =
        |label: &str| card.facts.iter().find(|fact| fact.label == label).map(|fact| fact.value.as_str());
    assert_eq!(fact("Layers"), Some("2"));
    assert_eq!(fact("Attention heads"), Some("4 query, 2 key/value"));
    assert_eq!(fact("Head size"), Some("8"));
    assert_eq!(fact("Norm epsilon"), Some("1e-5"));
    assert_eq!(fact("Tokenizer"), Some("gpt2, smollm"));
    assert_eq!(fact("Chat template"), Some("none"));
    assert_eq!(fact("In the cpu form"), Some("F32, Q8_0 kept as they are"));
    assert_eq!(fact("RoPE base"), None);
    assert_eq!(report.tensors[1].dims, [32, 32]);
    assert_eq!(report.metadata[0].key, "general.architecture");
}

#[test]
fn another_kind_of_file_is_named_and_met_with_advice() {
    let problem = read(b"PK\x03\x04 this is a zip").unwrap_err();
    assert_eq!(problem.message, "Not a GGUF file: it starts with \"PK\\x03\\x04\" instead of \"GGUF\"");
    assert_eq!(problem.place.as_deref(), Some("tiny.gguf"));
    assert!(problem.hint.unwrap().contains(".gguf"));
}

#[test]
fn a_file_cut_short_names_the_tensor() {
    let whole = model();
    let problem = read(&whole[..whole.len() - 100]).unwrap_err();
    assert!(problem.place.unwrap().starts_with("tiny.gguf, tensor \"blk.0.attn_q.weight\""));
    assert!(problem.hint.unwrap().contains("cut short"));
}
