//! Processes are killed, links cut, disks filled: no job is lost, none is done twice.

use crate::{
    common::{Hub, STUDIO, hash, noise},
    world::{
        Lab, PATIENCE, RunnerProcess, Wire, compiler, count, endless, events, is_alive, module_of, outcome,
        quick, resident_bytes, send_bundle, slow, started, submit,
    },
};
use std::{
    fs,
    process::Command,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};
use studio_protocol::{
    ClientMessage, ErrorCode, HubMessage, JobEvent, JobSpec, JobState, Outcome, RunnerState, Terms,
    VerifySpec,
};

const MIB: usize = 1 << 20;

fn is_requeued(event: &JobEvent) -> bool {
    matches!(event, JobEvent::Requeued { .. })
}

fn is_started(event: &JobEvent) -> bool {
    matches!(event, JobEvent::Started { .. })
}

fn is_working(event: &JobEvent) -> bool {
    matches!(event, JobEvent::Log { line } if line == "working")
}

#[tokio::test]
async fn a_runner_goes_on_while_the_hub_is_killed_and_started_again() {
    let dir = tempfile::tempdir().unwrap();
    let compiler = slow(dir.path(), 4.0);
    let mut lab = Lab::start(&compiler).await;
    let _pi = lab.runner("pi", &compiler);
    lab.until("pi", RunnerState::Idle).await;
    let job = lab.submit_to(lab.compile(), "pi").await;
    lab.until_event(job, is_working).await;
    lab.restart_hub(&compiler).await;
    let told = events(&lab.hub, job).await;
    assert!(matches!(outcome(&told), Outcome::Compiled { .. }), "{told:?}");
    assert_eq!((count(&told, is_started), count(&told, is_requeued), count(&told, is_working)), (1, 0, 1));
    assert_eq!((lab.record(job).await.attempt, started(dir.path())), (1, 1));
}

#[tokio::test]
async fn what_the_killed_hub_itself_worked_on_is_begun_again_and_what_waited_still_waits() {
    let dir = tempfile::tempdir().unwrap();
    let endless = endless(dir.path());
    let mut lab = Lab::start(&endless).await;
    let spec = lab.compile();
    let working = lab.submit_to(spec.clone(), "local").await;
    lab.until_event(working, is_working).await;
    let later = lab.submit_to(spec.clone(), "local").await;
    let urgent = lab.submit(spec, Terms { priority: 5, ..Terms::default() }).await[0];
    lab.restart_hub(&quick(dir.path())).await;
    let mut finished = Vec::new();
    for job in [working, later, urgent] {
        let told = events(&lab.hub, job).await;
        assert!(matches!(outcome(&told), Outcome::Compiled { .. }), "{told:?}");
        assert_eq!(count(&told, is_requeued), usize::from(job == working));
        let record = lab.record(job).await;
        assert_eq!((record.state, record.attempt), (JobState::Over, if job == working { 2 } else { 1 }));
        finished.push((record.started_ms, job));
    }
    finished.sort_unstable();
    assert_eq!(finished[0].1, urgent, "the urgent one goes first");
}

#[tokio::test]
async fn a_job_whose_runner_is_killed_is_begun_again_once() {
    let dir = tempfile::tempdir().unwrap();
    let (endless, quick) = (endless(dir.path()), quick(dir.path()));
    let lab = Lab::start(&quick).await;
    let pi = lab.runner("pi", &endless);
    lab.until("pi", RunnerState::Idle).await;
    let job = lab.submit_to(lab.compile(), "pi").await;
    lab.until_event(job, is_working).await;
    let compiler = fs::read_to_string(dir.path().join("started")).unwrap().trim().to_owned();
    pi.kill();
    lab.until("pi", RunnerState::Gone).await;
    let start = Instant::now();
    while is_alive(&compiler) {
        assert!(start.elapsed() < Duration::from_secs(10), "the compiler of a killed runner ends");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let pi = lab.runner("pi", &quick);
    let told = events(&lab.hub, job).await;
    assert!(matches!(outcome(&told), Outcome::Compiled { .. }), "{told:?}");
    assert_eq!((count(&told, is_started), count(&told, is_requeued)), (2, 1));
    drop(pi);

    // One that is lost every time may be what kills runners.
    lab.until("pi", RunnerState::Gone).await;
    let flags = vec!["--another=1".to_owned()];
    let JobSpec::Compile(spec) = lab.compile() else { panic!() };
    let job = lab.submit_to(JobSpec::Compile(studio_protocol::CompileSpec { flags, ..spec }), "pi").await;
    for attempt in 1..=2 {
        let pi = lab.runner("pi", &endless);
        // Two compilers were started for the job before.
        while started(dir.path()) < 2 + attempt {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        pi.kill();
        lab.until("pi", RunnerState::Gone).await;
    }
    let _pi = lab.runner("pi", &quick);
    let told = events(&lab.hub, job).await;
    let Outcome::Failed { error } = outcome(&told) else { panic!("{told:?}") };
    assert_eq!(error.code, ErrorCode::RunnerLost, "{error}");
}

#[tokio::test]
async fn a_runner_that_is_killed_while_it_fetches_is_sent_only_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let compiler = quick(dir.path());
    let (lab, wire) = Wire::lab(&compiler).await;
    wire.pace.store(8 << 20, Ordering::SeqCst);
    let (folder, address) = (lab.dir.path().join("pi"), wire.address.to_string());
    let model = noise(24 * MIB);
    let against = hash(&model);
    lab.hub.greet().await.upload(1, "model", &model).await;
    let start = |folder: &std::path::Path| {
        RunnerProcess::start(folder, &address, &lab.hub.token, "pi", &[], &compiler)
    };
    let pi = start(&folder);
    lab.until("pi", RunnerState::Idle).await;
    let verify =
        VerifySpec { bundle: lab.bundle, module: None, target: None, against, positions: 4, threads: None };
    let job = lab.submit_to(JobSpec::Verify(verify), "pi").await;
    let part = pi.artifacts().join(format!("{against}.part"));
    let length = || fs::metadata(&part).map_or(0, |meta| meta.len());
    while length() < 8 * MIB as u64 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    pi.kill();
    let (had, before) = (length(), wire.delivered.load(Ordering::SeqCst));
    wire.pace.store(0, Ordering::SeqCst);
    let pi = start(&folder);
    let told = events(&lab.hub, job).await;
    assert_eq!(hash(&fs::read(pi.artifacts().join(against.to_string())).unwrap()), against);
    let sent = wire.delivered.load(Ordering::SeqCst) - before;
    let missing = 24 * MIB as u64 - had;
    assert!(sent < missing + MIB as u64, "{sent} bytes were sent where {missing} were missing: {told:?}");
    assert_eq!(count(&told, is_requeued), 1);
}

#[tokio::test]
async fn a_runner_that_is_killed_while_it_delivers_sends_only_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    // The same module each time.
    let large = noise(24 * MIB);
    fs::write(dir.path().join("module"), &large).unwrap();
    let compiler = quick(dir.path());
    let (lab, wire) = Wire::lab(&compiler).await;
    wire.pace_sent.store(8 << 20, Ordering::SeqCst);
    let (folder, address) = (lab.dir.path().join("pi"), wire.address.to_string());
    let start = |folder: &std::path::Path| {
        RunnerProcess::start(folder, &address, &lab.hub.token, "pi", &[], &compiler)
    };
    let pi = start(&folder);
    lab.until("pi", RunnerState::Idle).await;
    let job = lab.submit_to(lab.compile(), "pi").await;
    let module = hash(&large);
    let artifacts = lab.dir.path().join("data/artifacts");
    let length = || {
        let uploads = fs::read_dir(lab.dir.path().join("data/uploads")).into_iter().flatten().flatten();
        uploads.filter_map(|entry| Some(entry.metadata().ok()?.len())).max().unwrap_or(0)
    };
    let start_of_upload = Instant::now();
    while length() < 8 * MIB as u64 {
        assert!(start_of_upload.elapsed() < PATIENCE, "nothing is delivered");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    pi.kill();
    // What was on its way arrives, or never does.
    lab.until("pi", RunnerState::Gone).await;
    let (had, before) = (length(), wire.sent.load(Ordering::SeqCst));
    assert!(had < 24 * MIB as u64, "it was killed in time");
    wire.pace_sent.store(0, Ordering::SeqCst);
    let _pi = start(&folder);
    let told = events(&lab.hub, job).await;
    assert_eq!(module_of(outcome(&told)), module);
    assert_eq!(hash(&fs::read(artifacts.join(module.to_string())).unwrap()), module);
    let sent = wire.sent.load(Ordering::SeqCst) - before;
    let missing = 24 * MIB as u64 - had;
    assert!(sent < missing + MIB as u64, "{sent} bytes were sent where {missing} were missing: {told:?}");
    assert_eq!((count(&told, is_requeued), count(&told, is_started)), (1, 2));
}

#[tokio::test]
async fn a_link_that_is_cut_for_thirty_seconds_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let compiler = slow(dir.path(), 3.0);
    let (lab, wire) = Wire::lab(&compiler).await;
    let folder = lab.dir.path().join("pi");
    let _pi = RunnerProcess::start(&folder, &wire.address.to_string(), &lab.hub.token, "pi", &[], &compiler);
    lab.until("pi", RunnerState::Idle).await;
    let job = lab.submit_to(lab.compile(), "pi").await;
    let last = lab.until_event(job, is_working).await;
    wire.cut();
    tokio::time::sleep(Duration::from_secs(30)).await;
    let record = lab.record(job).await;
    assert_eq!((record.state, record.events), (JobState::Working, last), "nothing gets through");
    wire.mend();
    let told = events(&lab.hub, job).await;
    assert!(matches!(outcome(&told), Outcome::Compiled { .. }), "{told:?}");
    assert_eq!((count(&told, is_started), count(&told, is_requeued), started(dir.path())), (1, 0, 1));
}

#[tokio::test]
async fn an_endless_compile_ends_with_its_time() {
    let dir = tempfile::tempdir().unwrap();
    let compiler = endless(dir.path());
    let lab = Lab::start(&compiler).await;
    let terms = Terms { time_limit_s: Some(1), ..Terms::default() };
    let job = lab.submit(lab.compile(), terms).await[0];
    let told = events(&lab.hub, job).await;
    let Outcome::Failed { error } = outcome(&told) else { panic!("{told:?}") };
    assert_eq!(error.code, ErrorCode::TimedOut, "{error}");
    let compiler = fs::read_to_string(dir.path().join("started")).unwrap();
    assert!(!is_alive(compiler.trim()));
}

#[tokio::test]
async fn a_full_disk_holds_a_job_up_and_loses_nothing_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let line = "x".repeat(2000);
    let talkative = compiler(
        dir.path(),
        "talkative",
        &format!("i=0; while [ $i -lt 1000 ]; do echo $i {line}; i=$((i+1)); done; echo module > \"$3\""),
    );
    let mut command = Command::new("bash");
    command.args(["-c", "trap '' XFSZ; ulimit -S -f 900; exec \"$@\"", "bash", STUDIO]);
    command.env("IREE_COMPILE", &talkative);
    let hub = Hub::start_with_options(&dir.path().join("data"), command, "127.0.0.1:0", &[]);
    let mut client = hub.greet().await;
    let bundle = send_bundle(&mut client, dir.path()).await;
    let compile = studio_protocol::CompileSpec { bundle, target: "host".to_owned(), flags: vec![] };
    let job = submit(&mut client, JobSpec::Compile(compile), Terms::default()).await[0];
    tokio::time::sleep(Duration::from_secs(4)).await;
    let mut asker = hub.greet().await;
    asker.say(&ClientMessage::JobShow { request: 1, job }).await;
    let HubMessage::Job { record, .. } = asker.hear().await else { panic!() };
    assert_eq!(record.state, JobState::Working, "it waits for room");
    let raised = Command::new("prlimit")
        .args(["--pid", &hub.child.id().to_string(), "--fsize=unlimited:unlimited"])
        .status()
        .unwrap();
    assert!(raised.success());
    let told = events(&hub, job).await;
    assert!(matches!(outcome(&told), Outcome::Compiled { .. }), "{:?}", outcome(&told));
    let numbers: Vec<usize> = told
        .iter()
        .filter_map(|event| match event {
            JobEvent::Log { line } => line.split(' ').next()?.parse().ok(),
            _ => None,
        })
        .collect();
    assert_eq!(numbers, (0..1000).collect::<Vec<_>>());
}

#[tokio::test]
async fn whoever_reads_slowly_or_comes_back_holds_nobody_up() {
    let dir = tempfile::tempdir().unwrap();
    let line = "x".repeat(3000);
    let talkative = compiler(
        dir.path(),
        "talkative",
        &format!("i=0; while [ $i -lt 1000 ]; do echo {line}; i=$((i+1)); done; echo module > \"$3\""),
    );
    let lab = Lab::start(&talkative).await;
    let job = lab.submit_to(lab.compile(), "local").await;
    let before = resident_bytes(lab.hub.child.id());
    let mut asleep = Vec::new();
    for _ in 0..40 {
        let mut socket = lab.hub.greet().await;
        socket.say(&ClientMessage::JobWatch { job, after: 0 }).await;
        asleep.push(socket);
    }
    let told = events(&lab.hub, job).await;
    assert!(matches!(outcome(&told), Outcome::Compiled { .. }));
    let grown = resident_bytes(lab.hub.child.id()).saturating_sub(before);
    assert!(grown < 100 * MIB as u64, "{} MiB for readers that don't read", grown >> 20);
    // One comes back in the middle.
    let mut again = lab.hub.greet().await;
    again.say(&ClientMessage::JobWatch { job, after: 500 }).await;
    let HubMessage::JobEvent { seq: 501, event, .. } = again.hear().await else {
        panic!("event 501 is next")
    };
    assert_eq!(event, told[500]);
}

#[tokio::test]
async fn memory_stays_flat_over_a_thousand_jobs() {
    let dir = tempfile::tempdir().unwrap();
    let compiler = quick(dir.path());
    let lab = Lab::start(&compiler).await;
    let mut client = lab.hub.greet().await;
    let mut at_200 = 0;
    for number in 0..1000 {
        let job = submit(&mut client, lab.compile(), Terms::default()).await[0];
        loop {
            match client.hear().await {
                HubMessage::JobEvent { job: of, event: JobEvent::Finished { outcome }, .. } if of == job => {
                    assert!(matches!(outcome, Outcome::Compiled { .. }), "{outcome:?}");
                    break;
                }
                _ => {}
            }
        }
        if number == 200 {
            at_200 = resident_bytes(lab.hub.child.id());
        }
    }
    let grown = resident_bytes(lab.hub.child.id()).saturating_sub(at_200);
    assert!(grown < 8 * MIB as u64, "{} KiB more after 800 jobs", grown >> 10);
    // All of them are there.
    client.say(&ClientMessage::JobsList { request: 9, filter: studio_protocol::JobFilter::default() }).await;
    let HubMessage::Jobs { jobs, more: true, .. } = client.hear().await else { panic!("there are more") };
    assert_eq!(jobs.len(), 50);
}
