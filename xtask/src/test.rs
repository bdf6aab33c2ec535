//! All tests, the quick ones first.

use crate::{
    cache,
    command::{cargo, run, say, workspace_root},
    setup, tidy,
};
use anyhow::{Result, anyhow, bail};
use std::{
    env,
    path::PathBuf,
    process::Command,
    thread::{self, JoinHandle},
    time::Instant,
};

/// A stage's name and what runs it.
type Stage = (&'static str, fn() -> Result<()>);

const STAGES: &[Stage] = &[
    ("lint", lint),
    ("unit", unit),
    ("families", families),
    ("lab", lab),
    ("system", system),
    ("browser", browser),
];

/// Those that are run by name only: they fetch and build much that nothing else needs.
const APART: &[Stage] = &[("android", android), ("vulkan", vulkan)];

/// Those with the page in them.
const NEED_PAGE: [&str; 2] = ["system", "browser"];

/// Runs the named stages, or all but those apart.
pub(crate) fn run_stages(names: &[String]) -> Result<()> {
    let every = || STAGES.iter().chain(APART);
    if let Some(unknown) = names.iter().find(|name| every().all(|(stage, _)| stage != name)) {
        let known: Vec<&str> = every().map(|(stage, _)| *stage).collect();
        bail!("no stage `{unknown}`: there are {}", known.join(", "));
    }
    let chosen: Vec<_> = match names {
        [] => STAGES.iter().collect(),
        names => every().filter(|(stage, _)| names.iter().any(|name| name == stage)).collect(),
    };
    let mut page = page_beside(&chosen)?;
    for (stage, test) in &chosen {
        say(&format!("test stage `{stage}`"));
        let begun = Instant::now();
        if let Some(page) = page.take_if(|_| NEED_PAGE.contains(stage)) {
            page.join().map_err(|_panic| anyhow!("the thread that built the page panicked"))??;
        }
        test()?;
        say(&format!("test stage `{stage}` took {} s", begun.elapsed().as_secs()));
    }
    let passed: Vec<&str> = chosen.iter().map(|(stage, _)| *stage).collect();
    say(&format!("passed: {}", passed.join(", ")));
    Ok(())
}

/// Where stages that don't need the page come before those that do, it is built meanwhile: for minutes its linker and its
/// optimiser keep one processor busy and no more.
fn page_beside(chosen: &[&Stage]) -> Result<Option<JoinHandle<Result<()>>>> {
    let needs = |(stage, _): &&Stage| NEED_PAGE.contains(stage);
    if !chosen.iter().any(needs) || chosen.iter().all(needs) {
        return Ok(None);
    }
    // Nothing is fetched twice at once.
    setup::run(&["test".to_owned()])?;
    Ok(Some(thread::spawn(crate::page::run)))
}

/// Formatting, clippy with warnings denied, the house rules.
fn lint() -> Result<()> {
    run(cargo().args(["fmt", "--all", "--check"]))?;
    tidy::run()?;
    run(cargo().args(["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    // Not among all targets, for `cargo test` is not to run it.
    run(cargo().args(["clippy", "--quiet", "-p", "studio-hub", "--test", "lab", "--", "-D", "warnings"]))
}

/// Every crate's own tests.
fn unit() -> Result<()> {
    setup::run(&["test".to_owned()])?;
    let mut tests = cargo();
    tests.args(["test", "--quiet", "--no-fail-fast", "--workspace", "--exclude", "e2e"]);
    run(with_tools(&mut tests)?)
}

/// Every architecture against llama.cpp, by tiny models.
fn families() -> Result<()> {
    setup::run(&["test".to_owned()])?;
    let llama = setup::llama()?;
    let mut tests = cargo();
    tests.args([
        "test",
        "--quiet",
        "--release",
        "--package",
        "e2e",
        "--test",
        "families",
        "--",
        "--nocapture",
    ]);
    tests.env("LLAMA_REFERENCE", llama.reference);
    run(with_tools(&mut tests)?)
}

/// A hub, runners and clients as processes of their own, through kills, cut links and full disks.
fn lab() -> Result<()> {
    setup::run(&["test".to_owned()])?;
    let mut tests = cargo();
    tests.args(["test", "--quiet", "--package", "studio-hub", "--test", "lab"]);
    run(with_tools(&mut tests)?)
}

/// The whole line on the real model, against llama.cpp and IREE's own tools.
fn system() -> Result<()> {
    setup::run(&["test".to_owned()])?;
    setup::quantised_models()?;
    setup::gemma3_f32()?;
    setup::minilm()?;
    let llama = setup::llama()?;
    let mut tests = cargo();
    tests.args(["test", "--quiet", "--no-fail-fast", "--release", "--package", "e2e"]);
    tests.args(["--", "--test-threads=1"]);
    // The stage before this one.
    tests.args(["--skip", "every_architecture_agrees"]);
    tests.env("LLAMA_REFERENCE", llama.reference).env("STUDIO_EAGER_BIN", llama.studio);
    tests.env("STUDIO_BIN", studio()?);
    run(with_tools(&mut tests)?)
}

/// The real page in a real browser against a real hub.
fn browser() -> Result<()> {
    setup::run(&["test".to_owned()])?;
    setup::minilm()?;
    let llama = setup::llama()?;
    let mut tests = Command::new("node");
    tests.args(["--test", "--test-concurrency=1"]).current_dir(workspace_root().join("e2e/browser"));
    tests.env("CHROMIUM", setup::chromium()?).env("STUDIO_BIN", studio()?);
    tests.env("STUDIO_EAGER_BIN", llama.studio);
    run(with_tools(&mut tests)?)
}

/// Kernels and the agent for 64-bit ARM in the emulator, and devices by an adbd stand-in, which is not Android.
fn android() -> Result<()> {
    setup::run(&["test".to_owned()])?;
    let tools = setup::arm64::toolchain()?;
    // Not among all targets, which the stage `lint` checks.
    run(cargo().args([
        "clippy",
        "--quiet",
        "-p",
        "android-runner",
        "--test",
        "standin",
        "--",
        "-D",
        "warnings",
    ]))?;
    let agent = crate::agent::arm64()?;
    let with_llama = crate::agent::arm64_with_llama(setup::arm64::Set::Dotprod)?;
    let standin = setup::standin()?;
    let machine = setup::machine_with_16k_pages()?;
    let mut kernels = crate::agent::cargo_for(
        &tools,
        &crate::agent::target_dir(),
        &["test", "--quiet", "--release", "--package", "studio-kernels", "--lib", "--tests"],
    );
    kernels.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", &standin.qemu);
    run(&mut kernels)?;
    let mut tests = cargo();
    tests.args(["test", "--quiet", "--package", "android-runner", "--test", "standin"]);
    tests.args(["--", "--test-threads=1"]);
    tests.env("STUDIO_BIN", studio_without_page()?).env("STUDIO_AGENT", agent);
    tests.env("STUDIO_AGENT_EAGER", with_llama);
    tests.env("QEMU_SYSTEM", machine.qemu).env("KERNEL_16K", machine.kernel);
    tests.env("ADB", standin.adb).env("QEMU", standin.qemu).env("STANDIN_PARTS", standin.parts);
    run(with_tools(&mut tests)?)
}

/// Graphics processors by Vulkan on lavapipe, which computes on the processor.
fn vulkan() -> Result<()> {
    setup::run(&["test".to_owned()])?;
    let lavapipe = setup::lavapipe()?;
    // Not among all targets, which the stage `lint` checks.
    run(cargo().args(["clippy", "--quiet", "-p", "e2e", "--test", "vulkan", "--", "-D", "warnings"]))?;
    let mut tests = cargo();
    tests.args([
        "test",
        "--quiet",
        "--package",
        "e2e",
        "--test",
        "vulkan",
        "--",
        "--test-threads=1",
        "--nocapture",
    ]);
    let studio = studio()?;
    tests.env("STUDIO_BIN", &studio);
    lavapipe.offer(&mut tests);
    run(with_tools(&mut tests)?)?;
    let mut page = Command::new("node");
    page.args(["--test", "vulkan.mjs"]).current_dir(workspace_root().join("e2e/browser"));
    page.env("CHROMIUM", setup::chromium()?).env("STUDIO_BIN", studio);
    lavapipe.offer(&mut page);
    run(with_tools(&mut page)?)
}

fn with_tools(command: &mut Command) -> Result<&mut Command> {
    Ok(command.env("STUDIO_CACHE", cache::root()?).env("STUDIO_TEST_PYTHON", setup::test_python()?))
}

/// Builds the command line alone, with the kernels for ARM in it where there is a compiler for them.
pub(crate) fn studio_without_page() -> Result<PathBuf> {
    run(cargo().args(["build", "--quiet", "--package", "studio-hub"]))?;
    Ok(target_dir().join("debug/studio"))
}

fn target_dir() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace_root().join("target"), PathBuf::from)
}

/// Builds the product, page and all, and says where the binary is.
pub(crate) fn studio() -> Result<PathBuf> {
    crate::page::run()?;
    run(cargo().args(["build", "--quiet", "--release", "--package", "studio-hub"]))?;
    Ok(target_dir().join("release/studio"))
}
