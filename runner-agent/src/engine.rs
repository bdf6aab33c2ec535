//! The body of the child process that [`crate::run()`] starts: a job from standard input, events to standard
//! output, both as JSON lines.

use crate::{BundleFiles, RunJob};
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, process::ExitCode};
use studio_protocol::{ErrorCode, Prompt, WireError};

/// A run job as it crosses to the child.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EngineJob {
    bundle: BundleFiles,
    module: PathBuf,
    prompt: Prompt,
    max_tokens: u32,
    threads: Option<u32>,
}

impl EngineJob {
    /// The job with absolute paths: the child works elsewhere.
    pub(crate) fn new(job: &RunJob) -> Result<Self, WireError> {
        let module = std::path::absolute(&job.module).map_err(|error| {
            WireError::new(ErrorCode::Io, error.to_string()).at(job.module.display().to_string())
        })?;
        Ok(Self {
            bundle: job.bundle.absolute()?,
            module,
            prompt: job.prompt.clone(),
            max_tokens: job.max_tokens,
            threads: job.threads,
        })
    }

    /// One line of JSON.
    pub(crate) fn to_line(&self) -> Result<String, WireError> {
        serde_json::to_string(self).map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))
    }
}

/// Carries out the job on standard input. A program calls this in a process of its own, as an
/// [`crate::EngineCommand`] says, and ends with what it returns.
pub fn engine_main() -> ExitCode {
    ExitCode::FAILURE
}
