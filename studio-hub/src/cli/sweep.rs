//! `studio sweep`: which form, weights, sizes and number of threads are the fastest on a machine.

use super::{
    compile, dirs, engine,
    events::{Follow, Logged, follow},
    options::GridArgs,
    outcome::{Said, WrongUsage, note, print, print_text},
    progress::Terminal,
    ready,
    remote::{PlaceArgs, failure},
    work::{self, Cancel},
};
use crate::model::{self, ModelFiles};
use clap::{Args, ValueEnum};
use runner_agent::{Tools, bench::BenchJob};
use serde::Serialize;
use std::path::PathBuf;
use studio_core::options::{ExportOptions, Form};
use studio_protocol::{BenchReport, BenchRun, JobEvent, JobSpec, Outcome, SweepSpec, WireError};

/// Exports, compiles and measures a model in every combination of a grid, and ranks them.
#[derive(Debug, Args)]
pub(super) struct Sweep {
    /// The model.
    #[arg(value_name = "MODEL.gguf")]
    model: PathBuf,
    #[command(flatten)]
    grid: GridArgs,
    /// Numbers of worker threads; each is measured.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,2",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(runner_agent::MAX_THREADS)))]
    threads: Vec<u32>,
    /// Tokens that prefill takes.
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..))]
    prompt_tokens: u32,
    /// Tokens that decode makes.
    #[arg(long, value_name = "N", default_value_t = 32)]
    gen_tokens: u32,
    /// How often each is measured, after one time that doesn't count.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=64))]
    repeat: u32,
    /// What they are ranked by.
    #[arg(long, value_enum, default_value_t = By::Decode)]
    by: By,
    #[command(flatten)]
    place: PlaceArgs,
    /// With --runner or --any: print the job's number and end, instead of waiting for the hub to do it.
    #[arg(long)]
    detach: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// What combinations are ranked by.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    /// Decoded tokens a second.
    Decode,
    /// Prompt tokens a second.
    Prefill,
    /// The least memory.
    Memory,
}

/// A combination's figures with a number of threads, or why it has none.
#[derive(Debug, Serialize)]
struct Entry {
    /// Counted from 1; absent where there are no figures.
    rank: Option<usize>,
    runner: String,
    form: &'static str,
    weights: String,
    chunk: u32,
    context: u32,
    threads: Option<u32>,
    prefill_tps: Option<f64>,
    decode_tps: Option<f64>,
    ttft_ms: Option<f64>,
    load_ms: Option<f64>,
    peak_rss_bytes: Option<u64>,
    error: Option<String>,
}

impl Sweep {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let combinations = self.grid.combinations()?;
        if self.detach && !self.place.is_remote() {
            return Err(WrongUsage(
                "--detach is for sweeps that a hub does: name --runner or --any".to_owned(),
            )
            .into());
        }
        work::block_on(|cancel| async move {
            let mut entries = match self.place.is_remote() {
                true => match self.there(&combinations, &cancel).await? {
                    Some(entries) => entries,
                    None => return Ok(()),
                },
                false => self.here(&combinations, &cancel).await?,
            };
            self.rank(&mut entries);
            match self.json {
                true => print(format_args!("{}\n", serde_json::to_string_pretty(&entries)?))?,
                false => print_text(table(&entries))?,
            }
            // One that can't be had is a finding; if none can, nothing was found.
            if entries.iter().all(|entry| entry.error.is_some()) { Err(Said.into()) } else { Ok(()) }
        })
    }

    /// All of them, on this machine.
    async fn here(&self, combinations: &[ExportOptions], cancel: &Cancel) -> anyhow::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for (index, options) in combinations.iter().enumerate() {
            if cancel.is_cancelled() {
                break;
            }
            note(format_args!("{} of {}: {}", index + 1, combinations.len(), words(options)));
            match self.measure(options, cancel).await {
                Ok(report) => entries.extend(self::entries(options, "", &report)),
                Err(error) => {
                    note(format_args!("error: {error:#}"));
                    entries.push(Entry::failed(options, "", format!("{error:#}")));
                }
            }
        }
        Ok(entries)
    }

    async fn measure(&self, options: &ExportOptions, cancel: &Cancel) -> anyhow::Result<BenchReport> {
        let cache = dirs::cache()?;
        std::fs::create_dir_all(&cache)?;
        // A bundle is as large as the model: it goes when its figures are there.
        let folder = tempfile::Builder::new().prefix("sweep-").tempdir_in(cache)?;
        let mut progress = Terminal::new();
        let model = ModelFiles::open(&self.model)?;
        model::export(&model, &|_| Ok(options.clone()), folder.path(), &mut progress)?;
        progress.clear();
        let tools = Tools::discover(&dirs::cache()?).await;
        compile::compile(folder.path(), "host", &[], &tools, cancel).await?;
        let ready::Compiled { bundle, module } =
            ready::compiled(folder.path(), "host", false, cancel).await?;
        let job = BenchJob {
            bundle,
            module,
            eager: None,
            threads: self.threads.clone(),
            prompt_tokens: self.prompt_tokens,
            gen_tokens: self.gen_tokens,
            repeat: self.repeat,
            position: None,
        };
        let engine = engine::command()?;
        let work = async |events: &_| runner_agent::bench::bench(&job, &engine, events, cancel).await;
        follow(&mut Logged, work).await
    }

    /// Has a hub do it: it goes on there whatever becomes of this program. `None` where nobody waits for it.
    async fn there(
        &self,
        combinations: &[ExportOptions],
        cancel: &Cancel,
    ) -> anyhow::Result<Option<Vec<Entry>>> {
        let mut remote = self.place.open().await?;
        let sent = remote.send_whole_model(&ModelFiles::open(&self.model)?).await?;
        let spec = JobSpec::Sweep(SweepSpec {
            model: sent.blake3.parse()?,
            name: sent.name,
            combinations: combinations.iter().map(serde_json::to_value).collect::<Result<_, _>>()?,
            threads: self.threads.clone(),
            prompt_tokens: self.prompt_tokens,
            gen_tokens: self.gen_tokens,
            repeat: self.repeat,
        });
        let terms = self.place.terms(&remote);
        let jobs = remote.submit(spec, terms).await?;
        if self.detach {
            jobs.iter().try_for_each(|job| print(format_args!("{job}\n")))?;
            return Ok(None);
        }
        for job in &jobs {
            note(format_args!("the hub sweeps, as job {job}"));
        }
        let mut all = Vec::new();
        for ended in remote.follow(&jobs, &mut Steps, cancel).await? {
            let Outcome::Swept { report } = &ended.outcome else {
                return Err(failure(&ended).unwrap_or_else(|| anyhow::anyhow!("the hub did not sweep")));
            };
            for combination in &report.combinations {
                let Some(options) = combinations.get(combination.index as usize) else { continue };
                all.extend(
                    combination.error.iter().map(|error| Entry::failed(options, "", error.to_string())),
                );
                for one in &combination.measured {
                    all.extend(one.report.iter().flat_map(|report| entries(options, &one.runner, report)));
                    let failed = |error: &WireError| Entry::failed(options, &one.runner, error.to_string());
                    all.extend(one.error.iter().map(failed));
                }
            }
        }
        Ok(Some(all))
    }

    /// The best first; those without figures last.
    fn rank(&self, entries: &mut [Entry]) {
        let merit = |entry: &Entry| match self.by {
            By::Decode => entry.decode_tps,
            By::Prefill => entry.prefill_tps,
            By::Memory => entry.peak_rss_bytes.map(|bytes| -(bytes as f64)),
        };
        entries.sort_by(|a, b| {
            let key = |entry| merit(entry).unwrap_or(f64::NEG_INFINITY);
            key(b).total_cmp(&key(a))
        });
        for (index, entry) in entries.iter_mut().enumerate() {
            entry.rank = merit(entry).map(|_| index + 1);
        }
    }
}

/// Says what the hub does, and what could not be had.
struct Steps;

impl Follow for Steps {
    fn event(&mut self, event: JobEvent) -> anyhow::Result<()> {
        match event {
            JobEvent::Step { name } => note(name),
            JobEvent::Tried { combination } => {
                let measured = combination.measured.iter().filter_map(|one| one.error.as_ref());
                combination
                    .error
                    .iter()
                    .chain(measured)
                    .for_each(|error| note(format_args!("error: {error}")));
            }
            other => return Logged.event(other),
        }
        Ok(())
    }
}

impl Entry {
    fn failed(options: &ExportOptions, runner: &str, error: String) -> Self {
        Self {
            rank: None,
            runner: runner.to_owned(),
            form: form(options),
            weights: weights(options),
            chunk: options.chunk,
            context: options.context,
            threads: None,
            prefill_tps: None,
            decode_tps: None,
            ttft_ms: None,
            load_ms: None,
            peak_rss_bytes: None,
            error: Some(error),
        }
    }
}

fn entries(options: &ExportOptions, runner: &str, report: &BenchReport) -> Vec<Entry> {
    let entry = |run: &BenchRun| Entry {
        threads: Some(run.threads),
        prefill_tps: run.prefill_tps,
        decode_tps: run.decode_tps,
        ttft_ms: run.ttft_ms,
        load_ms: Some(run.load_ms),
        peak_rss_bytes: Some(run.peak_rss_bytes),
        error: None,
        ..Entry::failed(options, runner, String::new())
    };
    report.runs.iter().map(entry).collect()
}

fn form(options: &ExportOptions) -> &'static str {
    match options.form {
        Form::Cpu(_) => "cpu",
        Form::Stablehlo => "stablehlo",
    }
}

fn weights(options: &ExportOptions) -> String {
    serde_json::to_value(options.weights)
        .ok()
        .and_then(|name| Some(name.as_str()?.to_owned()))
        .unwrap_or_default()
}

fn words(options: &ExportOptions) -> String {
    let (form, weights) = (form(options), weights(options));
    format!("{form}, weights {weights}, chunk {}, context {}", options.chunk, options.context)
}

fn table(entries: &[Entry]) -> String {
    let mut text = format!(
        "{:>4}  {:<12} {:<10} {:<8} {:>6} {:>8} {:>8} {:>14} {:>14} {:>9} {:>8}\n",
        "rank",
        "runner",
        "form",
        "weights",
        "chunk",
        "context",
        "threads",
        "prefill tok/s",
        "decode tok/s",
        "ttft ms",
        "MB"
    );
    for entry in entries {
        let number = |value: Option<f64>| value.map(|value| format!("{value:.1}")).unwrap_or_default();
        text += &format!(
            "{:>4}  {:<12} {:<10} {:<8} {:>6} {:>8} {:>8} {:>14} {:>14} {:>9} {:>8}{}\n",
            entry.rank.map(|rank| rank.to_string()).unwrap_or_default(),
            entry.runner,
            entry.form,
            entry.weights,
            entry.chunk,
            entry.context,
            entry.threads.map(|threads| threads.to_string()).unwrap_or_default(),
            number(entry.prefill_tps),
            number(entry.decode_tps),
            number(entry.ttft_ms),
            entry.peak_rss_bytes.map(|bytes| (bytes / 1_000_000).to_string()).unwrap_or_default(),
            entry.error.as_ref().map(|error| format!("  {error}")).unwrap_or_default(),
        );
    }
    text
}
