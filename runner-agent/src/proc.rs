//! The only place that starts processes.
//!
//! A child gets a working folder, three environment variables and a process group of its own. The whole
//! group is killed when the job is cancelled, when its time is up, when the future that drives it is dropped
//! and when this process dies, however it dies: the child's standard input is a pipe that only this process
//! holds, and whoever reads its end ends the group (see [`GUARDED`] and [`crate::engine`]).

mod group;
mod lines;
mod talk;

pub(crate) use talk::{Said, Talk};

use group::Group;
use lines::Lines;
use std::{
    ffi::OsString,
    io,
    path::PathBuf,
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    io::AsyncWriteExt,
    process::{Child, Command},
};
use tokio_util::sync::CancellationToken;

/// The environment that a child sees of ours, besides `TMPDIR`, which is its working folder.
const KEPT_ENVIRONMENT: [&str; 2] = ["PATH", "HOME"];

/// What an engine sees, too: where Vulkan's loader and drivers are, and which of them are chosen.
const VULKAN_ENVIRONMENT: [&str; 7] = [
    "IREE_HAL_VULKAN_LIBVULKAN_PATH",
    "LD_LIBRARY_PATH",
    "MESA_VK_DEVICE_SELECT",
    "VK_ADD_DRIVER_FILES",
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_LOADER_DEVICE_SELECT",
];

/// How long the pipes of a child that has ended may stay open: a process that left the group could hold them.
const DRAIN_TIME_LIMIT: Duration = Duration::from_secs(2);

/// Runs `"$@"` under a memory limit (`$1`, KiB or `unlimited`) beside a guard that kills the process group at
/// the end of standard input. `ulimit -d` counts memory that can be written, which is what a compiler uses;
/// `-v` would count address space too, which allocators reserve by the core.
const GUARDED: &str = r#"
exec 3<&0
{ while read -r _ <&3; do :; done; kill -KILL 0; } >/dev/null 2>&1 &
ulimit -d "$1" || exit 126
shift
exec "$@" </dev/null 3<&-
"#;

/// A process to start.
#[derive(Debug)]
pub(crate) struct Process {
    /// What to run, by its absolute path.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<OsString>,
    /// Its working folder and place for temporary files.
    pub(crate) dir: PathBuf,
    /// How it is tied to this process.
    pub(crate) tie: Tie,
    /// How long it may run.
    pub(crate) time_limit: Option<Duration>,
}

/// How a child ends with this process.
#[derive(Debug)]
pub(crate) enum Tie {
    /// A guard beside it; it reads nothing from us and may allocate this much.
    Guarded { memory_limit_bytes: Option<u64> },
    /// It reads this line, and ends by itself at the end of its standard input.
    Input(String),
}

/// Which pipe a line came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
}

/// Takes the lines that a process prints. It may wait: the process then waits too.
pub(crate) trait Reader: Send {
    fn line(&mut self, stream: Stream, line: String) -> impl Future<Output = ()> + Send;
}

/// How a process ended.
#[derive(Debug)]
pub(crate) enum Ended {
    Exited(ExitStatus),
    TimedOut,
    Cancelled,
}

/// Runs a process to its end and hands over each line that it prints. When this returns, the process and its
/// group are gone.
pub(crate) async fn run(
    process: &Process,
    cancel: &CancellationToken,
    reader: &mut impl Reader,
) -> io::Result<Ended> {
    let mut child = command(process).spawn()?;
    let group = Group::of(&child)?;
    let time_limit = async {
        match process.time_limit {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    let ended = tokio::select! {
        biased;
        () = cancel.cancelled() => Ended::Cancelled,
        () = time_limit => Ended::TimedOut,
        status = pump(process, &mut child, &group, reader) => Ended::Exited(status?),
    };
    group.kill();
    child.wait().await?;
    Ok(ended)
}

fn command(process: &Process) -> Command {
    let more = match &process.tie {
        Tie::Guarded { .. } => &[][..],
        Tie::Input(_) => &VULKAN_ENVIRONMENT,
    };
    let kept = KEPT_ENVIRONMENT.iter().chain(more);
    let mut command = match &process.tie {
        Tie::Guarded { memory_limit_bytes } => {
            let limit = memory_limit_bytes.map(|bytes| (bytes / 1024).max(1).to_string());
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", GUARDED, "sh", limit.as_deref().unwrap_or("unlimited")]).arg(&process.program);
            shell
        }
        Tie::Input(_) => Command::new(&process.program),
    };
    command
        .args(&process.args)
        .current_dir(&process.dir)
        .env_clear()
        .envs(kept.filter_map(|name| Some((name, std::env::var_os(name)?))))
        .env("TMPDIR", &process.dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    command
}

/// Feeds the child and reads it until it has ended and its pipes are empty.
async fn pump(
    process: &Process,
    child: &mut Child,
    group: &Group,
    reader: &mut impl Reader,
) -> io::Result<ExitStatus> {
    let mut stdin = child.stdin.take();
    if let (Tie::Input(line), Some(pipe)) = (&process.tie, &mut stdin) {
        // A child that ends before it has read its input says why on its way out.
        match pipe.write_all(format!("{line}\n").as_bytes()).await {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
            _ => {}
        }
    }
    let mut out = Lines::new(child.stdout.take());
    let mut err = Lines::new(child.stderr.take());
    let mut lines = std::pin::pin!(async {
        loop {
            tokio::select! {
                Some(line) = out.next() => reader.line(Stream::Out, line?).await,
                Some(line) = err.next() => reader.line(Stream::Err, line?).await,
                else => return io::Result::Ok(()),
            }
        }
    });
    let (status, open) = tokio::select! {
        read = &mut lines => {
            read?;
            (child.wait().await?, false)
        }
        status = child.wait() => (status?, true),
    };
    group.kill();
    if open {
        match tokio::time::timeout(DRAIN_TIME_LIMIT, lines).await {
            Ok(read) => read?,
            Err(_) => tracing::warn!("{}: its output stayed open after its end", process.program.display()),
        }
    }
    drop(stdin);
    Ok(status)
}

#[cfg(test)]
mod tests;
