//! The real `studio` binary.

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
