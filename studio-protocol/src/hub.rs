//! What a hub says to a client.

use crate::{Artifact, JobEvent, JobId, WireError};
use serde::{Deserialize, Serialize};

/// A message from a hub to a client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HubMessage {
    /// The answer to `hello`.
    Welcome {
        /// The hub's [`crate::VERSION`].
        version: u32,
        /// Its name and version.
        hub: String,
        /// Who can work.
        runners: Vec<RunnerInfo>,
    },
    /// The answer to `upload_open`.
    UploadState {
        /// The upload.
        channel: u32,
        /// How many bytes the hub has, from the first on: send from here.
        received_bytes: u64,
        /// The finished artifact where the hub has all of it: send nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<Artifact>,
    },
    /// Bytes are on the hub's disk.
    UploadAck {
        /// The upload.
        channel: u32,
        /// How many bytes the hub has now.
        received_bytes: u64,
    },
    /// The answer to `upload_finish`: the artifact is whole, checked and kept.
    UploadDone {
        /// The upload.
        channel: u32,
        /// Its name and length.
        artifact: Artifact,
    },
    /// The answer to `job_submit`.
    JobAccepted {
        /// The client's number.
        request: u64,
        /// The job's name.
        job: JobId,
    },
    /// Something happened in a job that this connection submitted or watches.
    JobEvent {
        /// The job.
        job: JobId,
        /// Counts a job's events from 1, without gaps.
        seq: u64,
        /// What happened.
        event: JobEvent,
    },
    /// A message could not be carried out. At most one of the numbers says which; with none of them the
    /// message could not be read, or the connection is about to close.
    Error {
        /// The request it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<u64>,
        /// The upload it ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<u32>,
        /// The job it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        job: Option<JobId>,
        /// What went wrong.
        error: WireError,
    },
}

/// A machine that carries out jobs.
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
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// The compiler it can spawn, if any.
    pub compiler: Option<CompilerInfo>,
    /// The version of the embedded IREE runtime.
    pub runtime: String,
}

/// An `iree-compile` that was found and asked for its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompilerInfo {
    /// Such as `3.13.0`.
    pub version: String,
}
