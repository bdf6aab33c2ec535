//! Jobs over the websocket with the real compiler and runtime, on a tiny model.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;
#[path = "common/tiny.rs"]
mod tiny;

use common::{Hub, STUDIO, Socket};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};
use studio_protocol::{
    ClientMessage, CompileSpec, ErrorCode, Hash, HubMessage, JobEvent, JobId, JobSpec, Outcome, Prompt,
    RunSpec, Sampling, StopReason, Terms,
};

struct Session {
    _data: tempfile::TempDir,
    hub: Hub,
    socket: Socket,
    bundle: Hash,
}

/// A hub that has the tiny model's bundle.
async fn session(iree_compile: &str) -> Session {
    let data = tempfile::tempdir().unwrap();
    let gguf = data.path().join("tiny.gguf");
    tiny::write(&gguf, tiny::Fault::None);
    let out = data.path().join("bundle");
    let export = Command::new(STUDIO)
        .args(["export", "--form", "stablehlo", "--weights", "f32"])
        .args(["--seq", "8", "--context", "32", "--chunk", "4", "--out"])
        .args([&out, &gguf])
        .status()
        .unwrap();
    assert!(export.success());
    let mut command = Command::new(STUDIO);
    command.env("IREE_COMPILE", iree_compile);
    let hub = Hub::start_with(&data.path().join("data"), command);
    let mut socket = hub.greet().await;
    let manifest = fs::read(out.join("manifest.json")).unwrap();
    let parsed: Value = serde_json::from_slice(&manifest).unwrap();
    for (index, file) in parsed["files"].as_array().unwrap().iter().enumerate() {
        let name = file["name"].as_str().unwrap();
        let bytes = fs::read(out.join(name)).unwrap();
        socket.upload(u32::try_from(index).unwrap(), &format!("f{index}"), &bytes).await;
    }
    let bundle = socket.upload(99, "manifest", &manifest).await;
    Session { _data: data, hub, socket, bundle }
}

impl Session {
    async fn submit(&mut self, spec: JobSpec) -> JobId {
        self.socket.say(&ClientMessage::JobSubmit { request: 1, spec, terms: Terms::default() }).await;
        match self.socket.hear().await {
            HubMessage::JobAccepted { request: 1, job, .. } => job,
            other => panic!("{other:?}"),
        }
    }

    fn compile(&self) -> JobSpec {
        JobSpec::Compile(CompileSpec { bundle: self.bundle, target: "host".to_owned(), flags: vec![] })
    }

    fn run(&self, module: Hash, max_tokens: u32) -> JobSpec {
        let prompt = Prompt::Tokens { tokens: vec![1, 2, 3] };
        JobSpec::Run(RunSpec {
            bundle: self.bundle,
            module: Some(module),
            target: None,
            prompt,
            max_tokens,
            threads: Some(1),
            sampling: Sampling::default(),
            profile: false,
        })
    }
}

/// A job's events to its end, which must be numbered without gaps.
async fn events(socket: &mut Socket, id: JobId, after: u64) -> Vec<JobEvent> {
    let mut events = Vec::new();
    loop {
        match socket.hear().await {
            HubMessage::JobEvent { job, seq, event } if job == id => {
                assert_eq!(seq, after + 1 + events.len() as u64);
                let last = matches!(event, JobEvent::Finished { .. });
                events.push(event);
                if last {
                    return events;
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Passes events over until the compiler has printed something.
async fn until_log(socket: &mut Socket) {
    loop {
        match socket.hear().await {
            HubMessage::JobEvent { event: JobEvent::Log { .. }, .. } => return,
            HubMessage::JobEvent { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}

fn outcome(events: &[JobEvent]) -> &Outcome {
    match events.last() {
        Some(JobEvent::Finished { outcome }) => outcome,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_bundle_is_compiled_run_watched_and_downloaded() {
    let Some(compiler) = tiny::compiler() else { return };
    let mut session = session(compiler.to_str().unwrap()).await;
    let spec = session.compile();
    let job = session.submit(spec.clone()).await;
    let compiling = events(&mut session.socket, job, 0).await;
    assert_eq!(compiling[0], JobEvent::Started { runner: "local".to_owned() });
    let Outcome::Compiled { module, cached: false, .. } = outcome(&compiling).clone() else {
        panic!("{compiling:?}");
    };
    let job = session.submit(spec).await;
    let again = events(&mut session.socket, job, 0).await;
    assert!(
        matches!(outcome(&again), Outcome::Compiled { cached: true, module: same, .. } if *same == module)
    );

    let job = session.submit(session.run(module.blake3, 5)).await;
    let running = events(&mut session.socket, job, 0).await;
    let Outcome::Ran { report } = outcome(&running) else { panic!("{running:?}") };
    let streamed: Vec<u32> = running
        .iter()
        .filter_map(|event| if let JobEvent::Token { id, .. } = event { Some(*id) } else { None })
        .collect();
    assert_eq!(report.tokens, streamed);
    assert_eq!(report.stop == StopReason::MaxTokens, report.tokens.len() == 5);
    assert!(running.contains(&JobEvent::PromptTokens { tokens: vec![1, 2, 3] }));

    // Another connection takes the job up where this one lost it.
    let mut other = session.hub.greet().await;
    other.say(&ClientMessage::JobWatch { job, after: 2 }).await;
    assert_eq!(events(&mut other, job, 2).await, running[2..]);

    let zip = session.hub.get(&format!("/bundles/{}.zip", session.bundle));
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(zip.body)).unwrap();
    let sizes: BTreeMap<String, u64> = (0..archive.len())
        .map(|index| {
            archive.by_index(index).map(|file| (file.name().unwrap().into_owned(), file.size())).unwrap()
        })
        .collect();
    assert_eq!(sizes["host.vmfb"], module.size_bytes);
    for name in ["model.mlir", "model.irpa", "tokenizer.gguf", "manifest.json", "REFERENCE.md"] {
        assert!(sizes.contains_key(name), "{name}");
    }
}

#[tokio::test]
async fn a_compiler_that_fails_is_told_with_its_own_words() {
    let Some(compiler) = tiny::compiler() else { return };
    let mut session = session(compiler.to_str().unwrap()).await;
    let flags = vec!["--no-such-flag".to_owned()];
    let spec = JobSpec::Compile(CompileSpec { bundle: session.bundle, target: "host".to_owned(), flags });
    let job = session.submit(spec).await;
    let events = events(&mut session.socket, job, 0).await;
    let Outcome::Failed { error } = outcome(&events) else { panic!("{events:?}") };
    assert_eq!(error.code, ErrorCode::CompilerFailed);
    assert!(
        events.iter().any(|event| matches!(event, JobEvent::Log { line } if line.contains("no-such-flag")))
    );
}

/// A stand-in that says the right version, notes its process in `iree-compile.pid` and then never ends: what is
/// tested is the ending.
fn endless_compiler(dir: &Path) -> PathBuf {
    let path = dir.join("iree-compile");
    let script = r#"#!/bin/sh
case "$1" in
--version) echo 'IREE compiler version 3.13.0 @ 0' ;;
*) echo $$ > "$0.pid"; echo working; exec sleep 600 ;;
esac
"#;
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Waits until the stand-in's process is gone.
async fn compiler_is_gone(dir: &Path) {
    let pid = fs::read_to_string(dir.join("iree-compile.pid")).unwrap();
    let process = PathBuf::from(format!("/proc/{}/cmdline", pid.trim()));
    let gone = async {
        // A process that nobody has waited for yet has an empty command line.
        while fs::read(&process).is_ok_and(|line| !line.is_empty()) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), gone).await.expect("the compiler ends");
}

#[tokio::test]
async fn a_working_job_and_a_waiting_one_are_cancelled() {
    let dir = tempfile::tempdir().unwrap();
    let mut session = session(endless_compiler(dir.path()).to_str().unwrap()).await;
    let spec = session.compile();
    let working = session.submit(spec.clone()).await;
    until_log(&mut session.socket).await;
    let waiting = session.submit(spec).await;
    session.socket.say(&ClientMessage::JobCancel { job: waiting }).await;
    assert_eq!(*outcome(&events(&mut session.socket, waiting, 0).await), Outcome::Cancelled);
    session.socket.say(&ClientMessage::JobCancel { job: working }).await;
    loop {
        match session.socket.hear().await {
            HubMessage::JobEvent { job, event: JobEvent::Finished { outcome }, .. } if job == working => {
                assert_eq!(outcome, Outcome::Cancelled);
                break compiler_is_gone(dir.path()).await;
            }
            HubMessage::JobEvent { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_hub_that_ends_takes_its_compiler_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut session = session(endless_compiler(dir.path()).to_str().unwrap()).await;
    let spec = session.compile();
    session.submit(spec).await;
    until_log(&mut session.socket).await;
    let pid = session.hub.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert_eq!(session.hub.child.wait().unwrap().code(), Some(0));
    compiler_is_gone(dir.path()).await;
}

#[tokio::test]
async fn a_hub_that_is_killed_takes_its_compiler_with_it_too() {
    let dir = tempfile::tempdir().unwrap();
    let mut session = session(endless_compiler(dir.path()).to_str().unwrap()).await;
    let spec = session.compile();
    session.submit(spec).await;
    until_log(&mut session.socket).await;
    session.hub.kill();
    compiler_is_gone(dir.path()).await;
}

#[tokio::test]
async fn what_cannot_be_begun_is_refused_at_once() {
    let mut session = session("/nowhere/iree-compile").await;
    let mut refused = async |spec: JobSpec| {
        session.socket.say(&ClientMessage::JobSubmit { request: 4, spec, terms: Terms::default() }).await;
        match session.socket.hear().await {
            HubMessage::Error { request: Some(4), error, .. } => error,
            other => panic!("{other:?}"),
        }
    };
    let unknown = common::hash(b"unknown");
    let bundle = session.bundle;
    let compile = |bundle| JobSpec::Compile(CompileSpec { bundle, target: "host".to_owned(), flags: vec![] });
    assert_eq!(refused(compile(unknown)).await.code, ErrorCode::NotFound);
    let run = |module, max_tokens| {
        let prompt = Prompt::Tokens { tokens: vec![1] };
        JobSpec::Run(RunSpec {
            bundle,
            module: Some(module),
            target: None,
            prompt,
            max_tokens,
            threads: None,
            sampling: Sampling::default(),
            profile: false,
        })
    };
    assert_eq!(refused(run(unknown, 5)).await.code, ErrorCode::NotFound);
    assert_eq!(refused(run(bundle, 0)).await.message, "max_tokens is 1 to 65536");
    let job = session.submit(session.compile()).await;
    let events = events(&mut session.socket, job, 0).await;
    let Outcome::Failed { error } = outcome(&events) else { panic!("{events:?}") };
    assert_eq!(error.code, ErrorCode::CompilerMissing);
}
