//! `studio run`: a bundle, or a GGUF, generates tokens on this machine.

use super::{
    compile, dirs, engine,
    events::{Logged, Streamed, follow},
    outcome::{WrongUsage, note, print},
    progress::Terminal,
    work::{self, Cancel},
};
use crate::model::{self, Model};
use anyhow::Context;
use clap::Args;
use runner_agent::{BundleFiles, RunJob, Tools};
use std::path::{Path, PathBuf};
use studio_core::{
    manifest::ModuleEntry,
    options::{ExportOptions, GraphKind},
};
use studio_protocol::{ChatMessage, Prompt, RunReport};

/// The module that this machine runs.
const TARGET: &str = "host";

/// Generates tokens with a compiled bundle; a GGUF is exported and compiled into the cache first.
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
    /// Print one JSON document: tokens, text, stop, timings.
    #[arg(long)]
    json: bool,
}

impl Run {
    pub(super) fn run(self) -> anyhow::Result<()> {
        // Before Ctrl-C is taken for the jobs: here it ends the process as it ends any.
        let dir = self.bundle()?;
        work::block_on(|cancel| async move {
            let (bundle, module) = compiled(&dir, self.is_model(), &cancel).await?;
            let job = RunJob {
                prompt: self.prompt(bundle.manifest().chat_template.is_some()),
                bundle,
                module,
                max_tokens: self.max_tokens,
                threads: self.threads,
            };
            self.report(&generate(&job, self.json, &cancel).await?)
        })
    }

    fn is_model(&self) -> bool {
        self.what_to_run.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gguf"))
    }

    /// The folder of the bundle; a model's is made in the cache, if it isn't there.
    fn bundle(&self) -> anyhow::Result<PathBuf> {
        if !self.is_model() {
            if self.what_to_run.is_file() {
                let what = self.what_to_run.display();
                return Err(
                    WrongUsage(format!("{what} is neither a bundle's folder nor a .gguf file")).into()
                );
            }
            return Ok(self.what_to_run.clone());
        }
        let options = ExportOptions { graphs: vec![GraphKind::Kv], ..ExportOptions::default() };
        let model = Model::open(&self.what_to_run)?;
        let key = model::content_key(&model, &options, &model.hash()?.blake3)?;
        let dir = dirs::cache()?.join("bundles").join(key);
        if BundleFiles::open(&dir).is_err() {
            let mut progress = Terminal::new();
            model::export(&model, &options, &dir, &mut progress)?;
        }
        Ok(dir)
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
        print("\n")?;
        let timings = &report.timings;
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

/// The bundle of a folder with its module for this machine, which is compiled where it is missing and
/// `may_compile` says so.
async fn compiled(dir: &Path, may_compile: bool, cancel: &Cancel) -> anyhow::Result<(BundleFiles, PathBuf)> {
    let mut bundle = BundleFiles::open(dir)?;
    let for_host = |module: &&ModuleEntry| module.target == TARGET;
    if may_compile && bundle.manifest().modules.iter().find(for_host).is_none() {
        note("compiling for this machine; that is done once");
        let tools = Tools::discover(&dirs::cache()?).await;
        compile::compile(dir, TARGET, &[], &tools, cancel).await?;
        bundle = BundleFiles::open(dir)?;
    }
    let module = bundle.manifest().modules.iter().find(for_host).with_context(|| {
        format!(
            "{dir}: the bundle has no module for this machine. Compile it first: studio compile {dir} --target host",
            dir = dir.display()
        )
    })?;
    let path = bundle.path(&module.file.name)?.to_owned();
    Ok((bundle, path))
}
