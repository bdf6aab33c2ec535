//! Runners: the machines that carry out jobs, and what a hub and a runner say to each other.

use crate::{Artifact, EagerInfo, JobId, JobSpec};
use serde::{Deserialize, Serialize};

/// The most bytes that a runner's name or label may have.
pub const MAX_NAME_BYTES: usize = 64;

/// Whether a text can name a runner or label one: 1 to [`MAX_NAME_BYTES`] letters, digits, `.`, `_` and `-`.
pub fn is_runner_name(name: &str) -> bool {
    (1..=MAX_NAME_BYTES).contains(&name.len())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-'))
}

/// A machine that carries out jobs, as it describes itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunnerInfo {
    /// Its name, unique in a hub; the hub's own is `local`.
    pub name: String,
    /// `linux`, `android`, `macos`.
    pub os: String,
    /// `x86_64`, `aarch64`, `arm`.
    pub arch: String,
    /// The processor's own name.
    pub cpu: String,
    /// Its instruction-set features, by the names LLVM gives them, sorted.
    pub features: Vec<String>,
    /// Logical cores.
    pub cores: u32,
    /// Bytes of memory that it may use; 0 where it doesn't know.
    pub memory_bytes: u64,
    /// The compiler it can spawn, if any.
    pub compiler: Option<CompilerInfo>,
    /// The version of the embedded IREE runtime.
    pub runtime: String,
    /// The runtime's drivers that have devices here: `local-sync`, `local-task`, `vulkan`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drivers: Vec<String>,
    /// The graphics processors that `vulkan` has; jobs for them go to the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<GpuInfo>,
    /// The llama.cpp in its program, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eager: Option<EagerInfo>,
    /// The program and its version.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
}

/// A graphics processor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuInfo {
    /// What its driver calls it.
    pub name: String,
    /// The target to compile for it: `vulkan`, `vulkan:adreno`, …
    pub target: String,
}

/// An `iree-compile` that was found and asked for its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompilerInfo {
    /// Such as `3.13.0`.
    pub version: String,
}

/// A runner as a hub sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runner {
    /// What it said of itself, now or when it was last here.
    #[serde(flatten)]
    pub info: RunnerInfo,
    /// What jobs may choose it by, besides its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Whether it is there.
    pub state: RunnerState,
    /// The job that it works on, or, if it is gone, may still work on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// When it was last here, in milliseconds since 1970.
    pub seen_ms: u64,
}

/// Whether a runner is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunnerState {
    /// It waits for work.
    Idle,
    /// It works.
    Busy,
    /// It is not connected. It comes back by itself.
    Gone,
}

/// A job that a runner has when it joins: it kept on working while it was not connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Working {
    /// The job.
    pub job: JobId,
    /// As `job_assign` said.
    pub attempt: u32,
}

/// A job for a runner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// The job.
    pub job: JobId,
    /// Counts how often the job was given to a runner, from 1.
    pub attempt: u32,
    /// What to do.
    pub spec: JobSpec,
    /// The module that the job names, or modules for this runner where it names none, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<ModuleInfo>,
    /// How long it may take.
    pub time_limit_s: u32,
}

/// A compiled module and what it needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleInfo {
    /// The vmfb.
    #[serde(flatten)]
    pub artifact: Artifact,
    /// `host`, `arm64`, …
    pub target: String,
    /// The compiler's version.
    pub compiler: String,
    /// The flags it was given.
    pub flags: Vec<String>,
    /// What its code may use of a processor beyond the architecture's baseline, by LLVM's names, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_features: Vec<String>,
}
