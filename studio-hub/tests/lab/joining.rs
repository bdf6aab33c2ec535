//! Runners come, work, go and come back.

use crate::{
    common::STUDIO,
    tiny,
    world::{Lab, RunnerProcess, count, events, module_of, outcome, quick, started, submit},
};
use std::{process::Command, time::Instant};
use studio_protocol::{
    ClientMessage, ErrorCode, HubMessage, JobEvent, JobState, On, Outcome, RunnerState, Terms,
};

#[tokio::test]
async fn a_runner_compiles_runs_and_measures_for_a_hub_and_fetches_nothing_twice() {
    let Some(compiler) = tiny::compiler() else { return };
    let lab = Lab::start(&compiler).await;
    let _runner = lab.runner("pi", &compiler);
    let pi = lab.until("pi", RunnerState::Idle).await;
    assert_eq!((pi.info.os.as_str(), pi.info.cores > 0, pi.info.drivers.len()), ("linux", true, 2));
    assert!(pi.info.compiler.is_some() && pi.info.agent.starts_with("studio/"), "{pi:?}");

    let job = lab.submit_to(lab.compile(), "pi").await;
    let compiling = events(&lab.hub, job).await;
    assert_eq!(compiling[0], JobEvent::Started { runner: "pi".to_owned() });
    let module = module_of(outcome(&compiling));
    assert_eq!(lab.hub.get(&format!("/artifacts/{module}")).status, 200, "the module came back");

    let job = lab.submit_to(lab.run(Some(module)), "pi").await;
    let running = events(&lab.hub, job).await;
    let Outcome::Ran { report } = outcome(&running) else { panic!("{running:?}") };
    // The same on the hub's own runner: another machine is no other model.
    let job = lab.submit_to(lab.run(Some(module)), "local").await;
    let here = events(&lab.hub, job).await;
    let Outcome::Ran { report: here } = outcome(&here) else { panic!("{here:?}") };
    assert_eq!(report.tokens, here.tokens);

    // It has all files now, and compiles for itself.
    let job = lab.submit_to(lab.bench(1, 2), "pi").await;
    let benched = events(&lab.hub, job).await;
    let is_fetch =
        |event: &JobEvent| matches!(event, JobEvent::Step { name } if name.starts_with("fetching"));
    assert_eq!(
        (count(&running, is_fetch) > 0, count(&benched, is_fetch)),
        (true, 0),
        "{running:?} {benched:?}"
    );
    let Outcome::Benched { report } = outcome(&benched) else { panic!("{benched:?}") };
    assert_eq!((report.runs.len(), report.runs[0].threads), (1, 1));
    let decode_tps = report.runs[0].decode_tps.unwrap();
    assert!(decode_tps > 0.0);
    // The slowest token is not faster than the mean of the slowest round.
    let latency = report.runs[0].latency_ms.unwrap();
    assert!(0.0 < latency.p50 && latency.p50 <= latency.p90 && latency.p90 <= latency.p99, "{latency:?}");
    assert!(latency.p99 >= 1000.0 / report.runs[0].rounds.decode_tps.unwrap().min * 0.99, "{latency:?}");

    let record = lab.record(job).await;
    assert_eq!((record.state, record.attempt), (JobState::Over, 1));
    assert_eq!(record.runner.unwrap().name, "pi");

    let show = |job: u64, how: &str| {
        Command::new(STUDIO)
            .args(["jobs", "--hub", &format!("http://{}", lab.hub.address), "--token", &lab.hub.token])
            .args(["show", &job.to_string(), how])
            .output()
            .unwrap()
    };
    let text = String::from_utf8(show(job, "--csv").stdout).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let cell = |name: &str| lines[1][lines[0].iter().position(|of| *of == name).unwrap()];
    assert_eq!((lines.len(), cell("job"), cell("runner")), (2, job.to_string().as_str(), "pi"));
    assert_eq!(cell("decode_tps").parse(), Ok(decode_tps));
    assert_eq!(cell("token_p99_ms").parse(), Ok(latency.p99));
    let refused = show(job - 1, "--markdown");
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
}

#[tokio::test]
async fn a_runner_is_seen_at_once_and_when_it_goes_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let compiler = quick(dir.path());
    let lab = Lab::start(&compiler).await;
    let mut watcher = lab.hub.greet().await;
    let runner = lab.runner("pi", &compiler);
    crate::world::until(&mut watcher, "pi", RunnerState::Idle).await;
    let start = Instant::now();
    runner.kill();
    crate::world::until(&mut watcher, "pi", RunnerState::Gone).await;
    assert!(start.elapsed().as_secs_f64() < 1.0, "it took {:?} to be seen to be gone", start.elapsed());
    let _again = lab.runner("pi", &compiler);
    crate::world::until(&mut watcher, "pi", RunnerState::Idle).await;
}

#[tokio::test]
async fn a_wrong_token_a_taken_name_and_another_version_are_refused_in_words() {
    let dir = tempfile::tempdir().unwrap();
    let compiler = quick(dir.path());
    let lab = Lab::start(&compiler).await;
    let (address, token) = (lab.hub.address.clone(), lab.hub.token.clone());
    let other = |folder: &str, token: &str, name: &str| {
        RunnerProcess::start(&lab.dir.path().join(folder), &address, token, name, &[], &compiler).end()
    };
    let (status, words) = other("a", "wrong", "pi");
    assert!(status == 1 && words.contains("that is not this hub's token"), "{status} {words}");
    let (status, words) = other("a", &token, "no/name");
    assert!(status == 2 && words.contains("no name for a runner"), "{status} {words}");
    let (status, words) = other("a", &token, "local");
    assert!(status == 1 && words.contains("the hub's own runner"), "{status} {words}");

    let _runner = lab.runner("pi", &compiler);
    lab.until("pi", RunnerState::Idle).await;
    let (status, words) = other("another", &token, "pi");
    assert!(status == 1 && words.contains("another machine works for this hub as pi"), "{status} {words}");

    // A hub of another version.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let hub = tokio::spawn(async move {
        use futures_util::{SinkExt, StreamExt};
        use tokio_tungstenite::tungstenite::Message;
        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        socket.next().await.unwrap().unwrap();
        let refusal = r#"{"type":"error","error":{"code":"version","message":"the client speaks version 1 of the protocol, this hub 2","hint":"update the client"}}"#;
        socket.send(Message::text(refusal)).await.unwrap();
        drop(socket.next().await);
    });
    let folder = lab.dir.path().join("old");
    let runner = RunnerProcess::start(&folder, &address, "t", "old", &[], &compiler);
    let (status, words) = tokio::task::spawn_blocking(|| runner.end()).await.unwrap();
    assert!(
        status == 1 && words.contains("speaks version 1 of the protocol, this hub 2"),
        "{status} {words}"
    );
    hub.await.unwrap();
}

#[tokio::test]
async fn a_removed_runner_gives_its_name_to_another() {
    let dir = tempfile::tempdir().unwrap();
    let compiler = quick(dir.path());
    let lab = Lab::start(&compiler).await;
    let runner = lab.runner("pi", &compiler);
    lab.until("pi", RunnerState::Idle).await;
    let remove = || {
        Command::new(STUDIO)
            .args(["runners", "--hub", &format!("http://{}", lab.hub.address), "--token", &lab.hub.token])
            .args(["remove", "pi"])
            .output()
            .unwrap()
    };
    let refused = remove();
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("the runner pi is here"), "{refused:?}");
    runner.kill();
    lab.until("pi", RunnerState::Gone).await;
    let removed = remove();
    assert_eq!(removed.status.code(), Some(0), "{removed:?}");
    let folder = lab.dir.path().join("another");
    let _other = RunnerProcess::start(&folder, &lab.hub.address, &lab.hub.token, "pi", &[], &compiler);
    lab.until("pi", RunnerState::Idle).await;
}

#[tokio::test]
async fn ten_runners_and_two_clients_each_see_each_job_done_once() {
    let dir = tempfile::tempdir().unwrap();
    let compiler = quick(dir.path());
    let lab = Lab::start(&compiler).await;
    let runners: Vec<_> = (0..10)
        .map(|index| {
            let (name, folder) = (format!("r{index}"), lab.dir.path().join(format!("r{index}")));
            RunnerProcess::start(
                &folder,
                &lab.hub.address,
                &lab.hub.token,
                &name,
                &["--label", "shelf"],
                &compiler,
            )
        })
        .collect();
    for index in 0..10 {
        lab.until(&format!("r{index}"), RunnerState::Idle).await;
    }
    let mut second = lab.hub.greet().await;
    let each = Terms { on: Some(On::Each(vec!["shelf".to_owned()])), ..Terms::default() };
    let spec = lab.compile();
    let first_jobs = lab.submit(spec.clone(), each.clone()).await;
    let second_jobs = submit(&mut second, spec, each).await;
    assert_eq!((first_jobs.len(), second_jobs.len()), (10, 10));
    for jobs in [&first_jobs, &second_jobs] {
        let mut names = Vec::new();
        for &job in jobs {
            let told = events(&lab.hub, job).await;
            let JobEvent::Started { runner } = &told[0] else { panic!("{told:?}") };
            names.push(runner.clone());
            assert!(matches!(outcome(&told), Outcome::Compiled { .. }), "{told:?}");
            assert_eq!(count(&told, |event| matches!(event, JobEvent::Started { .. })), 1);
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 10);
    }
    // Each runner compiled once and found what it had made the second time.
    assert_eq!(started(dir.path()), 10);
    drop(runners);
}

#[tokio::test]
async fn a_label_takes_whoever_is_free_and_nobody_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let compiler = quick(dir.path());
    let lab = Lab::start(&compiler).await;
    let terms = |on| Terms { on: Some(on), ..Terms::default() };
    let spec = lab.compile();
    for on in [On::Label("arm".to_owned()), On::Runner("pi".to_owned()), On::Each(vec!["arm".to_owned()])] {
        let mut client = lab.hub.greet().await;
        client.say(&ClientMessage::JobSubmit { request: 5, spec: spec.clone(), terms: terms(on) }).await;
        match client.hear().await {
            HubMessage::Error { request: Some(5), error, .. } => {
                assert_eq!(error.code, ErrorCode::NotFound, "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
    let folder = lab.dir.path().join("pi");
    let _pi =
        RunnerProcess::start(&folder, &lab.hub.address, &lab.hub.token, "pi", &["--label", "arm"], &compiler);
    lab.until("pi", RunnerState::Idle).await;
    let job = lab.submit(spec, terms(On::Label("arm".to_owned()))).await[0];
    let told = events(&lab.hub, job).await;
    assert_eq!(told[0], JobEvent::Started { runner: "pi".to_owned() });
}

#[tokio::test]
async fn a_label_given_at_the_hub_outlives_hub_and_runner_and_names_who_is_meant() {
    let dir = tempfile::tempdir().unwrap();
    let compiler = quick(dir.path());
    let mut lab = Lab::start(&compiler).await;
    let runner = lab.runner("pi", &compiler);
    lab.until("pi", RunnerState::Idle).await;
    let label = |lab: &Lab, labels: &[&str]| {
        Command::new(STUDIO)
            .args(["runners", "--hub", &format!("http://{}", lab.hub.address), "--token", &lab.hub.token])
            .args(["label", "pi"])
            .args(labels)
            .output()
            .unwrap()
    };
    let refused = label(&lab, &["no/label"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert_eq!(label(&lab, &["shelf", "arm"]).status.code(), Some(0));
    lab.restart_hub(&compiler).await;
    runner.kill();
    let _again = lab.runner("pi", &compiler);
    assert_eq!(lab.until("pi", RunnerState::Idle).await.labels, ["shelf", "arm"]);
    let terms = Terms { on: Some(On::Label("shelf".to_owned())), ..Terms::default() };
    let job = lab.submit(lab.compile(), terms).await[0];
    let told = events(&lab.hub, job).await;
    assert_eq!(told[0], JobEvent::Started { runner: "pi".to_owned() });
    assert_eq!(label(&lab, &["--own"]).status.code(), Some(0));
    assert!(lab.until("pi", RunnerState::Idle).await.labels.is_empty());
}
