//! `manifest.json`: what a bundle holds and how to drive it.

use crate::options::{Activations, CpuOptions, ExportOptions, GraphKind, Kernels};
use crate::params::plan::{Conversion, Plan};
use crate::tiles::Fidelity;
use serde::{Deserialize, Serialize};

/// The version of this file's layout.
pub const MANIFEST_VERSION: u32 = 1;

/// The version of the graph contracts in docs/contracts.md.
pub const CONTRACT_VERSION: u32 = 1;

/// The names of a bundle's files.
pub mod file_name {
    /// The graph's text.
    pub const MLIR: &str = "model.mlir";
    /// The parameters.
    pub const IRPA: &str = "model.irpa";
    /// The parameters once more, where asked for.
    pub const SAFETENSORS: &str = "model.safetensors";
    /// The tokenizer: a GGUF with the source's metadata and no tensors.
    pub const TOKENIZER: &str = "tokenizer.gguf";
    /// This manifest.
    pub const MANIFEST: &str = "manifest.json";
    /// The reference page.
    pub const REFERENCE: &str = "REFERENCE.md";
}

/// `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`MANIFEST_VERSION`].
    pub manifest_version: u32,
    /// [`CONTRACT_VERSION`].
    pub contract_version: u32,
    /// The exporter's name and version.
    pub exporter: String,
    /// The GGUF it was made from.
    pub source: FileEntry,
    /// What the model is.
    pub model: ModelEntry,
    /// What was chosen.
    pub options: ExportOptions,
    /// Every public function of the module.
    pub functions: Vec<FunctionEntry>,
    /// The kv graphs' cache, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<TensorEntry>,
    /// The kernels that the cpu form's text carries; the portable form has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernels: Option<KernelsEntry>,
    /// The scope that the module looks its parameters up in.
    pub parameter_scope: String,
    /// The tokenizer.
    pub tokenizer: TokenizerEntry,
    /// The Jinja chat template, if the GGUF has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_template: Option<String>,
    /// Token ids that end a generation.
    pub stop_ids: Vec<u32>,
    /// The exported files, this one not among them.
    pub files: Vec<FileEntry>,
    /// The modules compiled so far.
    #[serde(default)]
    pub modules: Vec<ModuleEntry>,
    /// What verification said of modules, one entry a module and model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verifications: Vec<VerificationEntry>,
}

/// A file, by content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name, without folders.
    pub name: String,
    /// Its length.
    pub size_bytes: u64,
    /// The BLAKE3 of its bytes, 64 hexadecimal digits.
    pub blake3: String,
}

/// What the model is, by the words of its GGUF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelEntry {
    /// `general.architecture`
    pub architecture: String,
    /// `general.name`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Values in all tensors of the GGUF.
    pub parameter_count: u64,
    /// Positions that the model was trained for.
    pub context_length: u64,
    /// Rows of the embedding.
    pub vocabulary_size: u32,
}

/// A function of the module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionEntry {
    /// Its name.
    pub name: String,
    /// The contract it belongs to.
    pub graph: GraphKind,
    /// In order.
    pub arguments: Vec<TensorEntry>,
    /// In order.
    pub results: Vec<TensorEntry>,
}

/// A tensor or scalar that crosses a function's border.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorEntry {
    /// What it is: `tokens`, `position`, `count`, `cache`, `next`, `logits`.
    pub name: String,
    /// Its type as MLIR writes it: `tensor<1x128xi32>`, `i32`.
    #[serde(rename = "type")]
    pub mlir_type: String,
    /// Whether the callee takes the buffer over (`iree.abi.consume`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub consumed: bool,
}

/// The kernels that a text carries, and where they run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelsEntry {
    /// The instruction set that they are written for.
    pub set: Kernels,
    /// What a processor must be able to do to run them, by LLVM's names, sorted.
    pub cpu_features: Vec<String>,
    /// What a vector is turned into before it is multiplied with a quantised matrix.
    pub activations: Activations,
    /// Tensors that are stored in another format than in the GGUF, whether by choice or for want of kernels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub converted: Vec<ConvertedEntry>,
}

/// A tensor that is stored in another format than in the GGUF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConvertedEntry {
    /// The tensor.
    pub tensor: String,
    /// Its format in the GGUF, by ggml's name.
    pub from: String,
    /// Its format in the archive, by ggml's name.
    pub to: String,
    /// Whether every value is kept.
    pub exact: bool,
}

impl KernelsEntry {
    /// What the manifest says of the kernels that these options choose.
    pub(crate) fn new(options: &CpuOptions, plan: &Plan) -> Self {
        let mut features: Vec<String> =
            options.kernels.cpu_features().iter().map(|feature| (*feature).to_owned()).collect();
        features.sort();
        let converted = plan.params().iter().filter_map(|param| match &param.conversion {
            Conversion::Tiles(tiles) if tiles.fidelity() != Fidelity::Kept => Some(ConvertedEntry {
                tensor: tiles.source.tensor.clone(),
                from: tiles.source.format.name().to_owned(),
                to: tiles.format.ggml_name().to_owned(),
                exact: tiles.fidelity() == Fidelity::Exact,
            }),
            Conversion::Tiles(_) | Conversion::Tensor(_) | Conversion::Values(_) => None,
        });
        Self {
            set: options.kernels,
            cpu_features: features,
            activations: options.activations,
            converted: converted.collect(),
        }
    }
}

/// The tokenizer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenizerEntry {
    /// The bundle's file that holds it.
    pub file: String,
    /// `tokenizer.ggml.model`: `gpt2`, …
    pub model: String,
    /// `tokenizer.ggml.pre`: `smollm`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre: Option<String>,
}

/// A compiled module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleEntry {
    /// `host`, …
    pub target: String,
    /// `TARGET.vmfb`
    #[serde(flatten)]
    pub file: FileEntry,
    /// The compiler's version.
    pub compiler: String,
    /// The flags it was given.
    pub flags: Vec<String>,
    /// What its code may use of a processor beyond the architecture's baseline, by LLVM's names, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_features: Vec<String>,
}

/// What comparing a module's logits with the eager engine's gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerificationEntry {
    /// The module's file.
    pub module: String,
    /// The BLAKE3 of the module that was run.
    pub blake3: String,
    /// The model that the eager engine ran, without folders.
    pub against: String,
    /// The eager engine and its version: `llama.cpp 0.6.0-dev`.
    pub engine: String,
    /// Positions compared.
    pub positions: u32,
    /// The largest difference of two logits.
    pub max_abs_logit_diff: f64,
    /// The mean Kullback-Leibler divergence from the eager engine, in nats.
    pub mean_kl: f64,
    /// What it had to be within.
    pub mean_kl_limit: f64,
    /// The share of positions with the same most likely token.
    pub top1_agreement: f64,
    /// Whether it was within all limits.
    pub passed: bool,
}
