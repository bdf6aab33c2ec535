//! A run job as it crosses to the child.

use crate::{BundleFiles, RunJob};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use studio_protocol::{ErrorCode, Prompt, WireError};

/// A run job with absolute paths: the child works in another folder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EngineJob {
    pub(super) bundle: BundleFiles,
    pub(super) module: PathBuf,
    pub(super) prompt: Prompt,
    pub(super) max_tokens: u32,
    pub(super) threads: Option<u32>,
}

impl EngineJob {
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
