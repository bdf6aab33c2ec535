//! What a hub remembers of a job, and where, when and how urgently one is carried out.

use crate::{JobId, JobSpec, Outcome, RunnerInfo};
use serde::{Deserialize, Serialize};

/// The least and the greatest priority.
pub const PRIORITIES: std::ops::RangeInclusive<i32> = -100..=100;

/// The longest time limit, in seconds: a week.
pub const MAX_TIME_LIMIT_S: u32 = 7 * 24 * 3600;

/// Where, when and for how long; all of it may be left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Terms {
    /// Who is to carry the job out; the hub's own runner where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<On>,
    /// Waiting jobs of a higher one go first; equals go in the order in which they came.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub priority: i32,
    /// Seconds that it may take once it is begun; half an hour to compile and an hour for all else where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_s: Option<u32>,
    /// A name of the client's choice for jobs that belong together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}

/// Who is to carry a job out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum On {
    /// The runner of this name. If it is gone the job waits for it.
    Runner(String),
    /// The first runner with this label that is free.
    Label(String),
    /// Each runner that has one of these names or labels, or each that is there if the list is empty: a job of its own
    /// for each.
    Each(Vec<String>),
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It waits for a runner.
    Waiting,
    /// A runner works on it. That runner may be gone for the moment.
    Working,
    /// It has ended; its outcome says how.
    Over,
}

/// What a hub remembers of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobRecord {
    /// The job.
    pub job: JobId,
    /// What it is to do.
    pub spec: JobSpec,
    /// Where, when, for how long.
    #[serde(flatten)]
    pub terms: Terms,
    /// How far it is.
    pub state: JobState,
    /// The model's name.
    pub model: String,
    /// The hub that took it and its version.
    pub hub: String,
    /// The runner that works on it or did, as it was then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<RunnerInfo>,
    /// How often it was given to a runner.
    pub attempt: u32,
    /// How many events it has so far.
    pub events: u64,
    /// When it came, in milliseconds since 1970.
    pub created_ms: u64,
    /// When a runner last took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<u64>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_ms: Option<u64>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// Which jobs to list, the newest first. Fields that are absent choose all.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct JobFilter {
    /// Only those in this state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<JobState>,
    /// Only those of this kind: `compile`, `run`, `bench`, `verify`, `sweep`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Only those that this runner took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// Only those of this group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Only those with this text in the model's name, what was asked for, or the outcome, whatever its case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Only those before this one: the last of an earlier list, for its continuation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<JobId>,
    /// At most so many; 50 where absent, and never more than 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
