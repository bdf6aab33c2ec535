//! A compile job: MLIR in, a module out, found again by content.

mod origins;

use crate::{
    Failure, Tools,
    cache::{Cache, Entry, Key},
    log::{Log, send},
    machine, proc,
    proc::{Ended, Process, Tie},
    targets,
    tools::Compiler,
};
use std::{
    ffi::OsString,
    fs::File,
    io,
    io::BufReader,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::ExitStatus,
    time::{Duration, Instant},
};
use studio_core::options::Form;
use studio_protocol::{ErrorCode, Hash, JobEvent, Origins, WireError};
use tokio::{sync::mpsc, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

/// What to compile, and within which limits.
#[derive(Debug, Clone)]
pub struct CompileJob {
    /// The graph's text.
    pub mlir: PathBuf,
    /// The text's form, on which some of the target's flags depend.
    pub form: Form,
    /// A name that [`crate::targets`] knows.
    pub target: String,
    /// More flags, after those of the target.
    pub flags: Vec<String>,
    /// Where the module goes, in a folder that exists. It appears there whole or not at all.
    pub output: PathBuf,
    /// The folder that keeps modules by what they were made from; without one nothing is kept.
    pub cache: Option<PathBuf>,
    /// How long the compiler may take.
    pub time_limit: Duration,
    /// How much memory the compiler may allocate.
    pub memory_limit_bytes: u64,
}

/// A compiled module.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    /// The job's `output`.
    pub path: PathBuf,
    /// The hash of its bytes.
    pub blake3: Hash,
    /// Its length.
    pub size_bytes: u64,
    /// Whether an equal job had made it.
    pub cached: bool,
    /// How long the compiler took when it made it.
    pub compile_ms: f64,
    /// The compiler's version.
    pub compiler: String,
    /// All flags that the compiler was given, input and output aside.
    pub flags: Vec<String>,
    /// What the module may use of a processor beyond the architecture's baseline, by LLVM's names, sorted.
    pub cpu_features: Vec<String>,
    /// Which parts of the graph its dispatches come from; empty where flags keep the compiler from saying so.
    pub origins: Origins,
}

/// Refuses a target that nobody knows, and flags that can't be passed on.
pub fn check(target: &str, flags: &[String]) -> Result<(), WireError> {
    targets::find(target)?;
    flags.iter().try_for_each(|flag| check_flag(flag))
}

/// Compiles, or finds what an equal job made.
///
/// Emits `Step { name: "compiling" }` and what the compiler prints as `Log`; nothing when the module is found.
/// Cancelling kills the compiler and everything that it started.
pub async fn compile(
    job: &CompileJob,
    tools: &Tools,
    events: &mpsc::Sender<JobEvent>,
    cancel: &CancellationToken,
) -> Result<Compiled, Failure> {
    let target = targets::find(&job.target)?;
    job.flags.iter().try_for_each(|flag| check_flag(flag))?;
    let compiler = tools.compiler().map_err(WireError::from)?;
    let flags = [target.flags(job.form), job.flags.clone()].concat();
    let host = target.host_dependent.then(machine::identity);
    let compiled = |entry: Entry, cached| Compiled {
        path: job.output.clone(),
        blake3: entry.blake3,
        size_bytes: entry.size_bytes,
        cached,
        compile_ms: entry.compile_us as f64 / 1000.0,
        compiler: compiler.version.clone(),
        flags: flags.clone(),
        cpu_features: target.cpu_features(job.form),
        origins: entry.origins,
    };

    let mlir = job.mlir.clone();
    let (text, checked, hint) = blocking(&job.mlir, {
        let form = job.form;
        move || {
            let text = std::fs::read(&mlir)?;
            // What is no text is the compiler's to refuse.
            let (checked, hint) = std::str::from_utf8(&text)
                .map_or((Ok(()), None), |text| (target.check_text(form, text), target.hint(text)));
            Ok((blake3::hash(&text), checked, hint))
        }
    })
    .await?;
    checked?;
    let key = Key::new(text, &flags, &compiler.version, host.as_deref());
    let cache = job.cache.as_deref().map(Cache::new);
    if let Some(cache) = cache.clone() {
        let (key, output) = (key.clone(), job.output.clone());
        if let Some(entry) = blocking(&job.output, move || cache.fetch(&key, &output)).await? {
            return Ok(compiled(entry, true));
        }
    }

    let folder = job.output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let work = tempfile::Builder::new()
        .prefix(".compile-")
        .tempdir_in(folder)
        .map_err(|error| io_failure(folder, &error))?;
    let module = work.path().join("module.vmfb");
    send(events, JobEvent::Step { name: "compiling".to_owned() }).await;
    let start = Instant::now();
    let invocation = Invocation { job, compiler, flags: &flags, work: work.path(), start, events, cancel };
    let origins = invocation.compile(&module).await.map_err(|failure| match (failure, hint) {
        (Failure::Error(error), Some(hint)) if error.code == ErrorCode::CompilerFailed => {
            error.hint(hint).into()
        }
        (failure, _) => failure,
    })?;
    let time = start.elapsed();

    if !module.is_file() {
        return Err(WireError::new(ErrorCode::CompilerFailed, "iree-compile ended well and wrote no module")
            .hint("Is there a flag among yours that makes it do something else?")
            .into());
    }
    let path = job.output.clone();
    let entry = blocking(&job.output, move || {
        let (hash, size_bytes) = hash_file(&module)?;
        let entry = Entry {
            blake3: Hash::from_bytes(*hash.as_bytes()),
            size_bytes,
            compile_us: time.as_micros() as u64,
            origins,
        };
        std::fs::rename(&module, &path)?;
        if let Some(Err(error)) = cache.map(|cache| cache.keep(&key, &path, &entry)) {
            tracing::warn!("the module is not kept for the next time: {error}");
        }
        Ok(entry)
    })
    .await?;
    Ok(compiled(entry, false))
}

/// The longest flag that is passed on, in bytes.
const MAX_FLAG_BYTES: usize = 16 << 10;

/// What a flag must not ask for: something else than a module, or a module somewhere else.
const REFUSED_FLAGS: [&str; 10] = [
    "o",
    "output-format",
    "compile-from",
    "compile-to",
    "compile-mode",
    "split-input-file",
    "verify-diagnostics",
    "help",
    "help-hidden",
    "version",
];

/// Refuses words that are no flags, and flags after which there would be no module where it is expected.
///
/// This keeps people from a surprise, not programs from the machine: whoever may have a module compiled may
/// have native code run.
fn check_flag(flag: &str) -> Result<(), WireError> {
    let bad = |message: String| WireError::new(ErrorCode::BadMessage, message);
    let shown: String = flag.chars().take(80).collect();
    let Some(rest) =
        flag.strip_prefix("--").filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    else {
        return Err(bad(format!("{shown:?} is no flag of iree-compile")).hint("Flags look like --name=value"));
    };
    if flag.len() > MAX_FLAG_BYTES || flag.contains('\0') {
        let message = format!("the flag {shown:?} is longer than {MAX_FLAG_BYTES} bytes or has a zero byte");
        return Err(bad(message));
    }
    let name = rest.split_once('=').map_or(rest, |(name, _)| name);
    if REFUSED_FLAGS.contains(&name) {
        return Err(bad(format!("--{name} would leave no module to run"))
            .hint("Leave it out; run iree-compile itself on model.mlir for what it gives"));
    }
    Ok(())
}

/// What one job's runs of the compiler share.
struct Invocation<'a> {
    job: &'a CompileJob,
    compiler: &'a Compiler,
    flags: &'a [String],
    /// A folder for what lies between.
    work: &'a Path,
    /// When the job's time began.
    start: Instant,
    events: &'a mpsc::Sender<JobEvent>,
    cancel: &'a CancellationToken,
}

impl Invocation<'_> {
    /// Compiles in two halves, with a look at the dispatches between them. That gives the same bytes as one run, in the
    /// same time.
    async fn compile(&self, module: &Path) -> Result<Origins, Failure> {
        // What is printed between the halves must be what the first one left.
        if self.flags.iter().any(|flag| flag.starts_with("--mlir-")) {
            self.run(&self.job.mlir, module, &[]).await?;
            return Ok(Origins::default());
        }
        let dispatches = self.work.join("dispatches.mlir");
        self.run(&self.job.mlir, &dispatches, &["--compile-to=flow", "--mlir-print-debuginfo"]).await?;
        let text = dispatches.clone();
        let origins = blocking(&dispatches, move || origins::read(BufReader::new(File::open(text)?))).await?;
        self.run(&dispatches, module, &["--compile-from=flow"]).await?;
        Ok(origins)
    }

    async fn run(&self, input: &Path, output: &Path, more: &[&str]) -> Result<(), Failure> {
        let absolute = |path: &Path| std::path::absolute(path).map_err(|error| io_failure(path, &error));
        let (job, program) = (self.job, &self.compiler.path);
        let mut args: Vec<OsString> =
            vec![absolute(input)?.into_os_string(), "-o".into(), absolute(output)?.into_os_string()];
        args.extend(self.flags.iter().map(Into::into));
        args.extend(more.iter().map(Into::into));
        let process = Process {
            program: program.clone(),
            args,
            dir: absolute(self.work)?,
            tie: Tie::Guarded { memory_limit_bytes: Some(job.memory_limit_bytes) },
            time_limit: Some(job.time_limit.saturating_sub(self.start.elapsed())),
        };
        let mut log = Log::new(self.events);
        let ended = proc::run(&process, self.cancel, &mut log).await;
        match ended.map_err(|error| io_failure(program, &error))? {
            Ended::Exited(status) if status.success() => Ok(()),
            Ended::Exited(status) => Err(exit_failure(job, status, &log).into()),
            Ended::TimedOut => Err(WireError::new(
                ErrorCode::TimedOut,
                format!("iree-compile was ended after its time limit of {} s", job.time_limit.as_secs_f64()),
            )
            .hint("Raise the time limit, or export fewer graphs")
            .into()),
            Ended::Cancelled => Err(Failure::Cancelled),
        }
    }
}

/// What an unsuccessful end of the compiler means.
fn exit_failure(job: &CompileJob, status: ExitStatus, log: &Log<'_>) -> WireError {
    const KILL: i32 = 9;
    let verdict = log.verdict().unwrap_or("it printed nothing");
    if log.out_of_memory() || status.signal() == Some(KILL) {
        let limit = job.memory_limit_bytes >> 20;
        return WireError::new(
            ErrorCode::OutOfMemory,
            format!("iree-compile ran out of memory (its limit is {limit} MiB): {verdict}"),
        )
        .hint("Raise the memory limit, or free memory on this machine");
    }
    if log.no_space() {
        return no_space(&job.output);
    }
    match status.signal() {
        Some(signal) => WireError::new(
            ErrorCode::CompilerFailed,
            format!("iree-compile crashed (signal {signal}): {verdict}"),
        )
        .hint("The whole log is kept with the job"),
        None => WireError::new(ErrorCode::CompilerFailed, verdict).hint("The whole log is kept with the job"),
    }
}

/// An error of the file system, at a path.
fn io_failure(path: &Path, error: &io::Error) -> WireError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            no_space(path)
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            WireError::new(ErrorCode::Io, error.to_string())
                .at(path.display().to_string())
                .hint("This user must be able to write there")
        }
        io::ErrorKind::NotFound => {
            WireError::new(ErrorCode::NotFound, error.to_string()).at(path.display().to_string())
        }
        _ => WireError::new(ErrorCode::Io, error.to_string()).at(path.display().to_string()),
    }
}

fn no_space(path: &Path) -> WireError {
    WireError::new(ErrorCode::NoSpace, "the disk is full")
        .at(path.display().to_string())
        .hint("Free some space there and try again")
}

/// Does blocking work for the file at `path`.
async fn blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, WireError> {
    match spawn_blocking(work).await {
        Ok(result) => result.map_err(|error| io_failure(path, &error)),
        Err(error) => {
            Err(WireError::new(ErrorCode::Internal, error.to_string()).at(path.display().to_string()))
        }
    }
}

/// A file's hash and length.
fn hash_file(path: &Path) -> io::Result<(blake3::Hash, u64)> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok((hasher.finalize(), hasher.count()))
}
