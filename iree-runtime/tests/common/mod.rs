//! What the tests share: real modules, made by the real compiler, and the other tools of its release.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::{
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    num::NonZeroU32,
    path::{Path, PathBuf},
    process::Command,
};

use iree_runtime::{Arg, BufferView, Device, Function, Module, Session};

const FLAGS: [&str; 4] = [
    "--iree-input-type=auto",
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
];

/// Compiles MLIR of any mix of StableHLO and the upstream dialects for this machine, or finds what an earlier run has
/// made of the same text.
pub(crate) fn compile(mlir: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (mlir, FLAGS, processor()).hash(&mut hasher);
    let name = format!("iree-3.13.0-{:016x}", hasher.finish());
    let compiled = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.vmfb"));
    if compiled.is_file() {
        return compiled;
    }
    // Tests run side by side: each compiles in a folder of its own, and the last to finish stays.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let (source, output) = (dir.path().join("module.mlir"), dir.path().join("module.vmfb"));
    fs::write(&source, mlir).expect("a temporary file");
    run(Command::new(tool("iree/compiler/_mlir_libs/iree-compile"))
        .arg(source)
        .arg("-o")
        .arg(&output)
        .args(FLAGS));
    fs::rename(output, &compiled).expect("both are in one folder");
    compiled
}

pub(crate) fn module(mlir: &str) -> Module {
    Module::open(&compile(mlir)).expect("a module of the right compiler")
}

/// What the compiler sees of the machine when it compiles for "host".
fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    info.lines().filter(|line| line.starts_with("flags") || line.starts_with("Features")).take(1).collect()
}

/// A tool of the 3.13.0 wheels in the cache folder.
pub(crate) fn tool(path: &str) -> PathBuf {
    let cache = env::var_os("STUDIO_CACHE").map(PathBuf::from).unwrap_or_else(|| {
        let base = env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| env::home_dir().map(|home| home.join(".cache")))
            .expect("STUDIO_CACHE, XDG_CACHE_HOME or HOME says where the cache is");
        base.join("lowering-studio")
    });
    let tool = cache.join("iree-3.13.0").join(path);
    assert!(
        tool.is_file(),
        "{} is missing: these tests need the tools of IREE 3.13.0 in the cache folder (STUDIO_CACHE names another \
         folder); `./dev test` puts them there",
        tool.display()
    );
    tool
}

/// Runs a tool to its good end and returns what it printed.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().expect("the tool can be run");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("tools print text")
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
