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
    /// What running it takes of memory; bundles of earlier exporters don't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryEntry>,
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

/// What running a module takes of memory, beside the program that runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryEntry {
    /// The archive, which is mapped: a machine with less reads it from its disk again for each token.
    pub weights_bytes: u64,
    /// The copies that the portable form's modules make of matrices when they are loaded, in the order in which they
    /// multiply with them. The cpu form's archive has that order already.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub packed_bytes: u64,
    /// The kv graphs' cache, for one sequence.
    pub cache_bytes: u64,
    /// Intermediate values: of the cpu form as its plan has them, of the portable form an estimate.
    pub working_bytes: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

impl MemoryEntry {
    /// All of it.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.needed_bytes().saturating_add(self.packed_bytes)
    }

    /// What a machine must have. Of what was packed the original in the archive isn't read again, so that a system that is
    /// short of memory gives its pages to others; and there is never more packed than there are weights.
    fn needed_bytes(&self) -> u64 {
        self.weights_bytes.saturating_add(self.cache_bytes).saturating_add(self.working_bytes)
    }

    /// The parts, in words: `weights 270 MB, cache 49 MB, intermediate values 26 MB`.
    #[must_use]
    pub fn parts(&self) -> String {
        let packed = match self.packed_bytes {
            0 => String::new(),
            bytes => format!("packed copies of them {}, ", megabytes(bytes)),
        };
        let cache = match self.cache_bytes {
            0 => String::new(),
            bytes => format!("cache {}, ", megabytes(bytes)),
        };
        format!(
            "weights {}, {packed}{cache}intermediate values {}",
            megabytes(self.weights_bytes),
            megabytes(self.working_bytes),
        )
    }

    /// Why a machine with so much memory can't run it, with the numbers, and what to do about it; `None` if it can, or
    /// if how much memory it has is unknown, which is 0.
    #[must_use]
    pub fn shortage(&self, memory_bytes: u64) -> Option<[String; 2]> {
        let needed = self.needed_bytes();
        if memory_bytes == 0 || needed <= memory_bytes {
            return None;
        }
        let problem = format!(
            "a run takes at least {} of memory ({}) and this machine has {}",
            megabytes(needed),
            Self { packed_bytes: 0, ..*self }.parts(),
            megabytes(memory_bytes),
        );
        let hint = if self.weights_bytes > memory_bytes {
            "Take the model in a type with fewer bits, or a machine with more memory"
        } else {
            "Export it with a shorter context or chunk, or take a machine with more memory"
        };
        Some([problem, hint.to_owned()])
    }
}

/// A number of bytes in words.
fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_with_too_little_memory_is_told_the_numbers() {
        let needs = MemoryEntry {
            weights_bytes: 4_000_000_000,
            packed_bytes: 3_000_000_000,
            cache_bytes: 900_000_000,
            working_bytes: 1,
        };
        assert_eq!(needs.total_bytes(), 7_900_000_001);
        assert_eq!(needs.shortage(4_900_000_001), None);
        assert_eq!(needs.shortage(0), None);
        let [problem, hint] = needs.shortage(4_900_000_000).unwrap();
        assert_eq!(
            problem,
            "a run takes at least 4901 MB of memory (weights 4000 MB, cache 900 MB, intermediate values 1 MB) and this machine \
             has 4900 MB"
        );
        assert!(hint.contains("shorter context"), "{hint}");
        let [_, hint] = needs.shortage(3_999_999_999).unwrap();
        assert!(hint.contains("fewer bits"), "{hint}");
    }
}
