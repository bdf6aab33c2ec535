//! What is installed on this machine: the IREE compiler.

use crate::proc::{self, Ended, Process, Reader, Stream, Tie};
use std::{
    env,
    path::{Path, PathBuf},
    time::Duration,
};
use studio_protocol::{CompilerInfo, ErrorCode, WireError};
use tokio_util::sync::CancellationToken;

/// The version of IREE whose compiler and runtime this program is made for.
pub const IREE_VERSION: &str = "3.13.0";

/// The environment variable that names the compiler to use before any other.
const OVERRIDE: &str = "IREE_COMPILE";

/// How long the compiler may take to say its version.
const VERSION_TIME_LIMIT: Duration = Duration::from_secs(30);

/// What is installed on this machine.
#[derive(Debug)]
pub struct Tools {
    compiler: Result<Compiler, ToolsError>,
}

/// An `iree-compile` of the right version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// Its absolute path.
    pub path: PathBuf,
    /// Such as `3.13.0`.
    pub version: String,
}

/// Why there is no compiler.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolsError {
    /// None was found.
    #[error("iree-compile {IREE_VERSION} was not found in any of: {}", .searched.join(", "))]
    Missing {
        /// Where it was looked for.
        searched: Vec<String>,
    },
    /// A program was found that did not say a version.
    #[error("{path}: this iree-compile does not say its version: {reason}")]
    Unusable {
        /// The program.
        path: PathBuf,
        /// What happened instead.
        reason: String,
    },
    /// A compiler of another version was found.
    #[error(
        "{path}: this iree-compile is version {found}, {IREE_VERSION} is needed: modules of another version do not load"
    )]
    Version {
        /// The program.
        path: PathBuf,
        /// Its version.
        found: String,
    },
}

impl From<&ToolsError> for WireError {
    fn from(error: &ToolsError) -> Self {
        Self::new(ErrorCode::CompilerMissing, error.to_string()).hint(format!(
            "`./dev studio` installs it; or set {OVERRIDE} to the iree-compile of the iree-base-compiler \
             {IREE_VERSION} wheel"
        ))
    }
}

impl Tools {
    /// Looks for `iree-compile`: what the variable `IREE_COMPILE` names, else the one that `./dev studio`
    /// unpacks below `cache_dir`, else the first on the search path. The first found is asked for its version.
    pub async fn discover(cache_dir: &Path) -> Self {
        Self { compiler: find(cache_dir).await }
    }

    /// The compiler, or why there is none.
    pub fn compiler(&self) -> Result<&Compiler, &ToolsError> {
        self.compiler.as_ref()
    }

    /// The compiler as a runner announces it.
    pub fn compiler_info(&self) -> Option<CompilerInfo> {
        self.compiler.as_ref().ok().map(|compiler| CompilerInfo { version: compiler.version.clone() })
    }
}

async fn find(cache_dir: &Path) -> Result<Compiler, ToolsError> {
    let candidates = candidates(cache_dir, env::var_os(OVERRIDE).map(PathBuf::from), env::var_os("PATH"));
    let Some(found) = candidates.iter().find(|path| path.is_file()) else {
        let searched = candidates.iter().map(|path| path.display().to_string()).collect();
        return Err(ToolsError::Missing { searched });
    };
    let path = std::path::absolute(found).unwrap_or_else(|_| found.clone());
    let unusable = |reason: String| ToolsError::Unusable { path: path.clone(), reason };
    let printed = ask_version(&path).await.map_err(unusable)?;
    let version = parse_version(&printed)
        .ok_or_else(|| unusable(format!("it printed {:?}", printed.chars().take(200).collect::<String>())))?;
    if version != IREE_VERSION {
        return Err(ToolsError::Version { path, found: version.to_owned() });
    }
    Ok(Compiler { version: version.to_owned(), path })
}

/// Where the compiler may be, best first. An override rules out the rest.
fn candidates(cache_dir: &Path, named: Option<PathBuf>, path: Option<std::ffi::OsString>) -> Vec<PathBuf> {
    if let Some(named) = named {
        return vec![named];
    }
    let unpacked = cache_dir.join(format!("iree-{IREE_VERSION}/iree/compiler/_mlir_libs/iree-compile"));
    let on_path = path.iter().flat_map(env::split_paths).map(|folder| folder.join("iree-compile"));
    std::iter::once(unpacked).chain(on_path).collect()
}

async fn ask_version(path: &Path) -> Result<String, String> {
    let process = Process {
        program: path.to_owned(),
        args: vec!["--version".into()],
        dir: env::temp_dir(),
        tie: Tie::Guarded { memory_limit_bytes: None },
        time_limit: Some(VERSION_TIME_LIMIT),
    };
    let mut printed = Printed::default();
    let ended = proc::run(&process, &CancellationToken::new(), &mut printed)
        .await
        .map_err(|error| error.to_string())?;
    match ended {
        Ended::Exited(status) if status.success() => Ok(printed.0),
        Ended::Exited(status) => Err(format!("`--version` ended with {status}")),
        Ended::TimedOut => Err(format!("`--version` took longer than {} s", VERSION_TIME_LIMIT.as_secs())),
        Ended::Cancelled => Err("`--version` was cancelled".to_owned()),
    }
}

/// What a program printed, as far as it matters.
#[derive(Default)]
struct Printed(String);

impl Reader for Printed {
    async fn line(&mut self, stream: Stream, line: String) {
        if stream == Stream::Out && self.0.len() + line.len() < 4096 {
            self.0.push_str(&line);
            self.0.push('\n');
        }
    }
}

/// The version in what `iree-compile --version` prints: `IREE compiler version 3.13.0rc… @ …`.
fn parse_version(printed: &str) -> Option<&str> {
    let words = printed.split_once("IREE compiler version ")?.1;
    let end = words.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(words.len());
    (end > 0).then(|| words[..end].trim_end_matches('.'))
}
