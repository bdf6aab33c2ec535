//! What a person chooses of an export.

use serde::{Deserialize, Serialize};

/// The form of the graph's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Portable: nothing but StableHLO and parameter globals.
    Stablehlo,
}

/// The element type that weights are stored with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    /// bfloat16
    Bf16,
    /// IEEE half precision
    F16,
    /// IEEE single precision
    F32,
}

/// A contract that the module fulfils; docs/contracts.md describes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphKind {
    /// The whole sequence again for each token.
    Redecode,
    /// Prefill and decode over a cache.
    Kv,
}

/// What a person chooses of an export. The same options and the same GGUF give the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportOptions {
    /// The form of the text.
    pub form: Form,
    /// The element type of the weights.
    pub weights: Weights,
    /// The contracts, each at most once, at least one.
    pub graphs: Vec<GraphKind>,
    /// Tokens in the redecode graph's sequence.
    pub seq: u32,
    /// Positions in the kv graphs' cache.
    pub context: u32,
    /// Tokens that one call of `prefill` takes.
    pub chunk: u32,
    /// The redecode function's name.
    pub function_name: String,
    /// Whether a `.safetensors` of the same parameters is written too.
    pub safetensors: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            form: Form::Stablehlo,
            weights: Weights::Bf16,
            graphs: vec![GraphKind::Redecode, GraphKind::Kv],
            seq: 128,
            context: 2048,
            chunk: 64,
            function_name: "main".to_owned(),
            safetensors: false,
        }
    }
}
