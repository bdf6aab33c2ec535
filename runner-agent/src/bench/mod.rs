//! Compiled against eager: both open at the same time in processes of their own, measured in turn, never together.

mod bandwidth;
mod energy;
mod report;
mod rounds;

use crate::{
    BundleFiles, EagerSettings, EngineCommand, Failure, Source,
    eager::check_fair,
    eager_info,
    log::send,
    machine,
    session::{Asker, Session},
    targets, text,
    weights::Weights,
};
use bandwidth::Memory;
use report::ratios;
use rounds::{Bench, Rounds};
use std::path::PathBuf;
use studio_protocol::{BenchReport, ErrorCode, JobEvent, WireError};
use tokio::{sync::mpsc, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

/// What to measure.
#[derive(Debug, Clone)]
pub struct BenchJob {
    /// The compiled side.
    pub bundle: BundleFiles,
    /// Its module for this machine.
    pub module: PathBuf,
    /// The eager side, if there is one: a GGUF.
    pub eager: Option<PathBuf>,
    /// Numbers of worker threads, each measured.
    pub threads: Vec<u32>,
    /// Tokens that prefill takes, and after which decode begins.
    pub prompt_tokens: u32,
    /// Tokens that decode makes.
    pub gen_tokens: u32,
    /// How often each is measured, after one time that doesn't count.
    pub repeat: u32,
    /// Measure decode alone, from this position on, the cache filled up to it.
    pub position: Option<u32>,
}

/// Measures. Emits `Step` for each round and what the engines print as `Log`; cancelling ends the engines.
pub async fn bench(
    job: &BenchJob,
    engine: &EngineCommand,
    events: &mpsc::Sender<JobEvent>,
    cancel: &CancellationToken,
) -> Result<BenchReport, Failure> {
    let eager = job.eager.as_ref().map(|_| eager_info()).transpose()?;
    if let Some(eager) = &eager {
        check_fair(eager, features_used(job).iter().map(String::as_str))?;
    }
    let prefilled = job.position.unwrap_or(job.prompt_tokens);
    let (compiled, others) = sources(job);
    let tokens = text::tokens_repeated(&compiled, prefilled as usize)?;
    let asker = Asker { engine, events, cancel };

    let streamed = Weights::of(&compiled)?.streamed_bytes;
    let memory = blocking(move || Memory::new(streamed)).await?;
    let mut benches = Vec::new();
    let on_gpu = job.bundle.target(&job.module).is_some_and(targets::is_vulkan);
    for (index, &threads) in job.threads.iter().enumerate() {
        // A graphics processor has threads of its own: once is enough.
        let ours = Some(&compiled).filter(|_| !on_gpu || index == 0);
        for source in ours.into_iter().chain(&others) {
            let session = Session::open(source, Some(threads), asker).await?;
            check_room(session.opened.context, prefilled, job.gen_tokens)?;
            benches.push(Bench::new(source.clone(), session));
        }
    }
    let mut rounds = Rounds::new(&tokens, job);
    let mut memory = Some(memory);
    for round in 0..=job.repeat {
        let name =
            if round == 0 { "warming up".to_owned() } else { format!("round {round} of {}", job.repeat) };
        send(events, JobEvent::Step { name }).await;
        for bench in &mut benches {
            rounds.measure(bench, round).await?;
        }
        for &threads in &job.threads {
            let taken = memory.take().ok_or_else(|| internal("the buffer is gone"))?;
            let (read, back) = blocking(move || (taken.read(threads as usize), taken)).await?;
            memory = Some(back);
            rounds.add_bandwidth(threads, read, round);
        }
    }
    let bandwidth = rounds.bandwidth();
    let runs = benches.iter().map(|bench| bench.run(job, &bandwidth)).collect::<Result<Vec<_>, _>>()?;
    let manifest = job.bundle.manifest();
    Ok(BenchReport {
        model: manifest.model.name.clone().unwrap_or_else(|| manifest.model.architecture.clone()),
        source: manifest.source.name.clone(),
        cpu: machine::cpu_name(),
        features: machine::cpu_features().into_iter().map(str::to_owned).collect(),
        prompt_tokens: job.prompt_tokens,
        gen_tokens: job.gen_tokens,
        position: job.position,
        repeat: job.repeat,
        eager,
        bandwidth,
        ratios: ratios(&runs),
        runs,
    })
}

/// The compiled side, and llama.cpp with and without its fused attention: which is quicker depends on the position,
/// and a comparison is with the better one.
fn sources(job: &BenchJob) -> (Source, Vec<Source>) {
    let compiled = Source::Compiled { bundle: job.bundle.clone(), module: job.module.clone() };
    let context = job.bundle.manifest().options.context;
    let eager = |flash_attention| {
        let settings = EagerSettings { context, flash_attention, exact_cache: false };
        job.eager.clone().map(|model| Source::Eager { model, settings })
    };
    (compiled, [true, false].into_iter().filter_map(eager).collect())
}

/// The instruction sets that the module may use: what its manifest says, or all that the processor has.
fn features_used(job: &BenchJob) -> Vec<String> {
    let is_it = |name: &str| job.bundle.path(name).is_ok_and(|path| path == job.module);
    let entry = job.bundle.manifest().modules.iter().find(|entry| is_it(&entry.file.name));
    match entry {
        Some(entry) if !entry.cpu_features.is_empty() => entry.cpu_features.clone(),
        _ => machine::cpu_features().into_iter().map(str::to_owned).collect(),
    }
}

fn check_room(context: u32, prefilled: u32, gen_tokens: u32) -> Result<(), WireError> {
    if u64::from(prefilled) + u64::from(gen_tokens) <= u64::from(context) {
        return Ok(());
    }
    let message =
        format!("{prefilled} tokens and {gen_tokens} more don't fit the module's context of {context}");
    Err(WireError::new(ErrorCode::BadPrompt, message).hint("Measure fewer, or export with a longer context"))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, WireError> {
    spawn_blocking(work).await.map_err(|error| internal(&error.to_string()))
}

fn internal(message: &str) -> WireError {
    WireError::new(ErrorCode::Internal, message)
}
