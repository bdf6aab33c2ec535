//! A child that keeps a model open and answers questions about it, for whoever compares engines.

use super::{
    job::Answerer,
    open::{Opened, open},
    question::{Answer, Question},
};
use crate::machine::peak_rss_bytes;
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    time::{Duration, Instant},
};
use studio_protocol::{ErrorCode, WireError};

/// An open model and what it was filled with.
pub(super) struct Model {
    opened: Opened,
    /// Tokens taken by the last `Fill`, and the most likely one after them.
    filled: u32,
    next: u32,
}

impl Model {
    pub(super) fn open(work: &Answerer) -> Result<(Self, Answer), WireError> {
        let opened = open(&work.source, work.threads, false)?;
        let ready = Answer::Ready {
            load_us: micros(opened.load),
            threads: opened.threads,
            context: opened.decoder.context(),
            gpu: opened.gpu.clone(),
        };
        Ok((Self { opened, filled: 0, next: 0 }, ready))
    }

    pub(super) fn answer(&mut self, question: &Question) -> Result<Answer, WireError> {
        match question {
            Question::Fill { tokens } => self.fill(tokens),
            Question::Decode { count } => self.decode(*count),
            Question::Logits { tokens, step, out } => self.logits(tokens, *step, out),
        }
    }

    fn fill(&mut self, tokens: &[u32]) -> Result<Answer, WireError> {
        let decoder = &mut self.opened.decoder;
        decoder.rewind(0)?;
        let start = Instant::now();
        self.next = decoder.prefill(tokens)?;
        let us = micros(start.elapsed());
        // At most the context, a `u32`.
        self.filled = tokens.len() as u32;
        Ok(Answer::Filled { us, next: self.next, peak_rss_bytes: peak_rss_bytes() })
    }

    fn decode(&mut self, count: u32) -> Result<Answer, WireError> {
        let decoder = &mut self.opened.decoder;
        decoder.rewind(self.filled)?;
        if count > decoder.context() - self.filled {
            let (left, filled) = (decoder.context() - self.filled, self.filled);
            let message =
                format!("{count} tokens to decode after {filled}, and the context has room for {left}");
            return Err(WireError::new(ErrorCode::BadPrompt, message));
        }
        let mut tokens = Vec::with_capacity(count as usize);
        let mut token_ns = Vec::with_capacity(count as usize);
        let mut next = self.next;
        let start = Instant::now();
        let mut before = start;
        for _ in 0..count {
            next = decoder.decode(next)?;
            tokens.push(next);
            let now = Instant::now();
            token_ns.push(now.duration_since(before).as_nanos().try_into().unwrap_or(u64::MAX));
            before = now;
        }
        let us = micros(before.duration_since(start));
        Ok(Answer::Decoded { us, tokens, token_ns, peak_rss_bytes: peak_rss_bytes() })
    }

    fn logits(&mut self, tokens: &[u32], step: u32, out: &Path) -> Result<Answer, WireError> {
        let failed = |error: std::io::Error| {
            WireError::new(ErrorCode::Io, error.to_string()).at(out.display().to_string())
        };
        let decoder = &mut self.opened.decoder;
        decoder.rewind(0)?;
        let mut file = BufWriter::new(File::create(out).map_err(failed)?);
        let (mut rows, mut vocabulary) = (0, 0);
        for part in tokens.chunks(step.max(1) as usize) {
            match part {
                [token] if step <= 1 => decoder.decode(*token)?,
                part => decoder.prefill(part)?,
            };
            let logits = decoder.logits()?.ok_or_else(|| {
                WireError::new(ErrorCode::Runtime, "the functions give no logits")
                    .hint("Export with `kv` among the graphs and compile again")
            })?;
            for logit in &logits {
                file.write_all(&logit.to_le_bytes()).map_err(failed)?;
            }
            rows += 1;
            vocabulary = logits.len() as u32;
        }
        file.flush().map_err(failed)?;
        Ok(Answer::Logits { rows, vocabulary })
    }
}

fn micros(duration: Duration) -> u64 {
    duration.as_micros().try_into().unwrap_or(u64::MAX)
}
