//! What the tests share: real modules, made by the real compiler.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::{
    env, fs,
    num::NonZeroU32,
    path::{Path, PathBuf},
    process::Command,
};

use iree_runtime::{Arg, BufferView, Device, Function, Module, Session};
use tempfile::TempDir;

/// A module compiled for this machine, in a folder of its own.
pub(crate) struct Compiled {
    dir: TempDir,
}

impl Compiled {
    /// Compiles MLIR of any mix of StableHLO and the upstream dialects.
    pub(crate) fn new(mlir: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let source = dir.path().join("module.mlir");
        fs::write(&source, mlir).expect("a temporary file");
        let output = Command::new(compiler())
            .arg(&source)
            .arg("-o")
            .arg(dir.path().join("module.vmfb"))
            .args([
                "--iree-input-type=auto",
                "--iree-hal-target-device=local",
                "--iree-hal-local-target-device-backends=llvm-cpu",
                "--iree-llvmcpu-target-cpu=host",
            ])
            .output()
            .expect("the compiler can be run");
        assert!(output.status.success(), "iree-compile: {}", String::from_utf8_lossy(&output.stderr));
        Self { dir }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("module.vmfb")
    }

    /// A folder for the files that go with the module.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn module(&self) -> Module {
        Module::open(&self.path()).expect("a module of the right compiler")
    }
}

/// The native compiler of the 3.13.0 wheel in the cache folder.
fn compiler() -> PathBuf {
    let cache = env::var_os("STUDIO_CACHE").map(PathBuf::from).unwrap_or_else(|| {
        let base = env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| env::home_dir().map(|home| home.join(".cache")))
            .expect("STUDIO_CACHE, XDG_CACHE_HOME or HOME says where the cache is");
        base.join("lowering-studio")
    });
    let path = cache.join("iree-3.13.0/iree/compiler/_mlir_libs/iree-compile");
    assert!(
        path.is_file(),
        "no compiler at {}: these tests need IREE 3.13.0 in the cache folder (STUDIO_CACHE names another one); \
         `./dev test` puts it there",
        path.display()
    );
    path
}

pub(crate) fn device(workers: u32) -> Device {
    Device::local(NonZeroU32::new(workers).expect("at least one")).expect("a device")
}

/// Calls a function and takes its results as tensors.
pub(crate) fn call<'a>(
    session: &mut Session,
    function: &Function,
    args: impl IntoIterator<Item = Arg<'a>>,
) -> Vec<BufferView> {
    let results = session.call(function, args).expect("the call succeeds");
    results.into_iter().map(|value| value.into_view().expect("a tensor")).collect()
}

/// The private memory of this process that is in use, from the kernel's books.
pub(crate) fn resident_anonymous_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux keeps it");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("Linux counts it");
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kilobytes * 1024
}
