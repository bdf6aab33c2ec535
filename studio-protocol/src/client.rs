//! What a client (the page, the command line, a third party) says to a hub.

use crate::{Hash, JobId, JobSpec};
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
}
