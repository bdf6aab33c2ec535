//! A model that a child process keeps open, and questions to it.

use crate::{
    EngineCommand, Failure, Source,
    engine::{Answer, Question, Work},
    log::Log,
    proc::{Said, Talk},
    run::crash,
};
use std::{path::Path, time::Duration};
use studio_protocol::{ErrorCode, JobEvent, WireError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What sessions need of whoever wants answers.
#[derive(Clone, Copy)]
pub(crate) struct Asker<'a> {
    pub(crate) engine: &'a EngineCommand,
    /// What engines print goes there.
    pub(crate) events: &'a mpsc::Sender<JobEvent>,
    pub(crate) cancel: &'a CancellationToken,
}

/// An open model in a process of its own. Dropping it ends the process.
pub(crate) struct Session<'a> {
    talk: Talk,
    log: Log<'a>,
    asker: Asker<'a>,
    pub(crate) opened: Opened,
}

/// What is known of a model when it is open.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    pub(crate) load_ms: f64,
    pub(crate) threads: u32,
    pub(crate) context: u32,
    /// The graphics processor that computes, if one does.
    pub(crate) gpu: Option<String>,
}

/// Tokens that were taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filled {
    pub(crate) seconds: f64,
    /// The most likely token after them.
    pub(crate) next: u32,
    pub(crate) peak_rss_bytes: u64,
}

/// Tokens that were decoded.
#[derive(Debug, Clone)]
pub(crate) struct Decoded {
    pub(crate) seconds: f64,
    pub(crate) tokens: Vec<u32>,
    /// How long each of them took.
    pub(crate) token_times: Vec<Duration>,
    pub(crate) peak_rss_bytes: u64,
}

impl<'a> Session<'a> {
    /// Starts a child that opens a model.
    pub(crate) async fn open(
        source: &Source,
        threads: Option<u32>,
        asker: Asker<'a>,
    ) -> Result<Self, Failure> {
        let process = asker.engine.process(Work::answer(source, threads)?.to_line()?);
        let talk = Talk::start(&process).await.map_err(|error| asker.engine.failed(&error))?;
        let opened = Opened { load_ms: 0.0, threads: 0, context: 0, gpu: None };
        let mut session = Self { talk, log: Log::new(asker.events), asker, opened };
        match session.hear().await? {
            Answer::Ready { load_us, threads, context, gpu } => {
                session.opened = Opened { load_ms: load_us as f64 / 1000.0, threads, context, gpu };
                Ok(session)
            }
            other => Err(unexpected(&other)),
        }
    }

    /// Forgets everything and takes tokens.
    pub(crate) async fn fill(&mut self, tokens: &[u32]) -> Result<Filled, Failure> {
        match self.ask(&Question::Fill { tokens: tokens.to_vec() }).await? {
            Answer::Filled { us, next, peak_rss_bytes } => {
                Ok(Filled { seconds: us as f64 / 1e6, next, peak_rss_bytes })
            }
            other => Err(unexpected(&other)),
        }
    }

    /// Decodes greedily after what it was filled with.
    pub(crate) async fn decode(&mut self, count: u32) -> Result<Decoded, Failure> {
        match self.ask(&Question::Decode { count }).await? {
            Answer::Decoded { us, tokens, token_ns, peak_rss_bytes } => {
                let token_times = token_ns.into_iter().map(Duration::from_nanos).collect();
                Ok(Decoded { seconds: us as f64 / 1e6, tokens, token_times, peak_rss_bytes })
            }
            other => Err(unexpected(&other)),
        }
    }

    /// Writes the logits after each part of `step` tokens to a file; gives the numbers of rows and of values in a row.
    pub(crate) async fn logits(
        &mut self,
        tokens: &[u32],
        step: u32,
        out: &Path,
    ) -> Result<(usize, usize), Failure> {
        let question = Question::Logits { tokens: tokens.to_vec(), step, out: out.to_owned() };
        match self.ask(&question).await? {
            Answer::Logits { rows, vocabulary } => Ok((rows as usize, vocabulary as usize)),
            other => Err(unexpected(&other)),
        }
    }

    async fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        let line = serde_json::to_string(question)
            .map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))?;
        self.talk.say(&line).await.map_err(|error| self.asker.engine.failed(&error))?;
        self.hear().await
    }

    /// The next answer. Lines that are none are taken for what the runtime prints.
    async fn hear(&mut self) -> Result<Answer, Failure> {
        loop {
            let said = tokio::select! {
                biased;
                () = self.asker.cancel.cancelled() => return Err(Failure::Cancelled),
                said = self.talk.hear(&mut self.log) => said,
            };
            match said.map_err(|error| self.asker.engine.failed(&error))? {
                Said::Ended(status) => return Err(crash(status, &self.log).into()),
                Said::Line(line) => match serde_json::from_str(&line) {
                    Ok(Answer::Failed { error }) => return Err(error.into()),
                    Ok(answer) => return Ok(answer),
                    Err(_other_text) => self.log.take(line).await,
                },
            }
        }
    }
}

fn unexpected(answer: &Answer) -> Failure {
    WireError::new(ErrorCode::Internal, format!("the engine answered another question: {answer:?}")).into()
}
