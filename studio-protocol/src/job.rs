//! Jobs: what is asked for and what happens in one.

use crate::{
    Artifact, BenchReport, Combination, Hash, Origins, SweepReport, SweepSpec, VerifyReport, WireError,
};
use serde::{Deserialize, Serialize};

/// A job's name, given by the hub.
pub type JobId = u64;

/// What a job is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum JobSpec {
    /// Compile a bundle's MLIR.
    Compile(CompileSpec),
    /// Generate tokens with a compiled bundle.
    Run(RunSpec),
    /// Measure a compiled bundle, and llama.cpp beside it.
    Bench(BenchSpec),
    /// Compare a compiled bundle's logits with llama.cpp's.
    Verify(VerifySpec),
    /// Export a model in many ways and measure each. The hub itself does it, by bench jobs.
    Sweep(SweepSpec),
}

impl JobSpec {
    /// Its kind, as in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            JobSpec::Compile(_) => "compile",
            JobSpec::Run(_) => "run",
            JobSpec::Bench(_) => "bench",
            JobSpec::Verify(_) => "verify",
            JobSpec::Sweep(_) => "sweep",
        }
    }

    /// The bundle that it is about; a sweep is about many.
    pub fn bundle(&self) -> Option<&Hash> {
        match self {
            JobSpec::Compile(spec) => Some(&spec.bundle),
            JobSpec::Run(spec) => Some(&spec.bundle),
            JobSpec::Bench(spec) => Some(&spec.bundle),
            JobSpec::Verify(spec) => Some(&spec.bundle),
            JobSpec::Sweep(_) => None,
        }
    }

    /// The target whose module it wants, if it says so.
    pub fn target(&self) -> Option<&str> {
        match self {
            JobSpec::Compile(spec) => Some(&spec.target),
            JobSpec::Run(spec) => spec.target.as_deref(),
            JobSpec::Bench(spec) => spec.target.as_deref(),
            JobSpec::Verify(spec) => spec.target.as_deref(),
            JobSpec::Sweep(_) => None,
        }
    }

    /// The module that it names, if it names one.
    pub fn module(&self) -> Option<&Hash> {
        match self {
            JobSpec::Compile(_) | JobSpec::Sweep(_) => None,
            JobSpec::Run(spec) => spec.module.as_ref(),
            JobSpec::Bench(spec) => spec.module.as_ref(),
            JobSpec::Verify(spec) => spec.module.as_ref(),
        }
    }

    /// The GGUF that llama.cpp runs for it, or that is exported, if there is one.
    pub fn model(&self) -> Option<&Hash> {
        match self {
            JobSpec::Compile(_) | JobSpec::Run(_) => None,
            JobSpec::Bench(spec) => spec.eager.as_ref(),
            JobSpec::Verify(spec) => Some(&spec.against),
            JobSpec::Sweep(spec) => Some(&spec.model),
        }
    }
}

/// What to compile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompileSpec {
    /// The hash of the bundle's `manifest.json`, which names the other files.
    pub bundle: Hash,
    /// `host`, `arm64`, …
    pub target: String,
    /// More flags for `iree-compile`, after those of the target.
    #[serde(default)]
    pub flags: Vec<String>,
}

/// What to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// The hash of the bundle's `manifest.json`.
    pub bundle: Hash,
    /// The compiled module, as `compiled` named it. Where absent the runner takes one that was compiled for it or for a
    /// target that it is, or compiles one for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<Hash>,
    /// The target whose module is to be taken, where none is named: a graphics processor's, such as `vulkan`, or, where
    /// absent, the runner's processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What to continue.
    pub prompt: Prompt,
    /// The most tokens to generate.
    pub max_tokens: u32,
    /// Worker threads; all cores where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// How each token is chosen; the most likely one where absent.
    #[serde(default, skip_serializing_if = "Sampling::is_default")]
    pub sampling: Sampling,
    /// Whether to time each dispatch, which makes the run slower.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub profile: bool,
}

/// What to measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchSpec {
    /// The hash of the bundle's `manifest.json`.
    pub bundle: Hash,
    /// As in a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<Hash>,
    /// As in a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The GGUF that the bundle was exported from, to measure llama.cpp with, in turn with the module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eager: Option<Hash>,
    /// Numbers of worker threads, each measured; all cores where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<u32>,
    /// Tokens that prefill takes.
    #[serde(default = "prompt_tokens")]
    pub prompt_tokens: u32,
    /// Tokens that decode makes.
    #[serde(default = "gen_tokens")]
    pub gen_tokens: u32,
    /// How often each is measured, after one time that doesn't count.
    #[serde(default = "repeat")]
    pub repeat: u32,
    /// Measure decode alone, the cache filled up to this position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
}

fn prompt_tokens() -> u32 {
    128
}

fn gen_tokens() -> u32 {
    64
}

fn repeat() -> u32 {
    5
}

/// What to compare.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerifySpec {
    /// The hash of the bundle's `manifest.json`.
    pub bundle: Hash,
    /// As in a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<Hash>,
    /// As in a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The GGUF that llama.cpp runs.
    pub against: Hash,
    /// Positions to compare.
    #[serde(default = "positions")]
    pub positions: u32,
    /// Worker threads; all cores where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
}

fn positions() -> u32 {
    256
}

/// How a token is chosen by its logits. The steps are those of llama.cpp, in its order: repetition penalty, top-k,
/// top-p, min-p, temperature, a draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sampling {
    /// Logits are divided by it before the draw. 0 takes the most likely token, whatever the other fields say.
    pub temperature: f32,
    /// The most tokens to draw among; 0 for all.
    pub top_k: u32,
    /// Draws among the fewest most likely tokens whose probabilities sum to it; 1 for all.
    pub top_p: f32,
    /// Draws among tokens that have at least this share of the most likely one's probability; 0 for all.
    pub min_p: f32,
    /// Logits of tokens that occurred are divided by it where positive, multiplied where negative; 1 changes nothing.
    pub repeat_penalty: f32,
    /// How many of the last tokens, the prompt's among them, count as having occurred.
    pub repeat_last: u32,
    /// Where the draws begin: equal seeds draw equally. One is made up where absent, and the report says which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            temperature: 0.0,
            top_k: 40,
            top_p: 0.95,
            min_p: 0.05,
            repeat_penalty: 1.0,
            repeat_last: 64,
            seed: None,
        }
    }
}

impl Sampling {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the most likely token is taken each time, for which no logits need leave the device.
    pub fn is_greedy(&self) -> bool {
        self.temperature == 0.0
    }
}

/// What a run continues.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum Prompt {
    /// A conversation, rendered by the model's chat template.
    Chat {
        /// The turns so far.
        messages: Vec<ChatMessage>,
    },
    /// Text as it is.
    Text {
        /// The text.
        text: String,
    },
    /// Token ids as they are.
    Tokens {
        /// The ids.
        tokens: Vec<u32>,
    },
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// What was said.
    pub content: String,
}

/// Something that happened in a job. The last one of every job is `finished`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum JobEvent {
    /// A runner took the job.
    Started {
        /// Its name.
        runner: String,
    },
    /// A line that the compiler or the runtime printed.
    Log {
        /// The line, without its end.
        line: String,
    },
    /// A step of the job began: `loading`, `compiling`, `prefill`.
    Step {
        /// Its name.
        name: String,
    },
    /// The prompt's token ids, before any is run.
    PromptTokens {
        /// The ids.
        tokens: Vec<u32>,
    },
    /// A token was generated.
    Token {
        /// Its id.
        id: u32,
        /// The text that is certain now: empty while a character is still incomplete.
        text: String,
        /// Microseconds since the prompt was handed over.
        at_us: u64,
    },
    /// The runner was lost while it worked: the job waits again, and what was told before this is void.
    Requeued {
        /// What happened to the runner.
        reason: String,
    },
    /// How far a long step is, such as the `fetching` of a file.
    Progress {
        /// Bytes that are done.
        done: u64,
        /// Of so many.
        of: u64,
    },
    /// A graphics processor was held against the runner's own processor, by the same weights and tokens, and passed.
    Checked(DeviceCheck),
    /// A combination of a sweep is done.
    Tried {
        /// What became of it.
        combination: Box<Combination>,
    },
    /// The job is over.
    Finished {
        /// How it ended.
        outcome: Outcome,
    },
}

/// How far a module on a graphics processor is from the same graph on a processor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceCheck {
    /// The graphics processor, by its driver's name.
    pub device: String,
    /// The tokens after which the two were compared.
    pub positions: u32,
    /// The mean Kullback-Leibler divergence of its distributions from the processor's, in nats; absent where the graph
    /// gives no logits, but tokens alone, and these are equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_kl: Option<f64>,
    /// The largest difference of two logits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_abs_logit_diff: Option<f64>,
    /// Whether it was found out earlier, for this module, device and driver.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
}

impl DeviceCheck {
    /// A line for people.
    pub fn words(&self) -> String {
        let Self { device, positions, known, .. } = self;
        let how = match (self.mean_kl, self.max_abs_logit_diff) {
            (Some(kl), Some(most)) => format!("scores within {most:.1e}, mean KL {kl:.1e}"),
            _ => "the same tokens".to_owned(),
        };
        let when = if *known { ", checked before" } else { "" };
        format!("{device} agrees with the processor at {positions} positions: {how}{when}")
    }
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum Outcome {
    /// A module was compiled, or an equal one was found.
    Compiled {
        /// The vmfb.
        module: Artifact,
        /// Whether an earlier job had made it.
        cached: bool,
        /// How long the compiler took, when it did.
        compile_ms: f64,
        /// The compiler's version.
        compiler: String,
        /// The flags it was given.
        flags: Vec<String>,
        /// What the module may use of a processor beyond the architecture's baseline, by LLVM's names, sorted.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cpu_features: Vec<String>,
        /// Which parts of the graph its dispatches come from; empty where that was not found out.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        origins: Origins,
    },
    /// Tokens were generated.
    Ran {
        /// The tokens and the figures.
        report: RunReport,
    },
    /// The figures are there.
    Benched {
        /// They.
        report: Box<BenchReport>,
    },
    /// The logits were compared. They may be too far apart: the report says.
    Verified {
        /// How far apart they are.
        report: Box<VerifyReport>,
    },
    /// Every combination was tried.
    Swept {
        /// What was found.
        report: Box<SweepReport>,
    },
    /// It failed.
    Failed {
        /// Why.
        error: WireError,
    },
    /// Somebody cancelled it.
    Cancelled,
}

impl Outcome {
    /// How it ended, as in JSON.
    pub fn result(&self) -> &'static str {
        match self {
            Outcome::Compiled { .. } => "compiled",
            Outcome::Ran { .. } => "ran",
            Outcome::Benched { .. } => "benched",
            Outcome::Verified { .. } => "verified",
            Outcome::Swept { .. } => "swept",
            Outcome::Failed { .. } => "failed",
            Outcome::Cancelled => "cancelled",
        }
    }
}

/// What a run gave. `studio run --json` prints this.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// The generated ids, the stop token not among them.
    pub tokens: Vec<u32>,
    /// Their text.
    pub text: String,
    /// Why it ended.
    pub stop: StopReason,
    /// The seed of the draws; absent where none were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The text's vector, of length 1, if the model gives one; then no tokens are generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Vec<f32>>,
    /// The figures.
    pub timings: Timings,
    /// What each dispatch took, that which took most first; empty unless it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dispatches: Vec<DispatchTime>,
}

/// How long one function of a module's executables took, over a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DispatchTime {
    /// Its name in the module.
    pub name: String,
    /// How often it was dispatched.
    pub calls: u64,
    /// Milliseconds from a dispatch's first workgroup to the end of its last, over all calls.
    pub total_ms: f64,
    /// The shortest call.
    pub min_ms: f64,
    /// The longest call.
    pub max_ms: f64,
    /// Paths of the graph's scopes that it computes parts of; none where that isn't known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model said that it is done.
    EndOfText,
    /// The number of tokens asked for was reached.
    MaxTokens,
    /// The module's context is full.
    ContextFull,
}

/// A run's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// Worker threads; with a graphics processor the one that waits for it.
    pub threads: u32,
    /// The graphics processor that computed, by its driver's name; absent where the processor did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Tokens in the prompt.
    pub prompt_tokens: u32,
    /// Tokens generated.
    pub generated_tokens: u32,
    /// Milliseconds to map the parameters and open the module.
    pub load_ms: f64,
    /// Milliseconds from the prompt to its first token.
    pub ttft_ms: f64,
    /// Prompt tokens a second.
    pub prefill_tps: f64,
    /// Generated tokens a second, after the first; absent when fewer than two were generated.
    pub decode_tps: Option<f64>,
    /// How long a decoded token took; absent when fewer than two were generated.
    pub latency_ms: Option<LatencyPercentiles>,
    /// The most memory the run's process had resident.
    pub peak_rss_bytes: u64,
}

/// Percentiles of the time a token takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LatencyPercentiles {
    /// The median.
    pub p50: f64,
    /// 9 of 10 are faster.
    pub p90: f64,
    /// 99 of 100 are faster.
    pub p99: f64,
}

impl LatencyPercentiles {
    /// The three, rounded for people.
    #[must_use]
    pub fn words(&self) -> String {
        let Self { p50, p90, p99 } = self;
        format!("{p50:.1}, {p90:.1}, {p99:.1}")
    }
}
