//! What a hub says to a client.

use crate::{Artifact, Assignment, JobEvent, JobId, JobRecord, Runner, WireError, Working};
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
        /// Bytes that its disk had room for when it said this; 0 where it doesn't know.
        #[serde(default)]
        free_disk_bytes: u64,
        /// Who can work.
        runners: Vec<Runner>,
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
    /// The answer to `job_submit` and `job_rerun`.
    JobAccepted {
        /// The client's number.
        request: u64,
        /// The job's name; the first one's if there are several.
        job: JobId,
        /// All of them, one for each runner, if several were asked for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        jobs: Vec<JobId>,
    },
    /// The answer to `jobs_list`: the newest first, without the outcomes' long parts.
    Jobs {
        /// The client's number.
        request: u64,
        /// The jobs.
        jobs: Vec<JobRecord>,
        /// Whether there are more of them.
        more: bool,
    },
    /// The answer to `job_show`.
    Job {
        /// The client's number.
        request: u64,
        /// What the hub remembers of it.
        record: Box<JobRecord>,
    },
    /// The answer to a request that gives nothing else.
    Done {
        /// The client's number.
        request: u64,
    },
    /// The answer to `runners_watch`, then said at each change.
    Runners {
        /// All of them, the hub's own first.
        runners: Vec<Runner>,
    },
    /// The answer to `runner_invite`.
    Invitation {
        /// The client's number.
        request: u64,
        /// The hub's token. A page has it in a cookie that no script can read.
        token: String,
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
    /// The answer to `join`: the runner may be given work now.
    Joined {
        /// Which of the jobs that it has it is to go on with. All others are void: it ends them and says nothing more
        /// of them.
        working: Vec<Working>,
    },
    /// A job for this runner.
    JobAssign(Box<Assignment>),
    /// What a runner told is kept: it need not be told again.
    JobAck {
        /// The job.
        job: JobId,
        /// The number of the last event of this attempt that the hub has.
        events: u64,
    },
    /// A runner is to end a job. Its `finished` event is the answer.
    JobStop {
        /// The job.
        job: JobId,
    },
    /// What a runner has of this job is void, as in `joined`.
    JobForget {
        /// The job.
        job: JobId,
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
