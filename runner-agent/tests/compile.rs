//! The real compiler on small texts.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::tools;
use runner_agent::{CompileJob, Compiled, Failure, IREE_VERSION, Tools, compile};
use std::{fs, path::Path, time::Duration};
use studio_core::options::Form;
use studio_protocol::{ErrorCode, JobEvent, WireError};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const GOOD: &str = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
";

const BAD: &str = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.shuffle %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
";

fn job(dir: &Path, mlir: &str) -> CompileJob {
    let path = dir.join("in.mlir");
    fs::write(&path, mlir).unwrap();
    CompileJob {
        mlir: path,
        form: Form::Stablehlo,
        target: "host".to_owned(),
        flags: Vec::new(),
        output: dir.join("out.vmfb"),
        cache: Some(dir.join("cache")),
        time_limit: Duration::from_secs(300),
        memory_limit_bytes: 8 << 30,
    }
}

/// Jobs are spawned by whoever takes them.
fn assert_send<T: Send>(future: T) -> T {
    future
}

async fn run(job: &CompileJob, tools: &Tools) -> (Result<Compiled, Failure>, Vec<JobEvent>) {
    let (events, mut seen) = mpsc::channel(10_000);
    let result = assert_send(compile(job, tools, &events, &CancellationToken::new())).await;
    drop(events);
    let mut all = Vec::new();
    while let Some(event) = seen.recv().await {
        all.push(event);
    }
    (result, all)
}

fn wire(failure: Failure) -> WireError {
    match failure {
        Failure::Error(error) => error,
        Failure::Cancelled => panic!("cancelled"),
    }
}

/// What lies in the job's folder besides its input.
fn left(dir: &TempDir) -> Vec<String> {
    let names = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> =
        names.map(|name| name.into_string().unwrap()).filter(|name| name != "in.mlir").collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_module_is_made_once() {
    let (tools, dir) = (tools().await, tempfile::tempdir().unwrap());
    let mut job = job(dir.path(), GOOD);
    let (first, events) = run(&job, &tools).await;
    let first = first.unwrap();
    assert!(!first.cached);
    assert!(first.compile_ms > 0.0);
    assert_eq!(first.compiler, IREE_VERSION);
    assert_eq!(first.path, job.output);
    let bytes = fs::read(&job.output).unwrap();
    assert_eq!(first.size_bytes, bytes.len() as u64);
    assert_eq!(first.blake3.as_bytes(), blake3::hash(&bytes).as_bytes());
    assert!(iree_runtime::Module::open(&job.output).unwrap().functions().iter().any(|f| f.name == "main"));
    assert_eq!(events, [JobEvent::Step { name: "compiling".to_owned() }]);
    assert_eq!(left(&dir), ["cache", "out.vmfb"]);

    job.output = dir.path().join("again.vmfb");
    let (second, events) = run(&job, &tools).await;
    assert_eq!(second.unwrap(), Compiled { cached: true, path: job.output.clone(), ..first.clone() });
    assert_eq!(events, []);
    assert_eq!(fs::read(&job.output).unwrap(), bytes);

    job.flags = vec!["--iree-llvmcpu-debug-symbols=false".to_owned()];
    assert!(!run(&job, &tools).await.0.unwrap().cached, "other flags make another module");
    job.flags.clear();
    fs::write(&job.mlir, GOOD.replace("add", "multiply")).unwrap();
    assert!(!run(&job, &tools).await.0.unwrap().cached, "another text makes another module");
}

#[tokio::test]
async fn a_damaged_cache_is_made_good() {
    let (tools, dir) = (tools().await, tempfile::tempdir().unwrap());
    let job = job(dir.path(), GOOD);
    let first = run(&job, &tools).await.0.unwrap();
    for entry in fs::read_dir(dir.path().join("cache")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "vmfb") {
            let mut bytes = fs::read(&path).unwrap();
            bytes[100] ^= 1;
            fs::write(&path, bytes).unwrap();
        }
    }
    assert!(!run(&job, &tools).await.0.unwrap().cached);
    let third = run(&job, &tools).await.0.unwrap();
    assert!(third.cached);
    assert_eq!(third.blake3, first.blake3);
}

#[tokio::test]
async fn a_refused_text_is_quoted() {
    let (tools, dir) = (tools().await, tempfile::tempdir().unwrap());
    let (result, events) = run(&job(dir.path(), BAD), &tools).await;
    let error = wire(result.unwrap_err());
    assert_eq!(error.code, ErrorCode::CompilerFailed);
    assert!(error.message.contains("in.mlir:2:8: error:"), "{error}");
    assert!(error.message.contains("stablehlo.shuffle"), "{error}");
    let logged = events.iter().any(|event| matches!(event, JobEvent::Log { line } if *line == error.message));
    assert!(logged, "{events:?}");
    assert_eq!(left(&dir), Vec::<String>::new());
}

#[tokio::test]
async fn flags_that_leave_no_module_are_refused_before_anything_runs() {
    let (dir, tools) = (tempfile::tempdir().unwrap(), tools().await);
    let mut job = job(dir.path(), GOOD);
    let elsewhere = format!("--o={}", dir.path().join("elsewhere").display());
    let long = format!("--x={}", "a".repeat(1 << 20));
    let flags =
        ["-o", "@list", "--", "--=x", "", &elsewhere, "--compile-to=input", "--version", "--x=\0", &long];
    for flag in flags {
        job.flags = vec![flag.to_owned()];
        let (result, events) = run(&job, &tools).await;
        let error = wire(result.unwrap_err());
        assert_eq!(error.code, ErrorCode::BadMessage, "{error}");
        assert!(error.message.len() < 200, "{error}");
        assert_eq!((events.len(), left(&dir)), (0, Vec::new()));
    }
}

#[tokio::test]
async fn an_unknown_flag_is_quoted() {
    let (tools, dir) = (tools().await, tempfile::tempdir().unwrap());
    let mut job = job(dir.path(), GOOD);
    job.flags = vec!["--no-such-flag".to_owned()];
    let error = wire(run(&job, &tools).await.0.unwrap_err());
    assert_eq!(error.code, ErrorCode::CompilerFailed);
    assert!(error.message.contains("no-such-flag"), "{error}");
}

#[tokio::test]
async fn an_unknown_target_and_a_missing_text_are_named() {
    let (tools, dir) = (tools().await, tempfile::tempdir().unwrap());
    let mut job = job(dir.path(), GOOD);
    job.target = "vax".to_owned();
    let error = wire(run(&job, &tools).await.0.unwrap_err());
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::BadMessage, "unknown target \"vax\""));
    job.target = "host".to_owned();
    fs::remove_file(&job.mlir).unwrap();
    let error = wire(run(&job, &tools).await.0.unwrap_err());
    assert_eq!((error.code, error.place), (ErrorCode::NotFound, Some(job.mlir.display().to_string())));
}

#[tokio::test]
async fn time_and_memory_are_limited_and_the_limit_is_named() {
    let (tools, dir) = (tools().await, tempfile::tempdir().unwrap());
    let mut job = job(dir.path(), GOOD);
    job.time_limit = Duration::from_millis(50);
    let error = wire(run(&job, &tools).await.0.unwrap_err());
    assert_eq!(error.code, ErrorCode::TimedOut);
    assert!(error.message.contains("0.05 s"), "{error}");
    job.time_limit = Duration::from_secs(300);
    job.memory_limit_bytes = 16 << 20;
    let error = wire(run(&job, &tools).await.0.unwrap_err());
    assert_eq!(error.code, ErrorCode::OutOfMemory, "{error}");
    assert!(error.message.contains("16 MiB"), "{error}");
    assert_eq!(left(&dir), Vec::<String>::new());
}

#[tokio::test]
async fn cancelling_ends_the_compiler_and_leaves_nothing() {
    let (tools, dir) = (tools().await, tempfile::tempdir().unwrap());
    let job = job(dir.path(), GOOD);
    let (events, mut seen) = mpsc::channel(100);
    let cancel = CancellationToken::new();
    let compiling = compile(&job, &tools, &events, &cancel);
    let cancelling = async {
        assert_eq!(seen.recv().await, Some(JobEvent::Step { name: "compiling".to_owned() }));
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(compiling, cancelling);
    assert_eq!(result.unwrap_err(), Failure::Cancelled);
    assert_eq!(left(&dir), Vec::<String>::new());
}

#[tokio::test]
async fn every_target_compiles() {
    let (tools, dir) = (tools().await, tempfile::tempdir().unwrap());
    let mut job = job(dir.path(), GOOD);
    for target in runner_agent::targets::TARGETS {
        job.target = target.name.to_owned();
        let compiled = run(&job, &tools).await.0.unwrap();
        assert!(compiled.size_bytes > 0);
    }
}
