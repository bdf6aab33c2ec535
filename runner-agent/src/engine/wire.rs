//! Standard input and output of the child.

use super::{EngineJob, generate::generate, open::open, prompt};
use rustix::process::{Signal, getpid, kill_process};
use std::{
    io::{self, BufRead, Read, Write},
    thread,
};
use studio_protocol::{ErrorCode, JobEvent, Outcome, RunReport, WireError};

/// The longest job: a manifest, whose chat template may be long, and a prompt.
const MAX_JOB_BYTES: u64 = 64 << 20;

/// Reads a job, carries it out, and tells how it went.
pub(super) fn serve() -> io::Result<()> {
    let mut line = String::new();
    io::stdin().lock().take(MAX_JOB_BYTES).read_line(&mut line)?;
    thread::Builder::new().name("parent-watch".to_owned()).spawn(end_with_parent)?;
    let outcome = match carry_out(&line) {
        Ok(report) => Outcome::Ran { report },
        Err(error) => Outcome::Failed { error },
    };
    emit(&JobEvent::Finished { outcome })
}

fn carry_out(line: &str) -> Result<RunReport, WireError> {
    let job: EngineJob = serde_json::from_str(line)
        .map_err(|error| WireError::new(ErrorCode::BadMessage, format!("not a job: {error}")))?;
    let mut emit = |event| emit(&event).map_err(|error| WireError::new(ErrorCode::Io, error.to_string()));
    emit(JobEvent::Step { name: "loading".to_owned() })?;
    let mut opened = open(&job.bundle, &job.module, job.threads)?;
    let tokens = prompt::tokens(&job.prompt, &opened.tokenizer, job.bundle.manifest())?;
    generate(&mut opened, &tokens, job.max_tokens, &mut emit)
}

/// Writes an event as a line, at once.
fn emit(event: &JobEvent) -> io::Result<()> {
    let mut line = serde_json::to_vec(event)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}

/// Ends this process when its standard input does. Nothing needs tidying, and other threads may be in compiled
/// code that never returns.
fn end_with_parent() {
    let ended = io::copy(&mut io::stdin().lock(), &mut io::sink());
    tracing::debug!("standard input ended: {ended:?}");
    if let Err(error) = kill_process(getpid(), Signal::KILL) {
        tracing::error!("this process could not be ended: {error}");
    }
}
