//! One round of one side, and what all rounds add up to.

use super::{BenchJob, energy::Meter};
use crate::{Failure, Source, engine::percentiles, session::Session, weights::Weights};
use std::{collections::BTreeMap, time::Duration};
use studio_core::options::Form;
use studio_protocol::{Bandwidth, BenchRun, Figure, RunRounds, WireError};

/// A side: an open model and what was measured of it.
pub(super) struct Bench<'a> {
    source: Source,
    session: Session<'a>,
    prefill_tps: Vec<f64>,
    ttft_ms: Vec<f64>,
    decode_tps: Vec<f64>,
    /// Of each decoded token of each round.
    token_times: Vec<Duration>,
    /// Joules of a decoded token, where the machine tells.
    joules: Vec<f64>,
    peak_rss_bytes: u64,
}

impl<'a> Bench<'a> {
    pub(super) fn new(source: Source, session: Session<'a>) -> Self {
        Self {
            source,
            session,
            prefill_tps: Vec::new(),
            ttft_ms: Vec::new(),
            decode_tps: Vec::new(),
            token_times: Vec::new(),
            joules: Vec::new(),
            peak_rss_bytes: 0,
        }
    }

    /// What all rounds add up to.
    pub(super) fn run(&self, job: &BenchJob, bandwidth: &[Bandwidth]) -> Result<BenchRun, WireError> {
        let options = &job.bundle.manifest().options;
        let (engine, form, flash_attention) = match &self.source {
            Source::Compiled { .. } => ("compiled", Some(options.form), None),
            Source::Eager { settings, .. } => ("eager", None, Some(settings.flash_attention)),
        };
        let weights = Weights::of(&self.source)?;
        let threads = self.session.opened.threads;
        let (prefill, decode) = (Figure::of(&self.prefill_tps), Figure::of(&self.decode_tps));
        let median = |figure: Option<Figure>| figure.map(|figure| figure.median);
        // What a graphics processor reads is no part of what the processor could.
        let roof = bandwidth
            .iter()
            .find(|bandwidth| bandwidth.threads == threads && self.session.opened.gpu.is_none());
        let streamed = decode.map(|decode| decode.median * weights.streamed_bytes as f64);
        Ok(BenchRun {
            engine: engine.to_owned(),
            form: word(form, "form"),
            kernels: word(form, "kernels"),
            activations: word(form, "activations"),
            cache: word(form, "cache"),
            weights: weights.name,
            flash_attention,
            threads,
            device: self.session.opened.gpu.clone(),
            prefill_tps: median(prefill),
            decode_tps: median(decode),
            ttft_ms: median(Figure::of(&self.ttft_ms)),
            latency_ms: percentiles(&self.token_times),
            decode_joules: median(Figure::of(&self.joules)),
            rounds: RunRounds { prefill_tps: prefill, decode_tps: decode },
            load_ms: self.session.opened.load_ms,
            peak_rss_bytes: self.peak_rss_bytes,
            weight_bytes: weights.bytes,
            streamed_bytes_per_token: weights.streamed_bytes,
            bandwidth_share: streamed.zip(roof).map(|(bytes, roof)| bytes / roof.bytes_per_second),
        })
    }
}

/// What a form's JSON says under this name.
fn word(form: Option<Form>, name: &str) -> Option<String> {
    serde_json::to_value(form?).ok()?.get(name)?.as_str().map(str::to_owned)
}

/// The measuring.
pub(super) struct Rounds<'j> {
    tokens: &'j [u32],
    job: &'j BenchJob,
    /// By the number of threads.
    bandwidth: BTreeMap<u32, Vec<f64>>,
    meter: Meter,
}

impl<'j> Rounds<'j> {
    pub(super) fn new(tokens: &'j [u32], job: &'j BenchJob) -> Self {
        Self { tokens, job, bandwidth: BTreeMap::new(), meter: Meter::open() }
    }

    /// One round of one side; round 0 doesn't count.
    pub(super) async fn measure(&mut self, bench: &mut Bench<'_>, round: u32) -> Result<(), Failure> {
        let counts = round > 0;
        // A cache that was filled up to a position is decoded from there over and over.
        if self.job.position.is_none() || round == 0 {
            let filled = bench.session.fill(self.tokens).await?;
            bench.peak_rss_bytes = bench.peak_rss_bytes.max(filled.peak_rss_bytes);
            if counts {
                bench.prefill_tps.push(self.tokens.len() as f64 / filled.seconds);
                bench.ttft_ms.push(filled.seconds * 1000.0);
            }
        }
        let count = self.job.gen_tokens;
        if count > 0 {
            let before = self.meter.read();
            let decoded = bench.session.decode(count).await?;
            let joules = before.and_then(|before| self.meter.joules_since(&before));
            bench.peak_rss_bytes = bench.peak_rss_bytes.max(decoded.peak_rss_bytes);
            if counts {
                bench.decode_tps.push(decoded.tokens.len() as f64 / decoded.seconds);
                bench.token_times.extend(decoded.token_times);
                bench.joules.extend(joules.map(|joules| joules / decoded.tokens.len() as f64));
            }
        }
        Ok(())
    }

    pub(super) fn add_bandwidth(&mut self, threads: u32, bytes_per_second: f64, round: u32) {
        if round > 0 {
            self.bandwidth.entry(threads).or_default().push(bytes_per_second);
        }
    }

    pub(super) fn bandwidth(&self) -> Vec<Bandwidth> {
        let all = self.bandwidth.iter();
        all.filter_map(|(&threads, rounds)| {
            let rounds = Figure::of(rounds)?;
            Some(Bandwidth { threads, bytes_per_second: rounds.median, rounds })
        })
        .collect()
    }
}
