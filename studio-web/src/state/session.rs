//! What the page keeps over a reload: the bundle on the hub and the jobs that it asked for.

use crate::messages::{BundleFile, ExportedBundle, ModelCard};
use crate::state::job::JobKey;
use serde::{Deserialize, Serialize};
use studio_core::options::{ExportOptions, GraphKind};
use studio_protocol::{Artifact, Hash};

/// A bundle on the hub, as the page needs it for compiling, running and downloading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bundle {
    /// The hash of its `manifest.json`.
    pub hash: Hash,
    /// The model's title.
    pub title: String,
    /// Its files.
    pub files: Vec<BundleFile>,
    /// What was chosen.
    pub options: ExportOptions,
    /// Whether the model brings a chat template.
    pub has_chat_template: bool,
    /// How long the export took.
    pub elapsed_ms: f64,
}

impl Bundle {
    /// The bundle that an export of this model gave.
    pub fn new(exported: ExportedBundle, card: &ModelCard, options: ExportOptions) -> Self {
        Self {
            hash: exported.hash,
            title: card.title.clone(),
            files: exported.files,
            options,
            has_chat_template: card.has_chat_template,
            elapsed_ms: exported.elapsed_ms,
        }
    }

    /// Bytes of all its files.
    pub fn size_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.artifact.size_bytes).fold(0, u64::saturating_add)
    }

    /// Whether it gives texts' vectors and generates no tokens.
    pub fn is_encoder(&self) -> bool {
        self.options.graphs.contains(&GraphKind::Embed)
    }

    /// The most positions that prompt and answer can take together.
    pub fn positions(&self) -> u32 {
        if self.options.graphs.contains(&GraphKind::Kv) { self.options.context } else { self.options.seq }
    }
}

/// What is kept. A page that finds a layout it doesn't know starts empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Session {
    /// The last exported bundle.
    pub bundle: Option<Bundle>,
    /// Its compile job.
    pub compile: Option<JobKey>,
    /// The last run job.
    pub run: Option<JobKey>,
    /// The same of other runners, where several were asked.
    #[serde(default)]
    pub siblings: Vec<JobKey>,
    /// What was measured last.
    #[serde(default)]
    pub measured: Vec<JobKey>,
    /// The last sweep.
    #[serde(default)]
    pub sweep: Option<JobKey>,
    /// The GGUF on the hub, if llama.cpp needed it.
    #[serde(default)]
    pub source: Option<Artifact>,
}
