//! A child's work as it crosses to it: the first line of its standard input.

use crate::{RunJob, Source};
use serde::{Deserialize, Serialize};
use studio_protocol::{ErrorCode, Prompt, Sampling, WireError};

/// What a child does. Paths are absolute: it works in another folder.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "work", rename_all = "snake_case")]
pub(crate) enum Work {
    /// Generates tokens and ends.
    Generate(Generate),
    /// Keeps a model open and answers [`Question`](super::Question)s.
    Answer(Answerer),
    /// Says which graphics processors there are.
    Gpus,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Generate {
    pub(super) source: Source,
    pub(super) prompt: Prompt,
    pub(super) max_tokens: u32,
    pub(super) threads: Option<u32>,
    pub(super) sampling: Sampling,
    pub(super) profile: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answerer {
    pub(super) source: Source,
    pub(super) threads: Option<u32>,
}

impl Work {
    pub(crate) fn generate(job: &RunJob) -> Result<Self, WireError> {
        Ok(Self::Generate(Generate {
            source: job.source.absolute()?,
            prompt: job.prompt.clone(),
            max_tokens: job.max_tokens,
            threads: job.threads,
            sampling: job.sampling.clone(),
            profile: job.profile,
        }))
    }

    pub(crate) fn answer(source: &Source, threads: Option<u32>) -> Result<Self, WireError> {
        Ok(Self::Answer(Answerer { source: source.absolute()?, threads }))
    }

    /// One line of JSON.
    pub(crate) fn to_line(&self) -> Result<String, WireError> {
        serde_json::to_string(self).map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))
    }
}
