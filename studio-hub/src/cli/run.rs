//! `studio run`: a bundle, or a GGUF, generates tokens on this machine.

use super::{
    engine,
    events::{Logged, Streamed, follow},
    outcome::{WrongUsage, note, print},
    profile,
    ready::{self, is_model},
    remote::{self, PlaceArgs},
    sampling::SamplingArgs,
    work::{self, Cancel},
};
use crate::model::Model;
use clap::{Args, ValueEnum};
use runner_agent::{BundleFiles, EagerSettings, RunJob, Source};
use serde::Serialize;
use std::path::PathBuf;
use studio_core::options::{ExportOptions, GraphKind};
use studio_protocol::{ChatMessage, JobSpec, Outcome, Prompt, RunReport, RunSpec, StopReason, Timings};

/// Where a GGUF has its chat template.
const CHAT_TEMPLATE: &str = "tokenizer.chat_template";

/// What runs the model.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Engine {
    /// The bundle's module, by IREE's runtime.
    Compiled,
    /// The GGUF as it is, by llama.cpp.
    Eager,
}

/// Generates tokens with a compiled bundle, or gives the text's vector if the model is an encoder; a GGUF is exported and compiled into the cache first, or, with --engine
/// eager, run by llama.cpp as it is.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(super) struct Run {
    /// A bundle's folder, or a model.
    #[arg(value_name = "DIR|MODEL.gguf")]
    what_to_run: PathBuf,
    /// What to say to the model; its chat template is used, if it has one. Of an encoder, a text whose vector is wanted: given
    /// several times, how near the texts are to each other is told, too.
    #[arg(long = "prompt", value_name = "TEXT", group = "what")]
    prompts: Vec<String>,
    /// Token ids to continue.
    #[arg(long, value_name = "IDS", value_delimiter = ',', group = "what")]
    tokens: Vec<u32>,
    /// The most tokens to generate.
    #[arg(short = 'n', long = "max-tokens", value_name = "N", default_value_t = 128,
        value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: u32,
    /// Worker threads [default: as many as there are cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(runner_agent::MAX_THREADS)))]
    threads: Option<u32>,
    /// Continue the prompt's text as it is, without the chat template.
    #[arg(long, conflicts_with = "tokens")]
    raw: bool,
    /// What runs the model.
    #[arg(long, value_enum, default_value_t = Engine::Compiled)]
    engine: Engine,
    #[command(flatten)]
    target: ready::TargetArgs,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    sampling: SamplingArgs,
    /// Time each dispatch, which makes the run slower, and print what they took; compiled modules only.
    #[arg(long)]
    profile: bool,
    /// Print one JSON document: tokens, text, stop, timings; of an encoder, the text's vector as `embedding`; of several texts,
    /// these as `runs`, and `cosines`.
    #[arg(long)]
    json: bool,
}

/// What `--json` prints of several texts. Not made by way of a `Value`, which would give each `f32` the digits of an `f64`.
#[derive(Serialize)]
struct Several<'a> {
    runs: &'a [RunReport],
    cosines: Vec<Vec<f64>>,
}

impl Run {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.place.is_remote() {
            return work::block_on(|cancel| async move { self.run_there(&cancel).await });
        }
        work::block_on(|cancel| async move {
            let (source, has_template) = self.source(&cancel).await?;
            if self.prompts.len() > 1 && !is_encoder(&source) {
                let words =
                    "several --prompt are for models that give a text's vector; this one generates tokens";
                return Err(WrongUsage(words.to_owned()).into());
            }
            let mut reports = Vec::new();
            for prompt in self.asked(has_template) {
                let job = RunJob {
                    source: source.clone(),
                    prompt,
                    max_tokens: self.max_tokens,
                    threads: self.threads,
                    sampling: self.sampling.settings(),
                    profile: self.profile,
                };
                let mut report = generate(&job, self.json, &cancel).await?;
                profile::name_scopes(&mut report.dispatches, &source);
                reports.push(report);
            }
            match reports.as_slice() {
                [only] => self.report(only),
                several => self.report_several(several),
            }
        })
    }

    /// Has a hub's runner do it.
    async fn run_there(&self, cancel: &Cancel) -> anyhow::Result<()> {
        if matches!(self.engine, Engine::Eager) {
            let what = "--engine eager runs on this machine only; `studio bench --eager --runner NAME` measures llama.cpp there";
            return Err(WrongUsage(what.to_owned()).into());
        }
        let dir = ready::bundle_folder(&self.what_to_run, self.target.name())?;
        let has_template = BundleFiles::open(&dir)?.manifest().chat_template.is_some();
        let mut prompts = self.asked(has_template);
        let (Some(prompt), true) = (prompts.pop(), prompts.is_empty()) else {
            let what = "several --prompt run on this machine only: give one with --runner";
            return Err(WrongUsage(what.to_owned()).into());
        };
        let mut remote = self.place.open().await?;
        let sent = remote::send(&mut remote, &dir, None, false).await?;
        let spec = JobSpec::Run(RunSpec {
            bundle: sent.bundle,
            module: None,
            target: self.target.target.clone(),
            prompt,
            max_tokens: self.max_tokens,
            threads: self.threads,
            sampling: self.sampling.settings(),
            profile: self.profile,
        });
        let terms = self.place.terms(&remote);
        let jobs = remote.submit(spec, terms).await?;
        let one = jobs.len() == 1;
        let ended = if one && !self.json {
            remote.follow(&jobs, &mut Streamed, cancel).await?
        } else {
            remote.follow(&jobs, &mut Logged, cancel).await?
        };
        remote::report(&ended, self.json, |runner, outcome| match outcome {
            Outcome::Ran { report } if one && !self.json => self.report(report).map(|()| None),
            Outcome::Ran { report } if !self.json => Ok(Some(format!(
                "{runner}: {} tokens, {} tok/s\n",
                report.timings.generated_tokens,
                report.timings.decode_tps.map(|tps| format!("{tps:.1}")).unwrap_or_default()
            ))),
            _ => Ok(None),
        })
    }

    /// What runs, and whether its model has a chat template.
    async fn source(&self, cancel: &Cancel) -> anyhow::Result<(Source, bool)> {
        match self.engine {
            Engine::Compiled => {
                let dir = ready::bundle_folder(&self.what_to_run, self.target.name())?;
                let ready::Compiled { bundle, module } =
                    ready::compiled(&dir, self.target.name(), is_model(&self.what_to_run), cancel).await?;
                let has_template = bundle.manifest().chat_template.is_some();
                Ok((Source::Compiled { bundle, module }, has_template))
            }
            Engine::Eager => {
                runner_agent::eager_info()?;
                let model = if is_model(&self.what_to_run) {
                    self.what_to_run.clone()
                } else {
                    let bundle = BundleFiles::open(&self.what_to_run)?;
                    ready::source_model(&self.what_to_run, &bundle.manifest().source)?
                };
                let opened = Model::open(&model)?;
                let has_template = opened.gguf.metadata().get(CHAT_TEMPLATE).is_some();
                let settings = EagerSettings {
                    context: ExportOptions::default().context,
                    flash_attention: true,
                    exact_cache: false,
                };
                Ok((Source::Eager { model, settings }, has_template))
            }
        }
    }

    fn asked(&self, has_template: bool) -> Vec<Prompt> {
        if self.prompts.is_empty() {
            return vec![Prompt::Tokens { tokens: self.tokens.clone() }];
        }
        let prompt = |text: &String| match self.raw || !has_template {
            true => Prompt::Text { text: text.clone() },
            false => Prompt::Chat {
                messages: vec![ChatMessage { role: "user".to_owned(), content: text.clone() }],
            },
        };
        self.prompts.iter().map(prompt).collect()
    }

    /// Several texts' vectors, and the cosine of each to each.
    fn report_several(&self, reports: &[RunReport]) -> anyhow::Result<()> {
        let vector = |report: &RunReport| report.embedding.clone().unwrap_or_default();
        let vectors: Vec<Vec<f32>> = reports.iter().map(vector).collect();
        // They have length 1.
        let cosine = |a: &[f32], b: &[f32]| -> f64 {
            a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
        };
        let cosines: Vec<Vec<f64>> =
            vectors.iter().map(|a| vectors.iter().map(|b| cosine(a, b)).collect()).collect();
        if self.json {
            let several = Several { runs: reports, cosines };
            return print(format_args!("{}\n", serde_json::to_string_pretty(&several)?));
        }
        for report in reports {
            self.report(report)?;
        }
        for (at, row) in cosines.iter().enumerate() {
            for (to, cosine) in row.iter().enumerate().skip(at + 1) {
                let [a, b] = [at, to].map(|index| &self.prompts[index]);
                note(format_args!("cosine {cosine:.4}: {a:?} and {b:?}"));
            }
        }
        Ok(())
    }

    fn report(&self, report: &RunReport) -> anyhow::Result<()> {
        if self.json {
            return print(format_args!("{}\n", serde_json::to_string_pretty(report)?));
        }
        let timings = &report.timings;
        let profile = profile::table(&report.dispatches);
        if let Some(embedding) = &report.embedding {
            print(format_args!("{}\n", serde_json::to_string(embedding)?))?;
            note(format_args!(
                "{} tokens, {} numbers after {:.0} ms; {} threads, loaded in {:.0} ms, {} MB",
                timings.prompt_tokens,
                embedding.len(),
                timings.ttft_ms,
                timings.threads,
                timings.load_ms,
                timings.peak_rss_bytes / 1_000_000,
            ));
            profile.iter().for_each(note);
            return Ok(());
        }
        print("\n")?;
        if report.stop == StopReason::ContextFull {
            note(
                "stopped: the context is full (a bundle exported with a longer --context has room for more)",
            );
        }
        let decode = timings.decode_tps.map(|tps| format!(", {tps:.1} tok/s")).unwrap_or_default();
        note(format_args!(
            "{} prompt tokens, first token after {:.0} ms; {} generated{decode}; {}, loaded in {:.0} ms, {} MB",
            timings.prompt_tokens,
            timings.ttft_ms,
            timings.generated_tokens,
            on_what(timings),
            timings.load_ms,
            timings.peak_rss_bytes / 1_000_000,
        ));
        profile.iter().for_each(note);
        Ok(())
    }
}

/// What computed.
fn on_what(timings: &Timings) -> String {
    timings.device.clone().unwrap_or_else(|| format!("{} threads", timings.threads))
}

/// Whether a bundle gives texts' vectors.
fn is_encoder(source: &Source) -> bool {
    match source {
        Source::Compiled { bundle, .. } => bundle.manifest().options.graphs.contains(&GraphKind::Embed),
        Source::Eager { .. } => false,
    }
}

async fn generate(job: &RunJob, quiet: bool, cancel: &Cancel) -> anyhow::Result<RunReport> {
    let engine = engine::command()?;
    let work = async |events: &_| runner_agent::run(job, &engine, events, cancel).await;
    if quiet { follow(&mut Logged, work).await } else { follow(&mut Streamed, work).await }
}
