//! The real `studio` binary.

use runner_agent::BundleFiles;
use serde_json::Value;
use std::{
    path::Path,
    process::{Command, Output},
};

/// The binary under test.
pub fn command() -> Command {
    Command::new(super::given("STUDIO_BIN"))
}

/// The binary under test with the eager engine in it.
pub fn eager_command() -> Command {
    Command::new(super::given("STUDIO_EAGER_BIN"))
}

/// Runs it; it must succeed. Gives its standard output.
pub fn ok(args: &[&str]) -> String {
    let output = run(args);
    assert!(
        output.status.success(),
        "studio {} ended with {}:\n{}",
        args.join(" "),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("studio prints UTF-8")
}

/// Runs it to its end, whatever that is.
pub fn run(args: &[&str]) -> Output {
    command().args(args).output().expect("starting studio")
}

/// Runs it with `--json` and reads what it prints.
pub fn json(args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&ok(&args)).expect("--json prints one JSON document")
}

/// Holds what a run of a bundle took of memory, by its report, to what the manifest says that it takes.
pub fn assert_memory_as_said(bundle: &Path, report: &Value) {
    let manifest = BundleFiles::open(bundle).expect("the export is a bundle").manifest().clone();
    let said = manifest.memory.expect("a manifest says what a run takes").total_bytes() as f64;
    let took = report["timings"]["peak_rss_bytes"].as_f64().expect("a run tells what it took");
    assert!((took / said - 1.0).abs() < 0.15, "{said} bytes of memory were said, a run took {took}");
}

/// A path as an argument.
pub fn arg(path: &Path) -> &str {
    path.to_str().expect("test paths are UTF-8")
}

/// Exports the model with these further options and compiles it for this host.
pub fn export_and_compile(model: &Path, out: &Path, options: &[&str]) {
    let export: Vec<&str> =
        ["export", arg(model), "--out", arg(out)].iter().chain(options).copied().collect();
    ok(&export);
    ok(&["compile", arg(out), "--target", "host"]);
}
