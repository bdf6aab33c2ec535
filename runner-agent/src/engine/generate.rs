//! A generation: the loop from a prompt's tokens to the report.

use super::{
    decoder::Decoder,
    language::Language,
    open::Opened,
    profile,
    statistics::{millis, per_second, percentiles},
};
use crate::{machine, sample::Sampler};
use std::time::{Duration, Instant};
use studio_core::tokenizer::Detokenizer;
use studio_protocol::{ErrorCode, JobEvent, RunReport, Sampling, StopReason, Timings, WireError};

/// Runs a prompt's tokens, at least one, and generates up to `max_tokens` more.
pub(super) fn generate(
    opened: &mut Opened,
    language: &Language,
    prompt: &[u32],
    max_tokens: u32,
    sampling: &Sampling,
    emit: &mut dyn FnMut(JobEvent) -> Result<(), WireError>,
) -> Result<RunReport, WireError> {
    let context = opened.decoder.context();
    if prompt.len() > context as usize {
        return Err(WireError::new(
            ErrorCode::BadPrompt,
            format!("the prompt has {} tokens, the module's context has {context}", prompt.len()),
        )
        .hint("Shorten the prompt, or export with a longer context"));
    }
    let mut chooser = Chooser::new(sampling, prompt)?;
    emit(JobEvent::PromptTokens { tokens: prompt.to_vec() })?;
    emit(JobEvent::Step { name: "prefill".to_owned() })?;
    let start = Instant::now();
    let likeliest = opened.decoder.prefill(prompt)?;
    profile::take_in(opened.profiled.as_ref())?;
    refuse_nan(opened.decoder.as_mut())?;
    let mut next = chooser.choose(likeliest, opened.decoder.as_mut())?;
    let prefill = start.elapsed();
    let mut output = Output::new(language.tokenizer.detokenizer());
    let mut latencies = Vec::new();
    let mut position = prompt.len();
    emit(JobEvent::Step { name: "decode".to_owned() })?;
    let stop = loop {
        if output.tokens.len() >= max_tokens as usize {
            break StopReason::MaxTokens;
        }
        if language.stop_ids.binary_search(&next).is_ok() {
            break StopReason::EndOfText;
        }
        emit(output.push(next, start.elapsed()))?;
        if output.tokens.len() >= max_tokens as usize {
            break StopReason::MaxTokens;
        }
        if position >= context as usize {
            break StopReason::ContextFull;
        }
        let begin = Instant::now();
        let likeliest = opened.decoder.decode(next)?;
        next = chooser.choose(likeliest, opened.decoder.as_mut())?;
        latencies.push(begin.elapsed());
        profile::take_in(opened.profiled.as_ref())?;
        position += 1;
    };
    let (tokens, text) = output.finish();
    let decode: Duration = latencies.iter().sum();
    let several = tokens.len() >= 2;
    let timings = Timings {
        threads: opened.threads,
        device: opened.gpu.clone(),
        prompt_tokens: prompt.len() as u32,
        generated_tokens: tokens.len() as u32,
        load_ms: millis(opened.load),
        ttft_ms: millis(prefill),
        prefill_tps: per_second(prompt.len(), prefill),
        decode_tps: several.then(|| per_second(latencies.len(), decode)),
        latency_ms: percentiles(&latencies).filter(|_| several),
        peak_rss_bytes: machine::peak_rss_bytes(),
    };
    let dispatches = profile::dispatches(opened.profiled.as_ref())?;
    Ok(RunReport { tokens, text, stop, seed: chooser.seed(), embedding: None, timings, dispatches })
}

/// Refuses to go on where scores aren't numbers: one token would be as good as another, and be taken for an answer.
fn refuse_nan(decoder: &mut dyn Decoder) -> Result<(), WireError> {
    let Some(logits) = decoder.logits()? else { return Ok(()) };
    match logits.iter().filter(|logit| logit.is_nan()).count() {
        0 => Ok(()),
        count => Err(WireError::new(
            ErrorCode::Runtime,
            format!("{count} of the model's {} scores for the next token are not numbers (NaN)", logits.len()),
        )
        .hint("Its weights have such, see `studio inspect MODEL.gguf --tensor NAME`, or values grew past all bounds")),
    }
}

/// How the next token is chosen.
enum Chooser {
    /// The most likely one, which the module names itself.
    Greedy,
    Sampled(Box<Sampler>),
}

impl Chooser {
    fn new(sampling: &Sampling, prompt: &[u32]) -> Result<Self, WireError> {
        Ok(if sampling.is_greedy() {
            Self::Greedy
        } else {
            Self::Sampled(Box::new(Sampler::new(sampling, prompt)?))
        })
    }

    fn choose(&mut self, likeliest: u32, decoder: &mut dyn Decoder) -> Result<u32, WireError> {
        let Self::Sampled(sampler) = self else { return Ok(likeliest) };
        let logits = decoder.logits()?.ok_or_else(|| {
            WireError::new(ErrorCode::BadMessage, "this module gives no logits to draw by")
                .hint("Export with `kv` among the graphs, or leave the temperature at 0")
        })?;
        sampler.next(&logits)
    }

    fn seed(&self) -> Option<u64> {
        match self {
            Self::Greedy => None,
            Self::Sampled(sampler) => Some(sampler.seed()),
        }
    }
}

/// What was generated so far.
struct Output<'t> {
    tokens: Vec<u32>,
    text: String,
    detokenizer: Detokenizer<'t>,
}

impl<'t> Output<'t> {
    fn new(detokenizer: Detokenizer<'t>) -> Self {
        Self { tokens: Vec::new(), text: String::new(), detokenizer }
    }

    fn push(&mut self, id: u32, at: Duration) -> JobEvent {
        let text = self.detokenizer.push(id);
        self.tokens.push(id);
        self.text.push_str(&text);
        JobEvent::Token { id, text, at_us: at.as_micros().try_into().unwrap_or(u64::MAX) }
    }

    fn finish(mut self) -> (Vec<u32>, String) {
        self.text.push_str(&self.detokenizer.finish());
        (self.tokens, self.text)
    }
}
