//! What the whole-system tests share: where the tools are, the real model, llama.cpp as the reference.
//!
//! `xtask test` makes all of it and says where by environment variables; a test that lacks one fails and says
//! how to get it.
#![expect(clippy::panic, reason = "a test that cannot begin says why and ends")]

pub mod bundle;
pub mod compare;
pub mod reference;
mod scratch;
pub mod studio;
pub mod tiny;

pub use scratch::{Scratch, scratch};

use std::{env, path::PathBuf};

/// A path that `xtask test` set.
fn given(variable: &str) -> PathBuf {
    match env::var_os(variable) {
        Some(path) => PathBuf::from(path),
        None => panic!("{variable} is not set: run these tests with `./dev test system`"),
    }
}

/// The cache folder of tools and models.
pub fn cache() -> PathBuf {
    given("STUDIO_CACHE")
}

/// SmolLM2-135M-Instruct, Q4_1, as it was published.
pub fn smollm2() -> PathBuf {
    cache().join("models/SmolLM2-135M-Instruct.Q4_1.gguf")
}

/// The same model with its matrices as `F16` or `F32`, written by the `gguf` Python package, or in another type,
/// quantised from `F32` by llama.cpp.
pub fn smollm2_as(name: &str) -> PathBuf {
    cache().join(format!("models/SmolLM2-135M-Instruct.{name}.gguf"))
}

/// Gemma 3 270M, the pretrained one, Q4_K_M, as it was published.
pub fn gemma3() -> PathBuf {
    cache().join("models/gemma-3-270m-q4_k_m.gguf")
}

/// The numbers of [`gemma3`]'s blocks as F32, written by the `gguf` Python package.
pub fn gemma3_f32() -> PathBuf {
    cache().join("models/gemma-3-270m-q4_k_m.F32.gguf")
}

/// all-MiniLM-L6-v2, as it was published: weights, configuration, vocabulary.
pub fn minilm() -> PathBuf {
    cache().join("models/all-MiniLM-L6-v2")
}

/// The same as a GGUF in F32, written by the `gguf` Python package.
pub fn minilm_gguf() -> PathBuf {
    cache().join("models/all-MiniLM-L6-v2.F32.gguf")
}

/// One of IREE's own tools.
pub fn iree_tool(name: &str) -> PathBuf {
    cache().join("iree-3.13.0/iree/_runtime_libs").join(name)
}
