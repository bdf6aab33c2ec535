//! `studio run`: a bundle, or a GGUF, generates tokens on this machine.

use super::{
    engine,
    events::{Logged, Streamed, follow},
    outcome::{WrongUsage, note, print},
    ready::{self, is_model},
    remote::{self, PlaceArgs},
    sampling::SamplingArgs,
    work::{self, Cancel},
};
use crate::model::Model;
use clap::{Args, ValueEnum};
use runner_agent::{BundleFiles, EagerSettings, RunJob, Source};
use std::path::PathBuf;
use studio_core::options::ExportOptions;
use studio_protocol::{ChatMessage, JobSpec, Outcome, Prompt, RunReport, RunSpec};

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
    /// What to say to the model; its chat template is used, if it has one.
    #[arg(long, value_name = "TEXT", group = "what")]
    prompt: Option<String>,
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
    place: PlaceArgs,
    #[command(flatten)]
    sampling: SamplingArgs,
    /// Print one JSON document: tokens, text, stop, timings; of an encoder, the text's vector as `embedding`.
    #[arg(long)]
    json: bool,
}

impl Run {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.place.is_remote() {
            return work::block_on(|cancel| async move { self.run_there(&cancel).await });
        }
        work::block_on(|cancel| async move {
            let (source, has_template) = self.source(&cancel).await?;
            let job = RunJob {
                source,
                prompt: self.prompt(has_template),
                max_tokens: self.max_tokens,
                threads: self.threads,
                sampling: self.sampling.settings(),
            };
            self.report(&generate(&job, self.json, &cancel).await?)
        })
    }

    /// Has a hub's runner do it.
    async fn run_there(&self, cancel: &Cancel) -> anyhow::Result<()> {
        if matches!(self.engine, Engine::Eager) {
            let what = "--engine eager runs on this machine only; `studio bench --eager --runner NAME` measures llama.cpp there";
            return Err(WrongUsage(what.to_owned()).into());
        }
        let dir = ready::bundle_folder(&self.what_to_run)?;
        let has_template = BundleFiles::open(&dir)?.manifest().chat_template.is_some();
        let mut remote = self.place.open().await?;
        let sent = remote::send(&mut remote, &dir, None, false).await?;
        let spec = JobSpec::Run(RunSpec {
            bundle: sent.bundle,
            module: None,
            prompt: self.prompt(has_template),
            max_tokens: self.max_tokens,
            threads: self.threads,
            sampling: self.sampling.settings(),
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
                let dir = ready::bundle_folder(&self.what_to_run)?;
                let ready::Compiled { bundle, module } =
                    ready::compiled(&dir, is_model(&self.what_to_run), cancel).await?;
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

    fn prompt(&self, has_template: bool) -> Prompt {
        match &self.prompt {
            None => Prompt::Tokens { tokens: self.tokens.clone() },
            Some(text) if self.raw || !has_template => Prompt::Text { text: text.clone() },
            Some(text) => Prompt::Chat {
                messages: vec![ChatMessage { role: "user".to_owned(), content: text.clone() }],
            },
        }
    }

    fn report(&self, report: &RunReport) -> anyhow::Result<()> {
        if self.json {
            return print(format_args!("{}\n", serde_json::to_string_pretty(report)?));
        }
        let timings = &report.timings;
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
            return Ok(());
        }
        print("\n")?;
        let decode = timings.decode_tps.map(|tps| format!(", {tps:.1} tok/s")).unwrap_or_default();
        note(format_args!(
            "{} prompt tokens, first token after {:.0} ms; {} generated{decode}; {} threads, loaded in {:.0} ms, {} MB",
            timings.prompt_tokens,
            timings.ttft_ms,
            timings.generated_tokens,
            timings.threads,
            timings.load_ms,
            timings.peak_rss_bytes / 1_000_000,
        ));
        Ok(())
    }
}

async fn generate(job: &RunJob, quiet: bool, cancel: &Cancel) -> anyhow::Result<RunReport> {
    let engine = engine::command()?;
    let work = async |events: &_| runner_agent::run(job, &engine, events, cancel).await;
    if quiet { follow(&mut Logged, work).await } else { follow(&mut Streamed, work).await }
}
