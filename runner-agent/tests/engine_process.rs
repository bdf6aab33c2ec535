//! Engines that crash, hang or talk nonsense. They are shell scripts: what is shown is that the caller lives on
//! and says what happened.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::manifest;
use runner_agent::{BundleFiles, EngineCommand, Failure, RunJob, Source, run};
use std::{collections::BTreeMap, time::Duration};
use studio_protocol::{ErrorCode, JobEvent, Prompt, Sampling, WireError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

fn job() -> RunJob {
    let bundle = BundleFiles::new(serde_json::from_value(manifest()).unwrap(), BTreeMap::new()).unwrap();
    let prompt = Prompt::Tokens { tokens: vec![1, 2] };
    let source = Source::Compiled { bundle, module: "host.vmfb".into() };
    RunJob { source, prompt, max_tokens: 4, threads: None, sampling: Sampling::default(), profile: false }
}

fn engine(script: &str) -> EngineCommand {
    EngineCommand { program: "/bin/sh".into(), args: vec!["-c".into(), script.into()] }
}

async fn failure(engine: &EngineCommand) -> (WireError, Vec<JobEvent>) {
    let (events, mut seen) = mpsc::channel(100);
    let result = run(&job(), engine, &events, &CancellationToken::new()).await;
    drop(events);
    let mut all = Vec::new();
    while let Some(event) = seen.recv().await {
        all.push(event);
    }
    match result {
        Err(Failure::Error(error)) => (error, all),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_crash_is_told_by_its_signal() {
    let (error, events) = failure(&engine("echo 'bad opcode' >&2; kill -ILL $$")).await;
    assert_eq!(error.code, ErrorCode::Runtime);
    assert_eq!(error.message, "the compiled code crashed (signal 4): bad opcode");
    assert!(error.hint.unwrap().contains("Compile it again"));
    assert_eq!(events, [JobEvent::Log { line: "bad opcode".to_owned() }]);
}

#[tokio::test]
async fn a_kill_from_outside_is_taken_for_want_of_memory() {
    let (error, _) = failure(&engine("kill -KILL $$")).await;
    assert_eq!(error.code, ErrorCode::OutOfMemory);
}

#[tokio::test]
async fn an_end_without_a_result_is_an_error() {
    let (error, events) = failure(&engine("echo not json; exit 5")).await;
    assert_eq!(error.code, ErrorCode::Internal);
    assert!(error.message.contains("exit status: 5") && error.message.contains("not json"), "{error}");
    assert_eq!(events, [JobEvent::Log { line: "not json".to_owned() }]);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let missing = EngineCommand { program: "/nowhere/engine".into(), args: Vec::new() };
    let (error, _) = failure(&missing).await;
    assert_eq!((error.code, error.place.as_deref()), (ErrorCode::Io, Some("/nowhere/engine")));
}

#[tokio::test]
async fn a_hang_ends_by_cancelling() {
    let (events, mut seen) = mpsc::channel(100);
    let cancel = CancellationToken::new();
    let (job, engine) = (job(), engine("echo here; sleep 600"));
    let running = run(&job, &engine, &events, &cancel);
    let cancelling = async {
        assert_eq!(seen.recv().await, Some(JobEvent::Log { line: "here".to_owned() }));
        cancel.cancel();
    };
    let both = async { tokio::join!(running, cancelling).0 };
    let result = tokio::time::timeout(Duration::from_secs(60), both).await.unwrap();
    assert_eq!(result.unwrap_err(), Failure::Cancelled);
}
