//! Sweeps: a model exported in many ways, each measured.

use crate::{BenchReport, Hash, JobId, WireError};
use serde::{Deserialize, Serialize};

/// The most combinations of a sweep.
pub const MAX_COMBINATIONS: usize = 64;

/// What to try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepSpec {
    /// The hash of the GGUF, which was uploaded.
    pub model: Hash,
    /// Its file's name, for manifests and people.
    pub name: String,
    /// What it is exported with, in turn: `options` as a manifest has them.
    pub combinations: Vec<serde_json::Value>,
    /// Numbers of worker threads, each measured; all cores where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<u32>,
    /// Tokens that prefill takes.
    pub prompt_tokens: u32,
    /// Tokens that decode makes.
    pub gen_tokens: u32,
    /// How often each is measured, after one time that doesn't count.
    pub repeat: u32,
}

/// What a sweep found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SweepReport {
    /// The combinations that were tried, in the order of the request.
    pub combinations: Vec<Combination>,
}

/// What became of a combination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Combination {
    /// Which of the request's, from 0.
    pub index: u32,
    /// The bundle that was exported; absent where none could be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<Hash>,
    /// Why it could not be exported, or its measurement not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WireError>,
    /// Its measurement on each of the runners.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<Measured>,
}

/// A combination on a runner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The bench job.
    pub job: JobId,
    /// Who took it; empty where nobody did.
    pub runner: String,
    /// The figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Box<BenchReport>>,
    /// Why there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WireError>,
}
