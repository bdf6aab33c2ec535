//! A job as the page follows it: events in, what to show out.

use crate::messages::Problem;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use studio_protocol::{Combination, DeviceCheck, JobEvent, JobId, JobSpec, Outcome, Prompt, Terms};

/// The most lines of a log that are kept, the last ones.
pub const MAX_LOG_LINES: usize = 5_000;

/// A job that this page asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The page's number of the request.
    pub request: u64,
    /// What was asked for.
    pub spec: JobSpec,
    /// Where and how.
    pub terms: Terms,
    /// The hub's name of it, once accepted.
    pub id: Option<JobId>,
    /// The last event that was taken in.
    pub last_seq: u64,
    /// How far it is.
    pub phase: Phase,
    /// The runner that took it.
    pub runner: Option<String>,
    /// The step it is in.
    pub step: Option<String>,
    /// Bytes that are done in it, of so many.
    pub progress: Option<(u64, u64)>,
    /// What compiler or runtime printed.
    pub log: VecDeque<String>,
    /// Lines that are no longer in `log`.
    pub log_dropped: usize,
    /// The prompt's tokens, for a run.
    pub prompt_tokens: Vec<u32>,
    /// The generated tokens.
    pub tokens: Vec<Token>,
    /// The generated text so far.
    pub text: String,
    /// What a sweep has tried.
    pub tried: Vec<Combination>,
    /// How a graphics processor was found to agree with the processor.
    pub check: Option<DeviceCheck>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Why the hub refused it or lost it.
    pub refused: Option<Problem>,
}

/// A generated token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its id.
    pub id: u32,
    /// Microseconds since the prompt was handed over.
    pub at_us: u64,
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Asked for, no answer yet.
    Asked,
    /// Waiting for a runner.
    Queued,
    /// A runner has it.
    Running,
    /// To be cancelled, not ended yet.
    Cancelling,
    /// Over.
    Over,
}

/// What a page keeps of a job over a reload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobKey {
    /// The hub's name of it.
    pub id: JobId,
    /// What was asked for.
    pub spec: JobSpec,
    /// Where and how.
    #[serde(default)]
    pub terms: Terms,
}

impl Job {
    /// A job that is about to be asked for.
    pub fn new(request: u64, spec: JobSpec, terms: Terms) -> Self {
        Self {
            request,
            spec,
            terms,
            id: None,
            last_seq: 0,
            phase: Phase::Asked,
            runner: None,
            step: None,
            progress: None,
            log: VecDeque::new(),
            log_dropped: 0,
            prompt_tokens: Vec::new(),
            tokens: Vec::new(),
            text: String::new(),
            tried: Vec::new(),
            check: None,
            outcome: None,
            refused: None,
        }
    }

    /// A job from before a reload, to be watched from its first event on.
    pub fn resumed(request: u64, key: JobKey) -> Self {
        Self { id: Some(key.id), phase: Phase::Queued, ..Self::new(request, key.spec, key.terms) }
    }

    /// What to keep over a reload.
    pub fn key(&self) -> Option<JobKey> {
        Some(JobKey { id: self.id?, spec: self.spec.clone(), terms: self.terms.clone() })
    }

    /// The hub took it.
    pub fn accept(&mut self, id: JobId) {
        self.id = Some(id);
        if self.phase == Phase::Asked {
            self.phase = Phase::Queued;
        }
    }

    /// The hub refused it.
    pub fn refuse(&mut self, problem: Problem) {
        self.refused = Some(problem);
        self.phase = Phase::Over;
    }

    /// Takes an event in. One that was seen before, as after a reconnection, changes nothing.
    pub fn take(&mut self, seq: u64, event: JobEvent) {
        if seq <= self.last_seq {
            return;
        }
        self.last_seq = seq;
        match event {
            JobEvent::Started { runner, .. } => {
                self.runner = Some(runner);
                if self.phase != Phase::Cancelling {
                    self.phase = Phase::Running;
                }
            }
            JobEvent::Log { line } => {
                self.log.push_back(line);
                if self.log.len() > MAX_LOG_LINES {
                    self.log.pop_front();
                    self.log_dropped += 1;
                }
            }
            JobEvent::Step { name } => {
                self.step = Some(name);
                self.progress = None;
            }
            JobEvent::PromptTokens { tokens } => self.prompt_tokens = tokens,
            JobEvent::Token { id, text, at_us } => {
                self.tokens.push(Token { id, at_us });
                self.text.push_str(&text);
            }
            JobEvent::Requeued { reason } => {
                let waiting = Self::new(self.request, self.spec.clone(), self.terms.clone());
                *self = Self { id: self.id, last_seq: seq, phase: Phase::Queued, ..waiting };
                self.log.push_back(reason);
            }
            JobEvent::Checked(check) => self.check = Some(check),
            JobEvent::Tried { combination } => self.tried.push(*combination),
            JobEvent::Progress { done, of } => self.progress = Some((done, of)),
            JobEvent::Finished { outcome } => {
                if let Outcome::Ran { report } = &outcome {
                    self.text.clone_from(&report.text);
                }
                self.outcome = Some(outcome);
                self.phase = Phase::Over;
            }
        }
    }

    /// Where it is, in words: what it waits for or does.
    pub fn whereabouts(&self) -> String {
        use crate::state::format::{percent, sentence};
        match (self.phase, &self.step) {
            (Phase::Asked, _) => "Asking the hub".to_owned(),
            (Phase::Queued, _) => "Waiting for a runner".to_owned(),
            (Phase::Cancelling, _) => "Cancelling".to_owned(),
            (Phase::Over, _) => "Over".to_owned(),
            (Phase::Running, None) => "Working".to_owned(),
            (Phase::Running, Some(step)) => match self.progress {
                Some((done, of)) => format!("{}, {}", sentence(step), percent(done, of)),
                None => sentence(step),
            },
        }
    }

    /// Whether it isn't over.
    pub fn is_live(&self) -> bool {
        self.phase != Phase::Over
    }

    /// Whether it is over and gave tokens or a vector.
    pub fn has_answer(&self) -> bool {
        !self.is_live() && (!self.tokens.is_empty() || self.embedding().is_some())
    }

    /// The vector of the text that was run.
    pub fn embedding(&self) -> Option<&[f32]> {
        match &self.outcome {
            Some(Outcome::Ran { report }) => report.embedding.as_deref(),
            _ => None,
        }
    }

    /// What was asked, in the words that were written.
    pub fn asked(&self) -> String {
        match &self.spec {
            JobSpec::Run(run) => match &run.prompt {
                Prompt::Text { text } => text.clone(),
                Prompt::Chat { messages } => {
                    messages.last().map(|turn| turn.content.clone()).unwrap_or_default()
                }
                Prompt::Tokens { tokens } => format!("{} tokens", tokens.len()),
            },
            JobSpec::Compile(_) | JobSpec::Bench(_) | JobSpec::Verify(_) | JobSpec::Sweep(_) => String::new(),
        }
    }

    /// Why it failed, if it did.
    pub fn problem(&self) -> Option<Problem> {
        match (&self.refused, &self.outcome) {
            (Some(problem), _) => Some(problem.clone()),
            (None, Some(Outcome::Failed { error })) => Some(error.clone().into()),
            _ => None,
        }
    }

    /// Milliseconds to the first token and tokens a second after it, as far as they are known while it runs.
    pub fn live_timings(&self) -> (Option<f64>, Option<f64>) {
        let first = self.tokens.first().map(|token| token.at_us);
        let decode = match (first, self.tokens.last()) {
            (Some(first), Some(last)) if last.at_us > first => {
                Some((self.tokens.len() - 1) as f64 * 1e6 / (last.at_us - first) as f64)
            }
            _ => None,
        };
        (first.map(|us| us as f64 / 1000.0), decode)
    }

    /// How long each token after the first took, in milliseconds.
    pub fn latencies_ms(&self) -> Vec<f64> {
        let gap = |pair: &[Token]| pair[1].at_us.saturating_sub(pair[0].at_us) as f64 / 1000.0;
        self.tokens.windows(2).map(gap).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use studio_protocol::{CompileSpec, ErrorCode, Hash, WireError};

    fn job() -> Job {
        let spec = CompileSpec { bundle: Hash::from_bytes([1; 32]), target: "host".into(), flags: vec![] };
        Job::new(7, JobSpec::Compile(spec), Terms::default())
    }

    fn token(id: u32, text: &str, at_us: u64) -> JobEvent {
        JobEvent::Token { id, text: text.into(), at_us }
    }

    #[test]
    fn events_seen_again_after_a_reconnection_change_nothing() {
        let mut job = job();
        job.accept(3);
        job.take(1, token(5, "Hel", 1_000));
        job.take(2, token(6, "lo", 3_000));
        job.take(1, token(5, "Hel", 1_000));
        job.take(2, token(6, "lo", 3_000));
        job.take(3, token(7, "!", 5_000));
        assert_eq!(job.text, "Hello!");
        assert_eq!(job.last_seq, 3);
        assert_eq!(job.latencies_ms(), [2.0, 2.0]);
        assert_eq!(job.live_timings(), (Some(1.0), Some(500.0)));
    }

    #[test]
    fn a_long_log_keeps_its_end() {
        let mut job = job();
        for seq in 1..=MAX_LOG_LINES as u64 + 10 {
            job.take(seq, JobEvent::Log { line: seq.to_string() });
        }
        assert_eq!(job.log.len(), MAX_LOG_LINES);
        assert_eq!(job.log_dropped, 10);
        assert_eq!(job.log.front().map(String::as_str), Some("11"));
    }

    #[test]
    fn failure_keeps_its_words() {
        let mut job = job();
        let error = WireError::new(ErrorCode::CompilerMissing, "no iree-compile").hint("Run studio doctor");
        job.take(1, JobEvent::Finished { outcome: Outcome::Failed { error } });
        assert!(!job.is_live());
        let problem = job.problem().unwrap();
        assert_eq!(problem.message, "no iree-compile");
        assert_eq!(problem.hint.as_deref(), Some("Run studio doctor"));
    }

    #[test]
    fn a_reloaded_page_watches_from_the_first_event() {
        let mut before = job();
        before.accept(3);
        before.take(1, token(5, "Hi", 1));
        let after = Job::resumed(8, before.key().unwrap());
        assert_eq!((after.id, after.last_seq, after.text.as_str()), (Some(3), 0, ""));
        assert!(after.is_live());
    }
}
