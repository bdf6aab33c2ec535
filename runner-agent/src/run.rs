//! A run job: a prompt in, tokens out, by a child process that may crash, hang or leak.

use crate::{
    Failure, Source,
    engine::Work,
    log::{Log, send},
    proc,
    proc::{Ended, Process, Reader, Stream, Tie},
};
use std::{ffi::OsString, io, os::unix::process::ExitStatusExt, path::PathBuf, process::ExitStatus};
use studio_protocol::{ErrorCode, JobEvent, Outcome, Prompt, RunReport, Sampling, WireError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What to run.
#[derive(Debug, Clone)]
pub struct RunJob {
    /// The model and its engine.
    pub source: Source,
    /// What to continue.
    pub prompt: Prompt,
    /// The most tokens to generate.
    pub max_tokens: u32,
    /// Worker threads; as many as the process may use cores where absent.
    pub threads: Option<u32>,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Whether to time each dispatch.
    pub profile: bool,
}

/// How to start a process that calls [`crate::engine_main`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineCommand {
    /// The program, by its absolute path.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

impl EngineCommand {
    /// The process that does a piece of work.
    pub(crate) fn process(&self, work: String) -> Process {
        Process {
            program: self.program.clone(),
            args: self.args.clone(),
            dir: std::env::temp_dir(),
            tie: Tie::Input(work),
            time_limit: None,
        }
    }

    /// That it could not be started, or talked with.
    pub(crate) fn failed(&self, error: &io::Error) -> WireError {
        WireError::new(ErrorCode::Io, format!("the engine could not be started: {error}"))
            .at(self.program.display().to_string())
    }
}

/// Generates tokens.
///
/// Emits `Step` (`loading`, `prefill`, `decode`), `PromptTokens`, `Token` as they come, and what the runtime
/// prints as `Log`. Cancelling kills the child.
pub async fn run(
    job: &RunJob,
    engine: &EngineCommand,
    events: &mpsc::Sender<JobEvent>,
    cancel: &CancellationToken,
) -> Result<RunReport, Failure> {
    let process = engine.process(Work::generate(job)?.to_line()?);
    let mut reader = EngineReader { events, log: Log::new(events), outcome: None };
    let ended = proc::run(&process, cancel, &mut reader).await.map_err(|error| engine.failed(&error))?;
    match (ended, reader.outcome) {
        (Ended::Cancelled, _) => Err(Failure::Cancelled),
        (_, Some(Outcome::Ran { report })) => Ok(report),
        (_, Some(Outcome::Failed { error })) => Err(error.into()),
        (Ended::Exited(status), _) => Err(crash(status, &reader.log).into()),
        (Ended::TimedOut, _) => Err(WireError::new(ErrorCode::TimedOut, "the run took too long").into()),
    }
}

/// Reads what the child tells: events, the outcome among them, and whatever the runtime prints.
struct EngineReader<'a> {
    events: &'a mpsc::Sender<JobEvent>,
    log: Log<'a>,
    outcome: Option<Outcome>,
}

impl Reader for EngineReader<'_> {
    async fn line(&mut self, stream: Stream, line: String) {
        let event = match stream {
            Stream::Err => None,
            Stream::Out => serde_json::from_str(&line).ok(),
        };
        match event {
            Some(JobEvent::Finished { outcome }) => self.outcome = Some(outcome),
            Some(event) => send(self.events, event).await,
            None => self.log.take(line).await,
        }
    }
}

/// What an end without an outcome means.
pub(crate) fn crash(status: ExitStatus, log: &Log<'_>) -> WireError {
    const KILL: i32 = 9;
    let verdict = log.verdict().map(|line| format!(": {line}")).unwrap_or_default();
    match status.signal() {
        Some(KILL) => {
            WireError::new(ErrorCode::OutOfMemory, format!("the engine was killed by the system{verdict}"))
                .hint("This machine probably has too little free memory for the model")
        }
        Some(signal) => WireError::new(
            ErrorCode::Runtime,
            format!("the compiled code crashed (signal {signal}){verdict}"),
        )
        .hint("Was the module compiled for this machine? Compile it again for `host`"),
        None => WireError::new(
            ErrorCode::Internal,
            format!("the engine ended without a result ({status}){verdict}"),
        ),
    }
}
