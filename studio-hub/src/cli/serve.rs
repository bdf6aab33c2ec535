//! `studio serve`: the hub.

use super::{
    dirs, engine,
    outcome::{WrongUsage, note, print},
    work,
};
use crate::{
    jobs::{Jobs, LocalRunner},
    server::{self, Auth},
    store::Store,
};
use anyhow::Context;
use clap::Args;
use std::{fs, io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Starts the hub and prints the address of its page.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Where to listen: an address of this machine's loopback, and a port; port 0 takes any free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7171")]
    listen: SocketAddr,
    /// The folder for uploads, artifacts and the token [default: ~/.local/share/lowering-studio].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// A host and port by which the hub is reached besides its own, through a proxy or a forwarded port; may be given again.
    #[arg(long = "host", value_name = "HOST:PORT")]
    hosts: Vec<String>,
    /// How long a runner that works on a job may be away, in seconds, before the job is begun anew.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    grace: u64,
}

/// The file that says where the hub listens, for commands on the same machine. It goes when the hub ends in order.
struct Announced(PathBuf);

impl Announced {
    fn write(store: &Store, address: SocketAddr) -> anyhow::Result<Self> {
        let path = store.address_path();
        fs::write(&path, address.to_string()).with_context(|| path.display().to_string())?;
        Ok(Self(path))
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        // A hub that can't delete it is found not to be there.
        drop(fs::remove_file(&self.0));
    }
}

impl Serve {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if !self.listen.ip().is_loopback() {
            return Err(WrongUsage(format!(
                "--listen {}: the hub listens on loopback only (127.0.0.1 or [::1]), because what it sends is not \
                 encrypted. To reach it from another machine, forward the port: ssh -L 7171:127.0.0.1:7171 HOST",
                self.listen
            ))
            .into());
        }
        super::log_to_stderr("info");
        let data = match &self.data {
            Some(data) => std::path::absolute(data)?,
            None => dirs::data()?,
        };
        tokio::runtime::Runtime::new()?.block_on(self.serve(data))
    }

    async fn serve(&self, data: PathBuf) -> anyhow::Result<()> {
        let shutdown = CancellationToken::new();
        work::cancel_on_signals(&shutdown)?;
        let listener = TcpListener::bind(self.listen).await.map_err(|error| self.explain(&error))?;
        let address = listener.local_addr()?;
        let store = Arc::new(Store::open(&data)?);
        let token = server::load_token(&store.token_path())
            .with_context(|| store.token_path().display().to_string())?;
        let tools = runner_agent::Tools::discover(&dirs::cache()?).await;
        if let Err(error) = tools.compiler() {
            tracing::warn!("nothing can be compiled: {error}");
        }
        let runner = LocalRunner { tools, module_cache: dirs::module_cache()?, engine: engine::command()? };
        let jobs = Arc::new(Jobs::open(&store, Duration::from_secs(self.grace))?);
        let _announced = Announced::write(&store, address)?;
        print(format_args!("http://{address}/?token={token}\n"))?;
        note("The page is at the address above. End the hub with Ctrl-C.");
        let auth = Auth::new(&token, address, &self.hosts);
        server::serve(listener, auth, server::Token(token), store, jobs, runner, shutdown)
            .await
            .context("the hub failed")
    }

    fn explain(&self, error: &io::Error) -> anyhow::Error {
        let address = self.listen;
        match error.kind() {
            io::ErrorKind::AddrInUse => anyhow::anyhow!(
                "{address} is in use. Is another studio running there? Use its page, end it, or choose another \
                 port: studio serve --listen {}:0 takes a free one",
                address.ip()
            ),
            io::ErrorKind::PermissionDenied => anyhow::anyhow!(
                "{address}: this user may not use that port. Choose one above 1023 with --listen {}:PORT",
                address.ip()
            ),
            _ => anyhow::anyhow!("{address}: {error}. Choose another address with --listen"),
        }
    }
}
