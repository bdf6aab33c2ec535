//! `studio runners`: the machines that work for a hub.

use super::{
    outcome::{note, print, print_text},
    remote::HubArgs,
    work,
};
use clap::{Args, Subcommand};
use studio_protocol::{ClientMessage, HubMessage, Runner, RunnerState};

/// Shows the machines that work for a hub; `studio join` and `runner-agent join` add one.
#[derive(Debug, Args)]
pub(super) struct Runners {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Print them again at each change, one JSON document a line.
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    #[command(flatten)]
    hub: HubArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Gives a runner these labels in place of those that it joined with; without any, none.
    Label {
        /// Its name.
        name: String,
        /// The labels.
        #[arg(conflicts_with = "own")]
        labels: Vec<String>,
        /// Let those count again that it joins with.
        #[arg(long)]
        own: bool,
    },
    /// Forgets a runner that is gone, so that another machine may have its name.
    Remove {
        /// Its name.
        name: String,
    },
}

impl Runners {
    pub(super) fn run(self) -> anyhow::Result<()> {
        work::block_on(|cancel| async move {
            let mut remote = self.hub.open().await?;
            match self.command {
                Some(Command::Remove { name }) => {
                    remote.ask(|request| ClientMessage::RunnerRemove { request, name }).await?;
                    return Ok(());
                }
                Some(Command::Label { name, labels, own }) => {
                    let labels = Some(labels).filter(|_| !own);
                    remote.ask(|request| ClientMessage::RunnerLabel { request, name, labels }).await?;
                    return Ok(());
                }
                None => {}
            }
            if !self.watch {
                let runners = &remote.runners;
                return match self.json {
                    true => print(format_args!("{}\n", serde_json::to_string_pretty(runners)?)),
                    false => print_text(table(runners)),
                };
            }
            remote.say(&ClientMessage::RunnersWatch).await?;
            loop {
                let message = tokio::select! {
                    message = remote.hear() => message?,
                    () = cancel.cancelled() => return Ok(()),
                };
                if let HubMessage::Runners { runners } = message {
                    print(format_args!("{}\n", serde_json::to_string(&runners)?))?;
                }
            }
        })
    }
}

fn table(runners: &[Runner]) -> String {
    let mut text = format!(
        "{:<20} {:<6} {:<10} {:>5} {:>8}  {:<28} can\n",
        "name", "state", "machine", "cores", "memory", "labels"
    );
    for Runner { info, labels, state, job, .. } in runners {
        let state = match state {
            RunnerState::Idle => "idle",
            RunnerState::Busy => "busy",
            RunnerState::Gone => "gone",
        };
        let mut can = vec!["run"];
        can.extend(info.compiler.as_ref().map(|_| "compile"));
        can.extend(info.eager.as_ref().map(|_| "llama.cpp"));
        let job = job.map(|job| format!(", job {job}")).unwrap_or_default();
        text += &format!(
            "{:<20} {:<6} {:<10} {:>5} {:>5} GB  {:<28} {}{job}\n",
            info.name,
            state,
            info.arch,
            info.cores,
            info.memory_bytes / 1_000_000_000,
            labels.join(","),
            can.join(", "),
        );
    }
    if runners.len() == 1 {
        note("`studio join` on another machine adds it");
    }
    text
}
