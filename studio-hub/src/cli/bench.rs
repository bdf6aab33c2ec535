//! `studio bench`: how fast a bundle is, and how fast llama.cpp is with the same model.

use super::{
    engine,
    events::{Follow, Logged, follow},
    figures::TableArgs,
    outcome::{WrongUsage, note, print, print_text},
    ready::{self, is_model},
    remote::{self, Ended, PlaceArgs},
    work::{self, Cancel},
};
use clap::Args;
use runner_agent::{BundleFiles, bench::BenchJob};
use std::path::{Path, PathBuf};
use studio_core::manifest::FileEntry;
use studio_protocol::figures::FigureRow;
use studio_protocol::{BenchReport, BenchRun, BenchSpec, Figure, JobEvent, JobSpec, Outcome};

/// Measures prefill and decode of a compiled bundle, with --eager against llama.cpp in turn.
#[derive(Debug, Args)]
pub(super) struct Bench {
    /// A bundle's folder, or a model, which is exported and compiled into the cache first.
    #[arg(value_name = "DIR|MODEL.gguf")]
    what: PathBuf,
    /// Numbers of worker threads; each is measured.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,2",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(runner_agent::MAX_THREADS)))]
    threads: Vec<u32>,
    /// Tokens that prefill takes.
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..))]
    prompt_tokens: u32,
    /// Tokens that decode makes.
    #[arg(long, value_name = "N", default_value_t = 64)]
    gen_tokens: u32,
    /// How often each is measured, after one time that doesn't count.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Measure decode alone, with the cache filled up to this position.
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..))]
    position: Option<u32>,
    /// Measure llama.cpp, too, on this model [default: the one that the bundle was exported from].
    #[arg(long, value_name = "MODEL.gguf", num_args = 0..=1)]
    eager: Option<Option<PathBuf>>,
    #[command(flatten)]
    target: ready::TargetArgs,
    #[command(flatten)]
    place: PlaceArgs,
    /// Print one JSON document.
    #[arg(long, conflicts_with_all = ["csv", "markdown"])]
    json: bool,
    #[command(flatten)]
    table: TableArgs,
}

impl Bench {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.place.is_remote() {
            return work::block_on(|cancel| async move { self.run_there(&cancel).await });
        }
        if self.eager.is_some() {
            // Before minutes are spent on an export.
            runner_agent::eager_info()?;
        }
        let dir = ready::bundle_folder(&self.what, self.target.name())?;
        work::block_on(|cancel| async move {
            let ready::Compiled { bundle, module } =
                ready::compiled(&dir, self.target.name(), true, &cancel).await?;
            let eager = self.eager_model(&dir, &bundle.manifest().source)?;
            let job = BenchJob {
                bundle,
                module,
                eager,
                threads: self.threads,
                prompt_tokens: self.prompt_tokens,
                gen_tokens: self.gen_tokens,
                repeat: self.repeat,
                position: self.position,
            };
            let engine = engine::command()?;
            let work = async |events: &_| runner_agent::bench::bench(&job, &engine, events, &cancel).await;
            let report = follow(&mut Rounds, work).await?;
            match self.json {
                _ if self.table.is_wanted() => {
                    self.table.print(&FigureRow::of(None, crate::jobs::now_ms(), "", &report))
                }
                true => print(format_args!("{}\n", serde_json::to_string_pretty(&report)?)),
                false => print_text(table(&report)),
            }
        })
    }

    /// Has a hub's runners do it.
    async fn run_there(&self, cancel: &Cancel) -> anyhow::Result<()> {
        let dir = ready::bundle_folder(&self.what, self.target.name())?;
        let mut remote = self.place.open().await?;
        let source = BundleFiles::open(&dir)?.manifest().source.clone();
        let model = self.eager_model(&dir, &source)?;
        let sent = remote::send(&mut remote, &dir, model, self.eager.is_some()).await?;
        let spec = JobSpec::Bench(BenchSpec {
            bundle: sent.bundle,
            module: None,
            target: self.target.target.clone(),
            eager: sent.model,
            threads: self.threads.clone(),
            prompt_tokens: self.prompt_tokens,
            gen_tokens: self.gen_tokens,
            repeat: self.repeat,
            position: self.position,
        });
        let terms = self.place.terms(&remote);
        let jobs = remote.submit(spec, terms).await?;
        let ended = remote.follow(&jobs, &mut Rounds, cancel).await?;
        if self.table.is_wanted() {
            let rows = |ended: &Ended| match &ended.outcome {
                Outcome::Benched { report } => {
                    FigureRow::of(Some(ended.job), ended.job, &ended.runner, report)
                }
                _ => Vec::new(),
            };
            self.table.print(&ended.iter().flat_map(rows).collect::<Vec<_>>())?;
            return remote::report(&ended, false, |_, _| Ok(None));
        }
        remote::report(&ended, self.json, |runner, outcome| match outcome {
            Outcome::Benched { report } => Ok(Some(format!("{runner}: {}", table(report)))),
            _ => Ok(None),
        })
    }

    /// The model that llama.cpp runs; it must be what the bundle was exported from.
    fn eager_model(&self, dir: &Path, source: &FileEntry) -> anyhow::Result<Option<PathBuf>> {
        let named = match &self.eager {
            None => return Ok(None),
            Some(named) => named.clone().or_else(|| is_model(&self.what).then(|| self.what.clone())),
        };
        let Some(model) = named else { return ready::source_model(dir, source).map(Some) };
        if !is_model(&self.what) && !ready::is_source(&model, source)? {
            let (model, name) = (model.display(), &source.name);
            return Err(WrongUsage(format!(
                "{model} is not what the bundle was exported from ({name}): the figures would not compare"
            ))
            .into());
        }
        Ok(Some(model))
    }
}

/// Says which round it is.
struct Rounds;

impl Follow for Rounds {
    fn event(&mut self, event: JobEvent) -> anyhow::Result<()> {
        match event {
            JobEvent::Step { name } => {
                note(name);
                Ok(())
            }
            other => Logged.event(other),
        }
    }
}

/// The figures for people: medians, and how far the farthest round was from them.
fn table(report: &BenchReport) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| text += &format!("{words}\n");
    line(format_args!("{} ({}) on {}", report.model, report.source, report.cpu));
    if let Some(eager) = &report.eager {
        line(format_args!("llama.cpp {}: {}", eager.version, eager.system_info));
    }
    let after = match report.position {
        Some(position) => format!("{} tokens from position {position}", report.gen_tokens),
        None => format!("{} tokens after {}", report.gen_tokens, report.prompt_tokens),
    };
    line(format_args!("medians of {}; decode: {after}\n", report.repeat));
    line(format_args!(
        "{:>7}  {:<28}{:>17}{:>17}{:>20}{:>10}{:>10}{:>11}",
        "threads",
        "engine",
        "prefill tok/s",
        "decode tok/s",
        "p50, p90, p99 ms",
        "ttft ms",
        "MB",
        "bandwidth"
    ));
    for run in &report.runs {
        line(format_args!(
            "{:>7}  {:<28}{:>17}{:>17}{:>20}{:>10}{:>10}{:>11}",
            run.threads,
            engine_words(run),
            with_spread(run.rounds.prefill_tps),
            with_spread(run.rounds.decode_tps),
            run.latency_ms.map(|latency| latency.words()).unwrap_or_default(),
            run.ttft_ms.map(|ms| format!("{ms:.1}")).unwrap_or_default(),
            run.peak_rss_bytes / 1_000_000,
            run.bandwidth_share.map(|share| format!("{:.0} %", share * 100.0)).unwrap_or_default(),
        ));
    }
    for ratio in report.ratios.iter().filter(|_| report.eager.is_some()) {
        let times = |ratio: Option<f64>| ratio.map(|ratio| format!("{ratio:.2} x")).unwrap_or_default();
        line(format_args!(
            "{:>7}  {:<28}{:>17}{:>17}{:>20}{:>10}{:>10}",
            ratio.threads,
            "compiled / better eager",
            times(ratio.prefill),
            times(ratio.decode),
            "",
            "",
            times(ratio.peak_rss)
        ));
    }
    for bandwidth in &report.bandwidth {
        let figure = bandwidth.rounds;
        line(format_args!(
            "{:>7}  as many bytes are read at {:.1} GB/s ±{:.0} %",
            bandwidth.threads,
            figure.median / 1e9,
            figure.spread() * 100.0
        ));
    }
    text
}

fn engine_words(run: &BenchRun) -> String {
    let how = match run.flash_attention {
        Some(true) => "flash attention",
        Some(false) => "plain attention",
        None => run.form.as_deref().unwrap_or_default(),
    };
    match &run.device {
        Some(device) => format!("{} {}, {device}", run.engine, run.weights),
        None => format!("{} {}, {how}", run.engine, run.weights),
    }
}

fn with_spread(figure: Option<Figure>) -> String {
    figure.map(|figure| format!("{:.1} ±{:.0} %", figure.median, figure.spread() * 100.0)).unwrap_or_default()
}
