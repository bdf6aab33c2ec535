//! Standard input and output of the child.

use super::{
    answer::Model,
    contract::Contract,
    embed::embed,
    generate::generate,
    job::{Answerer, Generate, Work},
    language::Language,
    open::open,
    prompt,
    question::{Answer, Question},
};
use crate::{Source, gpu};
use rustix::process::{Signal, getpid, kill_process};
use serde::Serialize;
use std::{
    io::{self, BufRead, Read, Write},
    sync::mpsc::{self, Receiver, Sender},
    thread,
};
use studio_protocol::{ErrorCode, JobEvent, Outcome, RunReport, WireError};

/// The longest line: a manifest, whose chat template may be long, and a prompt.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// Reads the work to do, does it, and tells how it went.
pub(super) fn serve() -> io::Result<()> {
    let (lines, received) = mpsc::channel();
    thread::Builder::new().name("parent-watch".to_owned()).spawn(move || end_with_parent(&lines))?;
    let Ok(line) = received.recv() else { return Ok(()) };
    let work = serde_json::from_str(&line)
        .map_err(|error| WireError::new(ErrorCode::BadMessage, format!("not a piece of work: {error}")));
    match work {
        Ok(Work::Answer(work)) => answer_all(&work, &received),
        Ok(Work::Generate(work)) => finish(carry_out(&work)),
        Ok(Work::Gpus) => {
            let gpus = gpu::devices().map(|(_, gpus)| Answer::Gpus { gpus });
            emit(&gpus.unwrap_or_else(|error| Answer::Failed { error }))
        }
        Err(error) => finish(Err(error)),
    }
}

fn finish(result: Result<RunReport, WireError>) -> io::Result<()> {
    let outcome = match result {
        Ok(report) => Outcome::Ran { report },
        Err(error) => Outcome::Failed { error },
    };
    emit(&JobEvent::Finished { outcome })
}

fn carry_out(work: &Generate) -> Result<RunReport, WireError> {
    let mut emit = |event| emit(&event).map_err(|error| WireError::new(ErrorCode::Io, error.to_string()));
    emit(JobEvent::Step { name: "loading".to_owned() })?;
    let language = Language::of(&work.source)?;
    let tokens = prompt::tokens(&work.prompt, &language)?;
    if let Source::Compiled { bundle, module } = &work.source
        && let Some(contract) = Contract::embed(bundle.manifest())?
    {
        return embed((bundle, module), &contract, (work.threads, work.profile), &tokens, &mut emit);
    }
    let mut opened = open(&work.source, work.threads, work.profile)?;
    generate(&mut opened, &language, &tokens, work.max_tokens, &work.sampling, &mut emit)
}

/// Opens a model and answers questions until there are no more.
fn answer_all(work: &Answerer, questions: &Receiver<String>) -> io::Result<()> {
    let mut model = match Model::open(work) {
        Ok((model, ready)) => {
            emit(&ready)?;
            model
        }
        Err(error) => return emit(&Answer::Failed { error }),
    };
    for line in questions {
        let question = serde_json::from_str::<Question>(&line)
            .map_err(|error| WireError::new(ErrorCode::BadMessage, format!("not a question: {error}")));
        let answer = question.and_then(|question| model.answer(&question));
        emit(&answer.unwrap_or_else(|error| Answer::Failed { error }))?;
    }
    Ok(())
}

/// Writes a message as a line, at once.
fn emit(message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}

/// Passes the lines of standard input on and ends this process at its end. Nothing needs tidying, and other threads
/// may be in compiled code that never returns.
fn end_with_parent(lines: &Sender<String>) {
    let mut input = io::stdin().lock();
    loop {
        let mut line = String::new();
        match input.by_ref().take(MAX_LINE_BYTES).read_line(&mut line) {
            Ok(1..) => {
                // Where nobody takes it, the work is done and the process about to end.
                drop(lines.send(line));
            }
            ended => {
                tracing::debug!("standard input ended: {ended:?}");
                break;
            }
        }
    }
    if let Err(error) = kill_process(getpid(), Signal::KILL) {
        tracing::error!("this process could not be ended: {error}");
    }
}
