//! The architectures: one file each, which says what a model of it is made of.
//!
//! The facts are those of llama.cpp's graph of the same architecture. docs/adding-a-family.md goes through one.

mod bert;
mod gemma;
mod gemma2;
mod gemma3;
mod gpt2;
mod granite;
mod llama;
mod nomic_bert;
mod olmo2;
mod olmoe;
mod phi3;
mod qwen2;
mod qwen2moe;
mod qwen3;
mod qwen3moe;
mod smollm3;
mod stablelm;
mod starcoder2;

use super::BuildError;
use super::decoder::Decoder;
use super::encoder::Encoder;
use super::model::Model;

/// An architecture of decoders: its models generate tokens.
pub(super) struct Architecture {
    /// `general.architecture`
    pub(super) name: &'static str,
    /// Reads a model of it.
    pub(super) describe: fn(&Model<'_>) -> Result<Decoder, BuildError>,
}

/// An architecture of encoders: its models give a text's vector.
pub(super) struct EncoderArchitecture {
    /// `general.architecture`
    pub(super) name: &'static str,
    /// Reads a model of it.
    pub(super) describe: fn(&Model<'_>) -> Result<Encoder, BuildError>,
}

/// All encoders.
pub(super) const ENCODERS: &[EncoderArchitecture] = &[
    EncoderArchitecture { name: "bert", describe: bert::describe },
    EncoderArchitecture { name: "nomic-bert", describe: nomic_bert::describe },
];

/// All that generate tokens.
pub(super) const ALL: &[Architecture] = &[
    Architecture { name: "llama", describe: llama::describe },
    Architecture { name: "smollm3", describe: smollm3::describe },
    Architecture { name: "qwen2", describe: qwen2::describe },
    Architecture { name: "qwen3", describe: qwen3::describe },
    Architecture { name: "gemma", describe: gemma::describe },
    Architecture { name: "gemma2", describe: gemma2::describe },
    Architecture { name: "gemma3", describe: gemma3::describe },
    Architecture { name: "phi3", describe: phi3::describe },
    Architecture { name: "granite", describe: granite::describe },
    Architecture { name: "olmo2", describe: olmo2::describe },
    Architecture { name: "stablelm", describe: stablelm::describe },
    Architecture { name: "starcoder2", describe: starcoder2::describe },
    Architecture { name: "gpt2", describe: gpt2::describe },
    Architecture { name: "qwen2moe", describe: qwen2moe::describe },
    Architecture { name: "qwen3moe", describe: qwen3moe::describe },
    Architecture { name: "olmoe", describe: olmoe::describe },
];
