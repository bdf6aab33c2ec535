//! A llama of two layers and width 16, made by code, and the stock tools that tests compile and compare with.

#![allow(dead_code, unreachable_pub, reason = "each test program uses a part of this")]

use gguf_file::{BlockFormat, GgufBuilder, Value, ValueArray};
use std::{
    fs::File,
    io::BufWriter,
    path::{Path, PathBuf},
};

const VOCABULARY: u64 = 16;
const WIDTH: u64 = 16;
const HEADS: u64 = 2;
const KV_HEADS: u64 = 1;
const FEED_FORWARD: u64 = 16;

/// What is wrong with a model.
#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    None,
    UnknownArchitecture,
    UnknownTokenizer,
    NoTensor(&'static str),
    /// Norms of NaN.
    NotNumbers,
    /// Another name.
    Name(&'static str),
}

/// Writes the model.
pub fn write(path: &Path, fault: Fault) {
    let mut builder = GgufBuilder::new();
    let architecture = if fault == Fault::UnknownArchitecture { "mamba9" } else { "llama" };
    builder.set("general.architecture", Value::String(architecture.to_owned())).unwrap();
    let name = if let Fault::Name(name) = fault { name } else { "Tiny" };
    builder.set("general.name", Value::String(name.to_owned())).unwrap();
    for (key, value) in [
        ("block_count", 2),
        ("context_length", 64),
        ("embedding_length", WIDTH),
        ("feed_forward_length", FEED_FORWARD),
        ("attention.head_count", HEADS),
        ("attention.head_count_kv", KV_HEADS),
        ("rope.dimension_count", WIDTH / HEADS),
        ("vocab_size", VOCABULARY),
    ] {
        let value = Value::U32(u32::try_from(value).unwrap());
        builder.set(format!("{architecture}.{key}"), value).unwrap();
    }
    builder.set(format!("{architecture}.attention.layer_norm_rms_epsilon"), Value::F32(1e-5)).unwrap();
    tokenizer(&mut builder, if fault == Fault::UnknownTokenizer { "abacus" } else { "gpt2" });
    for (name, dims) in tensors() {
        if !matches!(fault, Fault::NoTensor(missing) if missing == name) {
            let count = usize::try_from(dims.iter().product::<u64>()).unwrap();
            let data = match fault {
                Fault::NotNumbers if name.contains("norm") => f32::NAN.to_le_bytes().repeat(count),
                _ => values(&name, count),
            };
            builder.tensor(&name, &dims, BlockFormat::F32, data).unwrap();
        }
    }
    builder.write_to(BufWriter::new(File::create(path).unwrap())).unwrap();
}

fn tokenizer(builder: &mut GgufBuilder, model: &str) {
    let tokens = ('a'..='p').map(|letter| letter.to_string()).collect();
    builder.set("tokenizer.ggml.model", Value::String(model.to_owned())).unwrap();
    builder.set("tokenizer.ggml.pre", Value::String("smollm".to_owned())).unwrap();
    builder.set("tokenizer.ggml.tokens", Value::Array(ValueArray::Strings(tokens))).unwrap();
    builder.set("tokenizer.ggml.token_type", Value::Array(ValueArray::I32(vec![1; 16]))).unwrap();
    builder.set("tokenizer.ggml.merges", Value::Array(ValueArray::Strings(Vec::new()))).unwrap();
    builder.set("tokenizer.ggml.eos_token_id", Value::U32(15)).unwrap();
}

/// Names and dimensions in ggml's order.
fn tensors() -> Vec<(String, Vec<u64>)> {
    let kv = WIDTH / HEADS * KV_HEADS;
    let mut tensors = vec![
        ("token_embd.weight".to_owned(), vec![WIDTH, VOCABULARY]),
        ("output_norm.weight".to_owned(), vec![WIDTH]),
    ];
    for layer in 0..2 {
        for (part, dims) in [
            ("attn_norm", vec![WIDTH]),
            ("attn_q", vec![WIDTH, WIDTH]),
            ("attn_k", vec![WIDTH, kv]),
            ("attn_v", vec![WIDTH, kv]),
            ("attn_output", vec![WIDTH, WIDTH]),
            ("ffn_norm", vec![WIDTH]),
            ("ffn_gate", vec![WIDTH, FEED_FORWARD]),
            ("ffn_up", vec![WIDTH, FEED_FORWARD]),
            ("ffn_down", vec![FEED_FORWARD, WIDTH]),
        ] {
            tensors.push((format!("blk.{layer}.{part}.weight"), dims));
        }
    }
    tensors
}

/// Numbers between -1 and 1 that depend on the name alone.
fn values(name: &str, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    blake3::Hasher::new().update(name.as_bytes()).finalize_xof().fill(&mut bytes);
    bytes.iter().flat_map(|byte| ((f32::from(*byte) - 127.5) / 127.5).to_le_bytes()).collect()
}

/// `iree-compile`, or `None` where it isn't fetched.
pub fn compiler() -> Option<PathBuf> {
    tool("compiler/_mlir_libs/iree-compile")
}

/// A program of IREE's wheels that `./dev test` fetches. Where it is missing a test is skipped, loudly; in CI it
/// fails.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub fn tool(path: &str) -> Option<PathBuf> {
    let folder =
        |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = folder("STUDIO_CACHE")
        .or_else(|| Some(folder("XDG_CACHE_HOME")?.join("lowering-studio")))
        .unwrap_or_else(|| folder("HOME").unwrap().join(".cache/lowering-studio"));
    let path = cache.join("iree-3.13.0/iree").join(path);
    if path.is_file() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "{} is not there", path.display());
    eprintln!("skipped: {} is not there; `./dev test` fetches it", path.display());
    None
}
