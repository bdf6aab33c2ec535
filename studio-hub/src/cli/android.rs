//! `studio android`: phones and boards on cables, made runners of a hub.

use super::{
    dirs,
    outcome::{Said, in_words, note, print, print_text},
    remote::HubArgs,
    work::{self, Cancel},
};
use android_runner::{
    adb::{Adb, AdbError},
    deploy::{self, Agent, Deployed, Joining},
    devices::{self, Found, Listed, State},
};
use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use runner_agent::hub::HubAddress;
use serde_json::json;
use std::{collections::BTreeSet, path::PathBuf, time::Duration};
use studio_protocol::{ClientMessage, HubMessage, Runner, RunnerState, is_runner_name};

/// The label that every device's runner has, so that jobs can be given to any of them.
const LABEL: &str = "android";

/// How long a device's agent may take from its start until the hub has it.
const JOINING: Duration = Duration::from_secs(20);

/// How long to wait before an adb server is looked for again that has ended.
const AGAIN: Duration = Duration::from_secs(2);

/// Shows phones and boards that adb knows, and makes them runners of a hub.
#[derive(Debug, Args)]
pub(super) struct Android {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Shows the devices: what they are, and what keeps those from use that can't be used.
    Devices {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    Deploy(Deploy),
    /// Ends the agent on a device and takes away all that it left there.
    Remove {
        /// Its serial number, as `studio android devices` shows it.
        #[arg(required = true)]
        serials: Vec<String>,
        #[command(flatten)]
        hub: HubArgs,
    },
}

/// Puts `runner-agent` on devices, where it isn't yet, and has it work for a hub on this machine.
#[derive(Debug, Clone, Args)]
struct Deploy {
    /// Their serial numbers, as `studio android devices` shows them [default: every device that is ready].
    serials: Vec<String>,
    /// The agent's file [default: what `./dev agent arm64` built].
    #[arg(long, value_name = "FILE")]
    agent: Option<PathBuf>,
    /// Put the agent there that has llama.cpp in it, so that the device can compare: what `./dev agent arm64 eager` built.
    #[arg(long, conflicts_with = "agent")]
    eager: bool,
    /// What the hub calls the device, where it is one [default: its model and serial number].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// What jobs may choose it by, besides its name and `android`; may be given again.
    #[arg(long = "label", value_name = "LABEL")]
    labels: Vec<String>,
    /// Stay, and do it again with each device that is plugged in or comes back.
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    hub: HubArgs,
}

impl Android {
    pub(super) fn run(self) -> anyhow::Result<()> {
        work::block_on(|cancel| async move {
            match self.command {
                Command::Devices { json } => show(json).await,
                Command::Deploy(deploy) => deploy.run(&cancel).await,
                Command::Remove { serials, hub } => remove(&serials, &hub).await,
            }
        })
    }
}

async fn show(json: bool) -> anyhow::Result<()> {
    let found = devices::devices(&Adb::from_environment()?).await?;
    if json {
        let list: Vec<_> = found.iter().map(as_json).collect();
        return print(format_args!("{}\n", serde_json::to_string_pretty(&list)?));
    }
    if found.is_empty() {
        note("adb knows no device: plug one in and allow USB debugging in its developer options");
        return Ok(());
    }
    print_text(table(&found))?;
    for Found { serial, state, .. } in &found {
        if let Some(remedy) = state.remedy() {
            note(format_args!("{serial}: {remedy}"));
        }
    }
    Ok(())
}

fn as_json(found: &Found) -> serde_json::Value {
    let of = found.properties.as_ref();
    json!({
        "serial": found.serial,
        "state": found.state.name(),
        "remedy": found.state.remedy(),
        "model": of.map(|of| &of.model),
        "android": of.map(|of| &of.android),
        "abi": of.map(|of| &of.abi),
        "page_bytes": of.map(|of| of.page_bytes),
        "free_bytes": of.and_then(|of| of.free_bytes),
    })
}

fn table(found: &[Found]) -> String {
    let mut text =
        format!("{:<24} {:<14} {:<20} {:<8} {:<12} pages\n", "serial", "state", "model", "android", "ABI");
    for Found { serial, state, properties } in found {
        let of = properties.clone().unwrap_or_default();
        let pages = match of.page_bytes {
            0 => String::new(),
            bytes => format!("{} KiB", bytes / 1024),
        };
        let row = format!(
            "{serial:<24} {:<14} {:<20} {:<8} {:<12} {pages}",
            state.name(),
            of.model,
            of.android,
            of.abi
        );
        text += row.trim_end();
        text.push('\n');
    }
    text
}

/// A deployment that is being made: what is the same for all devices.
struct Plan {
    adb: Adb,
    agent: Agent,
    deploy: Deploy,
    hub: HubAddress,
    port: u16,
}

impl Deploy {
    async fn run(self, cancel: &Cancel) -> anyhow::Result<()> {
        if let Some(bad) = self.name.iter().chain(&self.labels).find(|word| !is_runner_name(word)) {
            bail!("\"{bad}\" is no name for a runner: 1 to 64 letters, digits, '.', '_' and '-'");
        }
        let adb = Adb::from_environment()?;
        let hub = self.hub.address()?;
        let port = port(&hub)?;
        // Nothing is sent for a hub that isn't there.
        drop(self.hub.open().await?);
        let file = match (&self.agent, self.eager) {
            (Some(file), _) => file.clone(),
            (None, false) => dirs::cache()?.join("agents/runner-agent-arm64"),
            (None, true) => dirs::cache()?.join("agents/runner-agent-arm64-eager"),
        };
        let plan = Plan { adb, agent: Agent::open(&file)?, deploy: self, hub, port };
        if plan.deploy.watch { plan.watch(cancel).await } else { plan.once().await }
    }
}

/// The hub's port on this machine.
fn port(hub: &HubAddress) -> anyhow::Result<u16> {
    let (host, port) = hub.host().rsplit_once(':').context("a hub's address has a port")?;
    if !["127.0.0.1", "localhost", "[::1]"].contains(&host) {
        bail!(
            "the hub is on {host}, and devices reach a hub on this machine only, through adb. Bring it here with \
             `ssh -N -L 7171:127.0.0.1:7171 {host}`, then give --hub http://127.0.0.1:7171"
        );
    }
    Ok(port.parse()?)
}

impl Plan {
    /// All devices that are meant, once.
    async fn once(&self) -> anyhow::Result<()> {
        let listed = devices::parse(&self.adb.devices().await?);
        let wanted = self.wanted(&listed)?;
        if wanted.len() > 1 && self.deploy.name.is_some() {
            bail!("--name is for one device, and there are {}", wanted.len());
        }
        let mut failed = false;
        for (serial, outcome) in self.all(&wanted).await {
            failed |= tell(&serial, outcome);
        }
        if failed { Err(Said.into()) } else { Ok(()) }
    }

    /// The devices that are meant: each is ready.
    fn wanted(&self, listed: &[Listed]) -> anyhow::Result<Vec<String>> {
        let state = |serial: &str| listed.iter().find(|one| one.serial == serial).map(|one| &one.state);
        for serial in &self.deploy.serials {
            let Some(state) = state(serial) else {
                bail!("adb knows no device {serial}: `studio android devices` shows those that there are");
            };
            if let Some(remedy) = state.remedy() {
                bail!("{serial} is {}. {remedy}", state.name());
            }
        }
        if !self.deploy.serials.is_empty() {
            return Ok(self.deploy.serials.clone());
        }
        let ready: Vec<String> =
            listed.iter().filter(|one| one.state == State::Ready).map(|one| one.serial.clone()).collect();
        match (&ready[..], listed) {
            ([], []) => {
                bail!("adb knows no device: plug one in and allow USB debugging in its developer options")
            }
            ([], [one, ..]) => {
                bail!("{} is {}. {}", one.serial, one.state.name(), one.state.remedy().unwrap_or_default())
            }
            _ => Ok(ready),
        }
    }

    /// Several devices at once, each by itself.
    async fn all(&self, serials: &[String]) -> Vec<(String, anyhow::Result<(String, Deployed)>)> {
        let each = serials.iter().map(|serial| async move { (serial.clone(), self.one(serial).await) });
        futures_util::future::join_all(each).await
    }

    /// Deploys to a device and waits until the hub has its runner, whose name it gives.
    async fn one(&self, serial: &str) -> anyhow::Result<(String, Deployed)> {
        let device = self.adb.device(serial);
        let name = match &self.deploy.name {
            Some(name) => name.clone(),
            None => deploy::runner_name(serial, &devices::model(&device).await?),
        };
        let joining = Joining {
            port: self.port,
            token: self.hub.token().to_owned(),
            name: name.clone(),
            labels: [LABEL.to_owned()].into_iter().chain(self.deploy.labels.clone()).collect(),
        };
        let deployed = deploy::deploy(&device, &self.agent, &joining).await?;
        match tokio::time::timeout(JOINING, self.joined(&name)).await {
            Ok(joined) => joined?,
            Err(_elapsed) => bail!(
                "the agent runs and the hub hasn't heard of it in {} s. It wrote: {}",
                JOINING.as_secs(),
                deploy::log(&device).await?
            ),
        }
        Ok((name, deployed))
    }

    /// Waits until the hub has a runner of this name.
    async fn joined(&self, name: &str) -> anyhow::Result<()> {
        let mut remote = self.deploy.hub.open().await?;
        let is_there = |runners: &[Runner]| {
            runners.iter().any(|runner| runner.info.name == name && runner.state != RunnerState::Gone)
        };
        if is_there(&remote.runners) {
            return Ok(());
        }
        remote.say(&ClientMessage::RunnersWatch).await?;
        loop {
            if let HubMessage::Runners { runners } = remote.hear().await?
                && is_there(&runners)
            {
                return Ok(());
            }
        }
    }

    /// Deploys to each device that is meant whenever it becomes ready, until this is cancelled.
    async fn watch(&self, cancel: &Cancel) -> anyhow::Result<()> {
        loop {
            let ended = tokio::select! {
                ended = self.follow() => ended,
                () = cancel.cancelled() => return Ok(()),
            };
            match ended {
                Err(AdbError::Lost { .. }) => note("the adb server has ended; starting it again"),
                Err(error) => return Err(error.into()),
                Ok(()) => {}
            }
            tokio::select! {
                () = tokio::time::sleep(AGAIN) => {}
                () = cancel.cancelled() => return Ok(()),
            }
        }
    }

    /// Follows one server's lists for as long as it tells them.
    async fn follow(&self) -> Result<(), AdbError> {
        let mut tracker = self.adb.track().await?;
        let mut before: BTreeSet<(String, String)> = BTreeSet::new();
        loop {
            let listed = devices::parse(&tracker.next().await?);
            let mut now = BTreeSet::new();
            let mut ready = Vec::new();
            for Listed { serial, state } in listed {
                if !self.deploy.serials.is_empty() && !self.deploy.serials.contains(&serial) {
                    continue;
                }
                let entry = (serial.clone(), state.name().to_owned());
                let is_new = !before.contains(&entry);
                match state.remedy() {
                    Some(remedy) if is_new => note(format_args!("{serial}: {}. {remedy}", state.name())),
                    None if is_new => ready.push(serial.clone()),
                    _ => {}
                }
                now.insert(entry);
            }
            for (serial, _) in &before {
                if !now.iter().any(|(there, _)| there == serial) {
                    note(format_args!("{serial}: unplugged"));
                }
            }
            before = now;
            for (serial, outcome) in self.all(&ready).await {
                tell(&serial, outcome);
            }
        }
    }
}

/// Says what became of a device; whether it failed.
fn tell(serial: &str, outcome: anyhow::Result<(String, Deployed)>) -> bool {
    match outcome {
        Ok((name, Deployed { sent_bytes, started })) => {
            let did = match (sent_bytes, started) {
                (0, false) => "runs already".to_owned(),
                (0, true) => "started".to_owned(),
                (bytes, _) => format!("sent ({:.1} MB) and started", bytes as f64 / 1e6),
            };
            note(format_args!("{serial}: {did}; the hub has it as {name}"));
            false
        }
        Err(error) => {
            note(format_args!("error: {serial}: {}", in_words(&error)));
            true
        }
    }
}

async fn remove(serials: &[String], hub: &HubArgs) -> anyhow::Result<()> {
    let adb = Adb::from_environment()?;
    let listed = devices::parse(&adb.devices().await?);
    // Without a hub there is no way to it either.
    let port = hub.address().ok().and_then(|hub| port(&hub).ok());
    for serial in serials {
        if !listed.iter().any(|one| one.serial == *serial) {
            bail!("adb knows no device {serial}: `studio android devices` shows those that there are");
        }
        deploy::remove(&adb.device(serial), port).await?;
        note(format_args!("{serial}: the agent and its files are gone"));
    }
    Ok(())
}
