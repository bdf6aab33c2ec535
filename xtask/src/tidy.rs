//! The house rules that no compiler checks: which crate may depend on which, a `//!` at the head of each file,
//! files that one can read at a sitting, `unsafe` only where it is announced.

use crate::command::{output, workspace_root};
use anyhow::{Result, bail};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Which of our crates each of our crates may depend on, tests aside.
const ARROWS: &[(&str, &[&str])] = &[
    ("android-runner", &[]),
    ("e2e", &["gguf-file", "iree-runtime", "runner-agent", "studio-core", "studio-protocol"]),
    ("gguf-file", &[]),
    ("iree-runtime", &["iree-sys"]),
    ("iree-sys", &[]),
    ("llama-reference", &[]),
    ("page-bundler", &[]),
    ("runner-agent", &["gguf-file", "iree-runtime", "studio-core", "studio-protocol"]),
    ("studio-core", &["gguf-file", "studio-graph", "studio-kernels"]),
    ("studio-graph", &[]),
    (
        "studio-hub",
        &[
            "android-runner",
            "gguf-file",
            "runner-agent",
            "studio-core",
            "studio-graph",
            "studio-kernels",
            "studio-protocol",
            "vmfb-file",
        ],
    ),
    ("studio-kernels", &[]),
    ("studio-protocol", &[]),
    ("studio-web", &["gguf-file", "studio-core", "studio-graph", "studio-protocol", "vmfb-file"]),
    ("vmfb-file", &[]),
    ("xtask", &["android-runner"]),
];

const UNSAFE: &str = "unsafe";

/// Where it may stand.
const UNSAFE_PLACES: &[&str] = &["iree-sys/", "iree-runtime/src/raw.rs", "studio-kernels/"];

/// Lines that a source file may have; a file with a reason for more is in [`LONG_FILES`].
const MAX_LINES: usize = 600;

/// Longer files, each with its reason.
const LONG_FILES: &[(&str, &str)] =
    &[("iree-runtime/src/raw.rs", "every unsafe call into IREE in one place")];

/// Checks everything and names every breach at once.
pub(crate) fn run() -> Result<()> {
    let mut breaches = Vec::new();
    check_arrows(&mut breaches)?;
    for path in source_files()? {
        let text = fs::read_to_string(workspace_root().join(&path))?;
        check_file(&path.to_string_lossy(), &text, &mut breaches);
    }
    if breaches.is_empty() {
        return Ok(());
    }
    bail!("the house rules are broken:\n{}", breaches.join("\n"))
}

fn source_files() -> Result<Vec<PathBuf>> {
    let listed = output(
        Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard", "*.rs"])
            .current_dir(workspace_root()),
    )?;
    Ok(listed.lines().map(PathBuf::from).filter(|path| workspace_root().join(path).exists()).collect())
}

fn check_file(path: &str, text: &str, breaches: &mut Vec<String>) {
    if !text.starts_with("//!") && !text.starts_with("#!") {
        breaches.push(format!("{path}: the first line is no `//!` that says what the file is for"));
    }
    let lines = text.lines().count();
    if lines > MAX_LINES && !LONG_FILES.iter().any(|(long, _)| *long == path) {
        breaches.push(format!("{path}: {lines} lines; split it, or give a reason in xtask/src/tidy.rs"));
    }
    if UNSAFE_PLACES.iter().any(|place| path.starts_with(place)) {
        return;
    }
    for (index, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        if ["{", "fn", "impl", "extern"].iter().any(|what| code.contains(&format!("{UNSAFE} {what}"))) {
            breaches.push(format!("{path}:{}: `unsafe` outside {}", index + 1, UNSAFE_PLACES.join(", ")));
        }
    }
}

fn check_arrows(breaches: &mut Vec<String>) -> Result<()> {
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    for manifest in manifests()? {
        let text = fs::read_to_string(&manifest)?;
        let table: toml::Table = toml::from_str(&text)?;
        let Some(name) =
            table.get("package").and_then(|package| package.get("name")).and_then(toml::Value::as_str)
        else {
            continue;
        };
        let Some(targets) = allowed.get(name) else {
            breaches
                .push(format!("{}: {name} is not in xtask/src/tidy.rs's list of arrows", manifest.display()));
            continue;
        };
        for dependency in dependencies(&table) {
            if allowed.contains_key(dependency.as_str()) && !targets.contains(&dependency.as_str()) {
                breaches
                    .push(format!("{name} depends on {dependency}, which ARCHITECTURE.md does not allow"));
            }
        }
    }
    Ok(())
}

fn manifests() -> Result<Vec<PathBuf>> {
    let root: toml::Table = toml::from_str(&fs::read_to_string(workspace_root().join("Cargo.toml"))?)?;
    let members = root.get("workspace").and_then(|workspace| workspace.get("members"));
    let names = members.and_then(toml::Value::as_array).into_iter().flatten().filter_map(toml::Value::as_str);
    Ok(names.map(|name| Path::new(&workspace_root()).join(name).join("Cargo.toml")).collect())
}

/// The names under `[dependencies]`, of every target.
fn dependencies(table: &toml::Table) -> Vec<String> {
    let of = |table: &toml::Table| -> Vec<String> {
        let dependencies = table.get("dependencies").and_then(toml::Value::as_table);
        dependencies.map(|found| found.keys().cloned().collect()).unwrap_or_default()
    };
    let mut names = of(table);
    let targets = table.get("target").and_then(toml::Value::as_table);
    for target in targets.into_iter().flat_map(|targets| targets.values()).filter_map(toml::Value::as_table) {
        names.extend(of(target));
    }
    names
}
