//! The hub: page, downloads and websocket behind the token.

mod auth;
mod connection;
mod download;
mod kernels;
mod page;
mod reference;
mod words;
mod zip_stream;

pub(crate) use auth::{Auth, load_token};
pub(crate) use page::is_built as has_page;

use crate::{
    jobs::{Jobs, LocalRunner, conduct, start_local},
    store::{Store, Uploads},
};
use axum::{Router, middleware, routing::get};
use std::{io, sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::Semaphore, task::JoinSet};
use tokio_util::sync::CancellationToken;

/// Websockets that may be open at once.
const MAX_CONNECTIONS: u32 = 256;

/// How long connections and jobs may take to end when the hub does.
const GRACE: Duration = Duration::from_secs(5);

/// What every request may use.
#[derive(Debug)]
pub(crate) struct Hub {
    pub(crate) store: Arc<Store>,
    pub(crate) uploads: Arc<Uploads>,
    pub(crate) jobs: Arc<Jobs>,
    token: Token,
    connections: Arc<Semaphore>,
    shutdown: CancellationToken,
}

/// The hub's token, for clients that invite a runner.
pub(crate) struct Token(pub(crate) String);

impl std::fmt::Debug for Token {
    /// Logs don't tell it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Serves until `shutdown`, then ends connections, jobs and their processes.
pub(crate) async fn serve(
    listener: TcpListener,
    auth: Auth,
    token: Token,
    store: Arc<Store>,
    jobs: Arc<Jobs>,
    runner: LocalRunner,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let mut workers = JoinSet::new();
    start_local(&jobs, Arc::clone(&store), runner, shutdown.clone(), &mut workers)
        .await
        .map_err(io::Error::other)?;
    workers.spawn(Arc::clone(&jobs).tend(shutdown.clone()));
    workers.spawn(conduct(Arc::clone(&jobs), shutdown.clone()));
    let hub = Arc::new(Hub {
        uploads: Arc::new(Uploads::new(Arc::clone(&store))),
        store,
        jobs,
        token,
        connections: Arc::new(Semaphore::new(MAX_CONNECTIONS as usize)),
        shutdown: shutdown.clone(),
    });
    let connections = Arc::clone(&hub.connections);
    let serving = axum::serve(listener, router(hub, auth))
        .with_graceful_shutdown(shutdown.clone().cancelled_owned())
        .into_future();
    let serving = tokio::spawn(serving);
    shutdown.cancelled().await;
    let ended = async {
        while workers.join_next().await.is_some() {}
        // All permits are free when all websockets have ended.
        drop(connections.acquire_many(MAX_CONNECTIONS).await);
        serving.await
    };
    match tokio::time::timeout(GRACE, ended).await {
        Ok(Ok(result)) => result,
        Ok(Err(error)) => Err(io::Error::other(error)),
        Err(_) => {
            tracing::warn!("a client or a job did not end in time and was cut off");
            Ok(())
        }
    }
}

fn router(hub: Arc<Hub>, auth: Auth) -> Router {
    Router::new()
        .route("/", get(page::index))
        .route("/ws", get(connection::upgrade))
        .route("/artifacts/{hash}", get(download::artifact))
        .route("/bundles/{name}", get(download::bundle))
        .route("/kernels", get(kernels::list))
        .route("/kernels/{hash}", get(kernels::file))
        .route("/{*name}", get(page::file))
        .with_state(hub)
        .layer(middleware::from_fn_with_state(Arc::new(auth), auth::check))
        .layer(middleware::from_fn(page::harden))
}
