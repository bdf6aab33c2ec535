//! What crosses a websocket between page, hub and runner, or lies in a job's record.
//!
//! Control messages are JSON text frames, one message a frame, tagged by `type`; chunks of artifacts are
//! binary frames (see [`chunk`]). docs/protocol.md tells the same in prose. This crate is a leaf: it knows
//! no model, no file and no socket.

mod artifact;
pub mod chunk;
mod client;
mod error;
pub mod figures;
mod hub;
mod job;
pub mod origins;
mod record;
mod report;
mod runner;
mod sweep;
mod target;

pub use artifact::{Artifact, Hash, HashError, KernelFile};
pub use client::ClientMessage;
pub use error::{ErrorCode, WireError};
pub use hub::HubMessage;
pub use job::{
    BenchSpec, ChatMessage, CompileSpec, DeviceCheck, DispatchTime, JobEvent, JobId, JobSpec,
    LatencyPercentiles, Outcome, Prompt, RunReport, RunSpec, Sampling, StopReason, Timings, VerifySpec,
};
pub use origins::{DispatchSite, FunctionOrigins, Origins};
pub use record::{JobFilter, JobRecord, JobState, MAX_TIME_LIMIT_S, On, PRIORITIES, Terms};
pub use report::{
    Bandwidth, BenchReport, BenchRun, Distances, EagerInfo, Figure, Limits, Position, Ratio, RunRounds,
    VerifyReport,
};
pub use runner::{
    Assignment, CompilerInfo, GpuInfo, MAX_NAME_BYTES, ModuleInfo, Runner, RunnerInfo, RunnerState, Working,
    is_runner_name,
};
pub use sweep::{Combination, MAX_COMBINATIONS, Measured, SweepReport, SweepSpec};
pub use target::{HOST, TARGETS, TargetInfo, is_gpu_target, module_file_name, target_info};

/// The version of the protocol. Both sides say theirs first and a hub refuses another one.
pub const VERSION: u32 = 1;

/// The most bytes an upload's key may have.
pub const MAX_KEY_BYTES: usize = 128;

/// Whether a text can name an upload: 1 to [`MAX_KEY_BYTES`] of `0-9`, `a-z`, `.`, `_` and `-`.
pub fn is_upload_key(key: &str) -> bool {
    (1..=MAX_KEY_BYTES).contains(&key.len())
        && key.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'z' | b'.' | b'_' | b'-'))
}

/// The most bytes a JSON control message may have; a longer one closes the connection.
pub const MAX_MESSAGE_BYTES: usize = 4 << 20;
