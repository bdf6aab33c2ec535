//! `join` on a command line. `runner-agent` and `studio` have the same.

use super::{Join, join};
use crate::{
    EngineCommand,
    hub::{AddressError, HubAddress},
};
use clap::Args;
use std::{env, io, path::PathBuf};
use studio_protocol::{WireError, is_runner_name};
use tokio_util::sync::CancellationToken;

/// The variable that a token may be in, so that it stands in no list of processes.
const TOKEN: &str = "STUDIO_TOKEN";

/// Works for a hub: compiles, runs and measures what is asked for there, on this machine.
#[derive(Debug, Args)]
pub struct JoinArgs {
    /// The hub's address, as `studio serve` prints it.
    #[arg(value_name = "URL")]
    hub: String,
    /// The hub's token, where it isn't in the address; or in the variable STUDIO_TOKEN.
    #[arg(long, value_name = "T")]
    token: Option<String>,
    /// What the hub calls this machine [default: its host name].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// What jobs may choose it by, besides its name; may be given again.
    #[arg(long = "label", value_name = "LABEL")]
    labels: Vec<String>,
    /// Where it keeps what it fetches and compiles [default: ~/.cache/lowering-studio/runners/NAME].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// Why a runner doesn't work for a hub.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The hub's address or token is none.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// A name or a label that can't be one.
    #[error(
        "\"{0}\" is no name for a runner: 1 to 64 letters, digits, '.', '_' and '-'. Choose one with --name or --label"
    )]
    Name(String),
    /// A folder or a runtime that can't be had.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The hub refuses it, or it can't work.
    #[error(transparent)]
    Refused(#[from] WireError),
}

impl JoinError {
    /// Whether it was asked for wrongly.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Address(_) | Self::Name(_))
    }
}

impl JoinArgs {
    /// Works until `cancel`. `cache` is the folder of tools and caches.
    pub async fn run(
        self,
        cache: PathBuf,
        engine: EngineCommand,
        agent: &str,
        cancel: &CancellationToken,
    ) -> Result<(), JoinError> {
        let token = self.token.or_else(|| env::var(TOKEN).ok());
        let hub = HubAddress::parse(&self.hub, token.as_deref())?;
        let name = self.name.unwrap_or_else(host_name);
        for word in [&name].into_iter().chain(&self.labels) {
            if !is_runner_name(word) {
                return Err(JoinError::Name(word.chars().take(80).collect()));
            }
        }
        let data = match self.data {
            Some(data) => std::path::absolute(data)?,
            None => cache.join("runners").join(&name),
        };
        let this =
            Join { hub, name, labels: self.labels, data, tools: cache, engine, agent: agent.to_owned() };
        Ok(join(&this, cancel).await?)
    }
}

/// The machine's own name, without its domain.
fn host_name() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    name.split('.').next().unwrap_or_default().to_owned()
}
