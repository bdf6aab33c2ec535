//! `studio jobs`: what a hub does and did.

use super::{
    events::Streamed,
    figures::TableArgs,
    outcome::{Said, note, print, print_text},
    remote::{HubArgs, Remote, failure},
    work::{self, Cancel},
};
use anyhow::bail;
use clap::{Args, Subcommand, ValueEnum};
use studio_protocol::figures::FigureRow;
use studio_protocol::{ClientMessage, HubMessage, JobFilter, JobId, JobRecord, JobState, Outcome};

/// Shows, repeats and ends a hub's jobs.
#[derive(Debug, Args)]
pub(super) struct Jobs {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    list: ListArgs,
    /// Print one JSON document.
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    hub: HubArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists jobs, the newest first; so does `studio jobs` alone.
    List(ListArgs),
    /// Shows all that is known of jobs; the figures of benches and sweeps as a table, too.
    Show {
        /// Their numbers.
        #[arg(value_name = "JOB", required = true)]
        jobs: Vec<JobId>,
        #[command(flatten)]
        table: TableArgs,
    },
    /// Follows a job to its end.
    Watch {
        /// Its number.
        job: JobId,
    },
    /// Ends a job.
    Cancel {
        /// Its number.
        job: JobId,
    },
    /// Asks for the same again and prints the new job's number.
    Rerun {
        /// Its number.
        job: JobId,
    },
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Only jobs in this state.
    #[arg(long, value_enum)]
    state: Option<State>,
    /// Only jobs of this kind: compile, run, bench, verify, sweep.
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Only jobs that this runner took.
    #[arg(long, value_name = "NAME")]
    runner: Option<String>,
    /// Only jobs of this group.
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
    /// Only jobs with this text in the model's name, what was asked for, or what came of it.
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// At most so many.
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 20)]
    limit: u32,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Waiting,
    Working,
    Over,
}

impl Jobs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        work::block_on(|cancel| async move {
            let mut remote = self.hub.open().await?;
            match self.command {
                None => list(&mut remote, self.list, self.json).await,
                Some(Command::List(args)) => list(&mut remote, args, self.json).await,
                Some(Command::Show { jobs, table }) if table.is_wanted() => {
                    figures(&mut remote, &jobs, table).await
                }
                Some(Command::Show { jobs, .. }) => show(&mut remote, &jobs, self.json).await,
                Some(Command::Watch { job }) => watch(&mut remote, job, self.json, &cancel).await,
                Some(Command::Cancel { job }) => {
                    // Asked first, so that a number that is none is told.
                    record(&mut remote, job).await?;
                    remote.say(&ClientMessage::JobCancel { job }).await?;
                    remote.follow(&[job], &mut super::events::Logged, &Cancel::new()).await.map(drop)
                }
                Some(Command::Rerun { job }) => {
                    for job in remote.rerun(job).await? {
                        print(format_args!("{job}\n"))?;
                    }
                    Ok(())
                }
            }
        })
    }
}

async fn record(remote: &mut Remote, job: JobId) -> anyhow::Result<JobRecord> {
    match remote.ask(|request| ClientMessage::JobShow { request, job }).await? {
        HubMessage::Job { record, .. } => Ok(*record),
        other => bail!("the hub answered {other:?}"),
    }
}

async fn list(remote: &mut Remote, args: ListArgs, json: bool) -> anyhow::Result<()> {
    let filter = JobFilter {
        state: args.state.map(|state| match state {
            State::Waiting => JobState::Waiting,
            State::Working => JobState::Working,
            State::Over => JobState::Over,
        }),
        kind: args.kind,
        runner: args.runner,
        group: args.group,
        text: args.text,
        before: None,
        limit: Some(args.limit),
    };
    let (jobs, more) = match remote.ask(|request| ClientMessage::JobsList { request, filter }).await? {
        HubMessage::Jobs { jobs, more, .. } => (jobs, more),
        other => bail!("the hub answered {other:?}"),
    };
    if json {
        return print(format_args!("{}\n", serde_json::to_string_pretty(&jobs)?));
    }
    let mut text =
        format!("{:<15} {:<8} {:<12} {:<16} {:<30} came of it\n", "job", "kind", "state", "runner", "model");
    for job in &jobs {
        let model: String = job.model.chars().take(30).collect();
        let runner = job.runner.as_ref().map(|runner| runner.name.as_str()).unwrap_or_default();
        text += &format!(
            "{:<15} {:<8} {:<12} {:<16} {model:<30} {}\n",
            job.job,
            job.spec.kind(),
            state(job),
            runner,
            job.outcome.as_ref().map(words).unwrap_or_default()
        );
    }
    print_text(text)?;
    if more {
        note("there are more: -n N shows more of them, --text and the other options choose");
    }
    Ok(())
}

fn state(job: &JobRecord) -> &'static str {
    match (job.state, &job.outcome) {
        (JobState::Waiting, _) => "waiting",
        (JobState::Working, _) => "working",
        (JobState::Over, Some(outcome)) => outcome.result(),
        (JobState::Over, None) => "over",
    }
}

/// An outcome in a few words.
pub(super) fn words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Compiled { module, cached, compile_ms, .. } => {
            let how = if *cached { "found".to_owned() } else { format!("{:.1} s", compile_ms / 1000.0) };
            format!("{} kB, {how}", module.size_bytes / 1000)
        }
        Outcome::Ran { report } => {
            let decode = report.timings.decode_tps.map(|tps| format!(", {tps:.1} tok/s")).unwrap_or_default();
            format!("{} tokens{decode}", report.timings.generated_tokens)
        }
        Outcome::Benched { report } => report
            .runs
            .iter()
            .filter_map(|run| Some(format!("{} x{}: {:.1} tok/s", run.engine, run.threads, run.decode_tps?)))
            .collect::<Vec<_>>()
            .join(", "),
        Outcome::Verified { report } => {
            let verdict = if report.passed { "passed" } else { "too far apart" };
            format!("{verdict}, mean KL {:.1e}", report.decode.mean_kl)
        }
        Outcome::Swept { report } => {
            let best = report
                .combinations
                .iter()
                .flat_map(|combination| &combination.measured)
                .filter_map(|one| one.report.as_ref())
                .flat_map(|report| report.runs.iter().filter_map(|run| run.decode_tps))
                .max_by(f64::total_cmp);
            let best = best.map(|tps| format!(", at best {tps:.1} tok/s")).unwrap_or_default();
            let count = report.combinations.len();
            format!("{count} combination{}{best}", if count == 1 { "" } else { "s" })
        }
        Outcome::Failed { error } => error.message.chars().take(80).collect(),
        Outcome::Cancelled => String::new(),
    }
}

/// The figures of benches and sweeps, one after another.
async fn figures(remote: &mut Remote, jobs: &[JobId], table: TableArgs) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for &job in jobs {
        let record = record(remote, job).await?;
        match &record.outcome {
            Some(Outcome::Benched { report }) => {
                let runner = record.runner.as_ref().map(|runner| runner.name.as_str()).unwrap_or_default();
                rows.extend(FigureRow::of(Some(job), record.created_ms, runner, report));
            }
            Some(Outcome::Swept { report }) => {
                for one in report.combinations.iter().flat_map(|combination| &combination.measured) {
                    let figures = one.report.iter();
                    rows.extend(figures.flat_map(|report| {
                        FigureRow::of(Some(one.job), record.created_ms, &one.runner, report)
                    }));
                }
            }
            _ => bail!("job {job} has no figures: it is a {}, {}", record.spec.kind(), state(&record)),
        }
    }
    table.print(&rows)
}

async fn show(remote: &mut Remote, jobs: &[JobId], json: bool) -> anyhow::Result<()> {
    let mut records = Vec::new();
    for &job in jobs {
        records.push(record(remote, job).await?);
    }
    if json {
        let text = match &records[..] {
            [record] => serde_json::to_string_pretty(record)?,
            several => serde_json::to_string_pretty(several)?,
        };
        return print(format_args!("{text}\n"));
    }
    records.iter().try_for_each(|record| print_text(in_words(record)?))
}

fn in_words(record: &JobRecord) -> anyhow::Result<String> {
    let runner = record.runner.as_ref();
    let mut lines = vec![
        format!("job {}, {} of {}: {}", record.job, record.spec.kind(), record.model, state(record)),
        format!("asked for: {}", serde_json::to_string(&record.spec)?),
        format!("on: {}", serde_json::to_string(&record.terms)?),
        format!("hub {}, {} events, begun {} times", record.hub, record.events, record.attempt),
    ];
    lines.extend(runner.map(|info| {
        let compiler = info.compiler.as_ref().map(|compiler| format!(", compiler {}", compiler.version));
        let compiler = compiler.unwrap_or_default();
        format!(
            "runner {} ({}, {}), {}, runtime {}{compiler}",
            info.name, info.cpu, info.os, info.agent, info.runtime
        )
    }));
    if let (Some(started), Some(finished)) = (record.started_ms, record.finished_ms) {
        let (waited, took) = (started.saturating_sub(record.created_ms), finished.saturating_sub(started));
        lines.push(format!("waited {:.1} s, took {:.1} s", waited as f64 / 1000.0, took as f64 / 1000.0));
    }
    lines.extend(record.outcome.as_ref().map(words).filter(|words| !words.is_empty()));
    Ok(format!("{}\n", lines.join("\n")))
}

async fn watch(remote: &mut Remote, job: JobId, json: bool, cancel: &Cancel) -> anyhow::Result<()> {
    record(remote, job).await?;
    // Whoever watches ends watching with Ctrl-C, not the job.
    let (never, jobs, mut follower) = (Cancel::new(), [job], Streamed);
    let ended = tokio::select! {
        ended = remote.follow(&jobs, &mut follower, &never) => ended?,
        () = cancel.cancelled() => return Ok(()),
    };
    let Some(ended) = ended.first() else { return Err(Said.into()) };
    if json {
        print(format_args!("{}\n", serde_json::to_string_pretty(&ended.outcome)?))?;
    } else {
        note(format_args!("{} {}", ended.outcome.result(), words(&ended.outcome)));
    }
    failure(ended).map_or(Ok(()), Err)
}
