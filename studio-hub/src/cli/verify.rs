//! `studio verify`: whether a compiled bundle says what llama.cpp says.

use super::{
    engine,
    events::{Logged, follow},
    outcome::{Said, WrongUsage, note, print, print_text},
    ready,
    remote::{self, PlaceArgs},
    work::{self, Cancel},
};
use crate::model::{ModelFiles, record};
use anyhow::Context;
use clap::Args;
use runner_agent::verify::VerifyJob;
use std::{
    fs,
    path::{Path, PathBuf},
};
use studio_core::manifest::{Manifest, VerificationEntry};
use studio_protocol::{Distances, JobSpec, Outcome, VerifyReport, VerifySpec};

/// Compares a compiled bundle's logits with llama.cpp's, after each token of a real text.
#[derive(Debug, Args)]
pub(super) struct Verify {
    /// A bundle's folder.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The model that llama.cpp runs: the one that the bundle was exported from, or the same in another type.
    #[arg(long, value_name = "MODEL.gguf")]
    against: PathBuf,
    /// Positions to compare.
    #[arg(long = "tokens", value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// A text file to take the tokens from [default: the beginning of Alice's Adventures in Wonderland].
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,
    /// Worker threads [default: as many as there are cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(runner_agent::MAX_THREADS)))]
    threads: Option<u32>,
    #[command(flatten)]
    target: ready::TargetArgs,
    #[command(flatten)]
    place: PlaceArgs,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.place.is_remote() {
            return work::block_on(|cancel| async move { self.run_there(&cancel).await });
        }
        runner_agent::eager_info()?;
        let read = |path: &PathBuf| fs::read_to_string(path).with_context(|| path.display().to_string());
        let text = self.text.as_ref().map(read).transpose()?;
        let report = work::block_on(|cancel| async move {
            let ready::Compiled { bundle, module } =
                ready::compiled(&self.dir, self.target.name(), true, &cancel).await?;
            let manifest = bundle.manifest().clone();
            let tested = module.file_name().map(|name| name.to_string_lossy().into_owned());
            let job = VerifyJob {
                bundle,
                module,
                against: self.against,
                positions: self.positions,
                text,
                threads: self.threads,
            };
            let engine = engine::command()?;
            let work = async |events: &_| runner_agent::verify::verify(&job, &engine, events, &cancel).await;
            let report = follow(&mut Logged, work).await?;
            remember(&self.dir, manifest, tested.as_deref(), &report)?;
            match self.json {
                true => print(format_args!("{}\n", serde_json::to_string_pretty(&report)?))?,
                false => print_text(table(&report))?,
            }
            Ok(report)
        })?;
        if report.passed {
            return Ok(());
        }
        note("error: the module is not within the limits of llama.cpp");
        Err(Said.into())
    }

    /// Has a hub's runners do it.
    async fn run_there(&self, cancel: &Cancel) -> anyhow::Result<()> {
        if self.text.is_some() {
            let what = "--text is for this machine only: a runner takes the text that it has";
            return Err(WrongUsage(what.to_owned()).into());
        }
        let mut remote = self.place.open().await?;
        let against = ModelFiles::open(&self.against)?.hash()?;
        let sent = remote::send(&mut remote, &self.dir, None, false).await?;
        let model = remote.send_model(&self.against, &against).await?;
        let spec = JobSpec::Verify(VerifySpec {
            bundle: sent.bundle,
            module: None,
            target: self.target.target.clone(),
            against: model,
            positions: self.positions,
            threads: self.threads,
        });
        let terms = self.place.terms(&remote);
        let jobs = remote.submit(spec, terms).await?;
        let ended = remote.follow(&jobs, &mut Logged, cancel).await?;
        let mut all_passed = true;
        remote::report(&ended, self.json, |runner, outcome| match outcome {
            Outcome::Verified { report } => {
                all_passed &= report.passed;
                Ok(Some(format!("{runner}: {}", table(report))))
            }
            _ => Ok(None),
        })?;
        if all_passed { Ok(()) } else { Err(Said.into()) }
    }
}

/// Writes what came out into the bundle's manifest and reference page, in the place of what was said of this module and
/// model before.
fn remember(
    dir: &Path,
    mut manifest: Manifest,
    module: Option<&str>,
    report: &VerifyReport,
) -> anyhow::Result<()> {
    let tested = manifest.modules.iter().find(|entry| Some(entry.file.name.as_str()) == module);
    let Some(tested) = tested.map(|entry| entry.file.clone()) else { return Ok(()) };
    let VerifyReport { decode, limits, against, eager, passed, .. } = report;
    let against =
        Path::new(against).file_name().map_or(against.clone(), |name| name.to_string_lossy().into());
    manifest.verifications.retain(|entry| entry.module != tested.name || entry.against != against);
    manifest.verifications.push(VerificationEntry {
        module: tested.name,
        blake3: tested.blake3,
        against,
        engine: format!("llama.cpp {}", eager.version),
        positions: decode.positions,
        max_abs_logit_diff: decode.max_abs_logit_diff,
        mean_kl: decode.mean_kl,
        mean_kl_limit: limits.mean_kl,
        top1_agreement: decode.top1_agreement,
        passed: *passed,
    });
    record(dir, &mut manifest)
}

fn table(report: &VerifyReport) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| text += &format!("{words}\n");
    let VerifyReport { decode, prefill, limits, .. } = report;
    let row = |name: &str, of: fn(&Distances) -> String, limit: String| {
        format!("{name:<34}{:>12}{:>12}   {limit}", of(decode), of(prefill))
    };
    line(format_args!("against {} in llama.cpp {}", report.against, report.eager.version));
    line(format_args!("{:<34}{:>12}{:>12}   limit", "", "decode", "prefill"));
    line(format_args!("{}", row("positions", |d| d.positions.to_string(), String::new())));
    let mean_kl = format!("at most {:.0e}", limits.mean_kl);
    line(format_args!("{}", row("mean KL divergence, nats", |d| format!("{:.2e}", d.mean_kl), mean_kl)));
    let top1 = format!("at least {} %", limits.top1_agreement * 100.0);
    line(format_args!("{}", row("same most likely token", |d| percent(d.top1_agreement), top1)));
    let clear = format!("  where it leads by {} nats", limits.margin);
    line(format_args!("{}", row(&clear, |d| percent(d.top1_agreement_above_margin), "100 %".to_owned())));
    let largest = |d: &Distances| format!("{:.4}", d.max_abs_logit_diff);
    line(format_args!("{}", row("largest difference of logits", largest, String::new())));
    line(format_args!("worst positions of decode:"));
    for worst in &decode.worst {
        line(format_args!(
            "  {:>5}  KL {:.2e}, compiled {}, eager {} by {:.2}",
            worst.position, worst.kl, worst.compiled, worst.eager, worst.eager_margin
        ));
    }
    line(format_args!("{}", if report.passed { "passed" } else { "failed" }));
    text
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
