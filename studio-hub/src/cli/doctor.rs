//! `studio doctor`: what is there, what is missing, and how to get it.

use super::{
    dirs, engine,
    outcome::{Said, print_text},
    work,
};
use crate::{model, server};
use clap::Args;
use runner_agent::{IREE_VERSION, Tools, gpu};
use std::{fs, path::Path};

/// Says what this program finds on this machine, what is missing, and how to get it.
#[derive(Debug, Args)]
pub(super) struct Doctor {}

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    /// What is there, or what is wrong and what to do.
    state: Result<String, String>,
}

impl Doctor {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let findings = work::block_on(|_| async {
            let tools = Tools::discover(&dirs::cache()?).await;
            Ok(vec![
                machine(&tools),
                page(),
                compiler(&tools),
                runtime(),
                graphics().await?,
                folder("data", &dirs::data()?),
                folder("cache", &dirs::cache()?),
            ])
        })?;
        let missing = findings.iter().filter(|finding| finding.state.is_err()).count();
        for Finding { what, state } in &findings {
            match state {
                Ok(state) => print_text(format_args!("ok       {what:<9} {state}\n"))?,
                Err(state) => print_text(format_args!("missing  {what:<9} {state}\n"))?,
            }
        }
        if missing == 0 { Ok(()) } else { Err(Said.into()) }
    }
}

fn machine(tools: &Tools) -> Finding {
    let info =
        runner_agent::describe("local", tools, Vec::new(), concat!("studio/", env!("CARGO_PKG_VERSION")));
    let memory = info.memory_bytes >> 20;
    let state = format!("{}, {} cores, {memory} MiB, {}", info.cpu, info.cores, info.features.join(" "));
    Finding { what: "machine", state: Ok(state) }
}

/// The graphics processors; a machine needs none.
async fn graphics() -> anyhow::Result<Finding> {
    let state = match gpu::discover(&engine::command()?).await {
        Ok(gpus) => gpus
            .iter()
            .map(|gpu| format!("{} (--target {})", gpu.name, gpu.target))
            .collect::<Vec<_>>()
            .join(", "),
        Err(error) => {
            format!("none: {}", error.message.lines().next().unwrap_or_default())
        }
    };
    Ok(Finding { what: "graphics", state: Ok(state) })
}

fn page() -> Finding {
    let state = if server::has_page() {
        Ok("built in".to_owned())
    } else {
        Err("this program was built without its page: run `./dev build`".to_owned())
    };
    Finding { what: "page", state }
}

fn compiler(tools: &Tools) -> Finding {
    let state = match tools.compiler() {
        Ok(compiler) => Ok(format!("iree-compile {} at {}", compiler.version, compiler.path.display())),
        Err(error) => Err(studio_protocol::WireError::from(error).to_string()),
    };
    Finding { what: "compiler", state }
}

fn runtime() -> Finding {
    Finding { what: "runtime", state: Ok(format!("IREE {IREE_VERSION}, built in")) }
}

/// A folder that must be there and writable, or can be made.
fn folder(what: &'static str, path: &Path) -> Finding {
    let tried = fs::create_dir_all(path).map_err(|error| error.to_string()).and_then(|()| {
        let probe = path.join(".doctor");
        model::write_whole(&probe, b"").map_err(|error| error.to_string())?;
        fs::remove_file(&probe).map_err(|error| error.to_string())
    });
    let place = path.display();
    let state = match tried {
        Ok(()) => match rustix::fs::statvfs(path) {
            Ok(stat) => Ok(format!(
                "{place}, {} GB free",
                stat.f_bavail.saturating_mul(stat.f_frsize) / 1_000_000_000
            )),
            Err(error) => Err(format!("{place}: {error}")),
        },
        Err(error) => Err(format!("{place}: {error}. Make it writable for this user")),
    };
    Finding { what, state }
}
