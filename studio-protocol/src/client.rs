//! What a client (the page, the command line, a runner, a third party) says to a hub.

use crate::{Hash, JobEvent, JobFilter, JobId, JobSpec, RunnerInfo, Terms, Working};
use serde::{Deserialize, Serialize};

/// A message from a client to a hub.
///
/// `channel` and `request` are numbers that the client chooses, each used once a connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientMessage {
    /// The first message of every connection.
    Hello {
        /// The client's [`crate::VERSION`].
        version: u32,
        /// Its name and version, for logs.
        client: String,
    },
    /// Begins an upload or takes one up again. Answered by `upload_state`.
    UploadOpen {
        /// Names this upload in chunks and answers.
        channel: u32,
        /// What the bytes are made from: equal keys promise equal bytes. See [`crate::is_upload_key`].
        key: String,
        /// The whole artifact's length.
        size_bytes: u64,
        /// Its hash, where the sender knows it: a hub that has an artifact of this hash wants nothing of it, whatever
        /// the key.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blake3: Option<Hash>,
    },
    /// Every byte was sent. Answered by `upload_done`, or by an error where hash and bytes disagree.
    UploadFinish {
        /// The upload.
        channel: u32,
        /// What the sender computed over all bytes, sent now or before. May be absent where `upload_state` said that
        /// the hub had none: there is nothing then that this connection didn't carry.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blake3: Option<Hash>,
    },
    /// No more will be sent; what the hub has is kept for a later `upload_open`.
    UploadClose {
        /// The upload.
        channel: u32,
    },
    /// Asks for a job. Answered by `job_accepted`, after which its events follow.
    JobSubmit {
        /// Comes back in the answer.
        request: u64,
        /// What to do.
        spec: JobSpec,
        /// Where, when and for how long.
        #[serde(flatten)]
        terms: Terms,
    },
    /// Asks for the same job again, on the same terms. Answered as `job_submit` is.
    JobRerun {
        /// Comes back in the answer.
        request: u64,
        /// The job to repeat.
        job: JobId,
    },
    /// Asks which jobs there are and were. Answered by `jobs`.
    JobsList {
        /// Comes back in the answer.
        request: u64,
        /// Which.
        #[serde(flatten)]
        filter: JobFilter,
    },
    /// Asks for what the hub remembers of a job. Answered by `job`.
    JobShow {
        /// Comes back in the answer.
        request: u64,
        /// Which.
        job: JobId,
    },
    /// Asks for a job's events from a number on, those kept and those to come.
    JobWatch {
        /// The job.
        job: JobId,
        /// The `seq` of the last event that the client has; 0 for none.
        after: u64,
    },
    /// Asks a job to end. Its events say how it ended.
    JobCancel {
        /// The job.
        job: JobId,
    },
    /// Asks for `runners`, now and whenever one comes, goes, begins or ends something.
    RunnersWatch,
    /// Asks the hub to forget a runner that is gone. Answered by `done`.
    RunnerRemove {
        /// Comes back in the answer.
        request: u64,
        /// Which.
        name: String,
    },
    /// Gives a runner other labels than those that it joined with, until it is removed. Answered by `done`.
    RunnerLabel {
        /// Comes back in the answer.
        request: u64,
        /// Which.
        name: String,
        /// The labels; where absent, those that it joins with count again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        labels: Option<Vec<String>>,
    },
    /// Asks for what a machine needs to join. Answered by `invitation`.
    RunnerInvite {
        /// Comes back in the answer.
        request: u64,
    },
    /// Says that this connection is a runner's, which wants work. Answered by `joined`.
    Join {
        /// What it is.
        runner: RunnerInfo,
        /// Tells it from another machine of the same name: a text that it made up once and keeps.
        id: String,
        /// What jobs may choose it by, besides its name.
        #[serde(default)]
        labels: Vec<String>,
        /// What it works on, if it was connected before.
        #[serde(default)]
        working: Vec<Working>,
    },
    /// A runner tells what happened in the job that it works on. Answered by `job_ack`.
    JobReport {
        /// The job.
        job: JobId,
        /// As `job_assign` said.
        attempt: u32,
        /// The number of the first of these events among those of this attempt, from 1.
        first: u64,
        /// The events, `finished` the last of all. An artifact that they name was uploaded before.
        events: Vec<JobEvent>,
    },
}
