//! What a child that keeps a model open is asked, and what it answers: a line of JSON each way.

use crate::gpu::Gpu;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use studio_protocol::WireError;

/// A question to an open model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(crate) enum Question {
    /// Forget everything and take these tokens. Answered by `Filled`.
    Fill {
        /// At least one.
        tokens: Vec<u32>,
    },
    /// Forget what was decoded since `Fill` and decode again, each token the most likely one. Answered by `Decoded`.
    Decode {
        /// How many calls.
        count: u32,
    },
    /// Forget everything, take these tokens so many at once, and give the logits after each of these parts: 1 for
    /// `decode`, a chunk for `prefill`. Answered by `Logits`.
    Logits {
        /// At least one.
        tokens: Vec<u32>,
        /// Tokens of a part; the last may have fewer.
        step: u32,
        /// The file that they are written to, little-endian f32, row by row.
        out: PathBuf,
    },
}

/// What a child says, in the order of the questions; `Ready` unasked, when the model is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub(crate) enum Answer {
    Ready {
        load_us: u64,
        threads: u32,
        context: u32,
        gpu: Option<String>,
    },
    Filled {
        us: u64,
        /// The most likely token after them.
        next: u32,
        peak_rss_bytes: u64,
    },
    Decoded {
        us: u64,
        tokens: Vec<u32>,
        /// Nanoseconds that each of them took.
        token_ns: Vec<u64>,
        peak_rss_bytes: u64,
    },
    Logits {
        /// How many rows.
        rows: u32,
        /// Values in a row.
        vocabulary: u32,
    },
    /// The graphics processors of this machine, the one that jobs go to first.
    Gpus {
        gpus: Vec<Gpu>,
    },
    /// The question, or opening the model, failed.
    Failed {
        error: WireError,
    },
}
