//! A runner that dials out to a hub, works for it, and comes back by itself whenever the connection is lost.
//!
//! A job goes on while there is no connection: its events are kept until the hub says that it has them.

mod args;
mod depot;
mod job;
mod session;

pub use args::{JoinArgs, JoinError};

use crate::{
    EngineCommand, Tools, Worker, describe, gpu,
    hub::{HubAddress, LinkError},
};
use depot::Depot;
use session::Session;
use std::{io, path::PathBuf, sync::Arc, time::Duration};
use studio_protocol::{ErrorCode, WireError};
use tokio_util::sync::CancellationToken;

/// What a runner is, and whom it works for.
#[derive(Debug, Clone)]
pub struct Join {
    /// The hub.
    pub hub: HubAddress,
    /// Its name, unique in the hub.
    pub name: String,
    /// What jobs may choose it by, besides.
    pub labels: Vec<String>,
    /// Where it keeps artifacts, compiled modules and who it is.
    pub data: PathBuf,
    /// The folder that `iree-compile` is looked for in.
    pub tools: PathBuf,
    /// How a child that runs a model is started.
    pub engine: EngineCommand,
    /// The program's name and version.
    pub agent: String,
}

/// Works for a hub until it is cancelled.
///
/// # Errors
///
/// What trying again doesn't help: the hub refuses this runner, or its folder can't be used.
pub async fn join(join: &Join, cancel: &CancellationToken) -> Result<(), WireError> {
    let unusable = |error: io::Error| {
        WireError::new(ErrorCode::Io, error.to_string())
            .at(join.data.display().to_string())
            .hint("Name another folder with --data")
    };
    let (depot, id) = Depot::open(&join.data, join.hub.clone(), &join.agent).map_err(unusable)?;
    let (tools, gpus) = tokio::join!(Tools::discover(&join.tools), gpu::gpus(&join.engine));
    if let Err(error) = tools.compiler() {
        tracing::info!("this runner can't compile: {error}");
    }
    let info = describe(&join.name, &tools, gpus, &join.agent);
    let worker = Arc::new(Worker { supply: depot, tools, engine: join.engine.clone() });
    let mut session = Session::new(worker, info, id, join.labels.clone());
    let mut attempt = 0;
    loop {
        let ended = tokio::select! {
            ended = session.work(&join.hub, &join.agent, &mut attempt) => ended,
            () = cancel.cancelled() => return Ok(()),
        };
        match ended {
            LinkError::Refused(error) => return Err(error),
            other => {
                let wait = backoff(attempt);
                tracing::warn!("{other}; trying again in {:.1} s", wait.as_secs_f64());
                attempt += 1;
                tokio::select! {
                    () = tokio::time::sleep(wait) => {}
                    () = cancel.cancelled() => return Ok(()),
                }
            }
        }
    }
}

/// How long to wait before a connection is tried again: a quarter of a second at first, doubled each time, five
/// seconds at most.
fn backoff(attempt: u32) -> Duration {
    Duration::from_millis((250_u64 << attempt.min(5)).min(5_000))
}
