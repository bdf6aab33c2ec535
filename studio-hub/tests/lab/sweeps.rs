//! Sweeps are the hub's: they go on without whoever asked for them, and after the hub was killed.

use crate::{
    common::{STUDIO, hash},
    tiny,
    world::{Lab, count, events, outcome, slow},
};
use serde_json::{Value, json};
use std::{fs, process::Command};
use studio_protocol::{
    ClientMessage, HubMessage, JobEvent, JobFilter, JobRecord, JobSpec, JobState, On, Outcome, RunnerState,
    SweepSpec, Terms,
};

fn options(weights: &str, chunk: u32) -> Value {
    json!({"form": "stablehlo", "weights": weights, "graphs": ["kv"], "seq": 8, "context": 32, "chunk": chunk,
        "function_name": "main", "safetensors": false})
}

/// A sweep of the lab's model, which is put on the hub.
async fn sweep(lab: &Lab, combinations: Vec<Value>) -> JobSpec {
    let model = fs::read(lab.dir.path().join("tiny.gguf")).unwrap();
    lab.hub.greet().await.upload(7, "model", &model).await;
    JobSpec::Sweep(SweepSpec {
        model: hash(&model),
        name: "tiny.gguf".to_owned(),
        combinations,
        threads: vec![1],
        prompt_tokens: 4,
        gen_tokens: 4,
        repeat: 1,
    })
}

/// The jobs that a sweep asked for.
async fn asked(lab: &Lab, sweep: u64) -> Vec<JobRecord> {
    list(lab, JobFilter { group: Some(format!("sweep-{sweep}")), ..JobFilter::default() }).await
}

async fn list(lab: &Lab, filter: JobFilter) -> Vec<JobRecord> {
    let mut client = lab.hub.greet().await;
    client.say(&ClientMessage::JobsList { request: 5, filter }).await;
    match client.hear().await {
        HubMessage::Jobs { jobs, .. } => jobs,
        other => panic!("{other:?}"),
    }
}

fn is_measuring(number: u32) -> impl Fn(&JobEvent) -> bool {
    let begin = format!("measuring {number} of");
    move |event| matches!(event, JobEvent::Step { name } if name.starts_with(&begin))
}

fn is_tried(event: &JobEvent) -> bool {
    matches!(event, JobEvent::Tried { .. })
}

#[tokio::test]
async fn a_sweep_goes_on_where_it_was_when_the_hub_is_killed() {
    let Some(compiler) = tiny::compiler() else { return };
    let mut lab = Lab::start(&compiler).await;
    let _pi = lab.runner("pi", &compiler);
    lab.until("pi", RunnerState::Idle).await;
    let spec = sweep(&lab, vec![options("f32", 4), options("f32", 2), options("keep", 4)]).await;
    let job = lab.submit_to(spec, "pi").await;
    lab.until_event(job, is_measuring(2)).await;
    // The runner has it: what was on its way when the hub is killed is begun again, which is another test's.
    while !matches!(&asked(&lab, job).await[..], [newest, _] if newest.events >= 2) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    lab.restart_hub(&compiler).await;
    let told = events(&lab.hub, job).await;
    let Outcome::Swept { report } = outcome(&told) else { panic!("{told:?}") };
    assert_eq!(count(&told, is_tried), 3);
    assert_eq!(count(&told, |event| matches!(event, JobEvent::Started { .. })), 1);
    let [first, second, refused] = &report.combinations[..] else { panic!("{report:?}") };
    for (index, one) in [first, second].into_iter().enumerate() {
        assert_eq!((one.index as usize, one.error.as_ref(), one.measured.len()), (index, None, 1));
        let figures = one.measured[0].report.as_ref().unwrap();
        assert_eq!((one.measured[0].runner.as_str(), figures.runs.len()), ("pi", 1));
        assert!(figures.runs[0].decode_tps.is_some_and(|tps| tps > 0.0));
    }
    assert_ne!(first.bundle, second.bundle);
    assert!(refused.error.as_ref().unwrap().message.contains("only the cpu form keeps the weights"));
    // A list of many sweeps has no room for their figures.
    let sweeps = list(&lab, JobFilter { kind: Some("sweep".to_owned()), ..JobFilter::default() }).await;
    let Some(Outcome::Swept { report: listed }) = &sweeps[0].outcome else { panic!("{sweeps:?}") };
    assert_eq!((listed.combinations.len(), &listed.combinations[0].measured[0].report), (3, &None));
    // Each was measured once, also that which the hub was killed over.
    let asked = asked(&lab, job).await;
    assert_eq!(asked.len(), 2);
    let whole = |record: &JobRecord| record.state == JobState::Over && record.attempt == 1;
    assert!(asked.iter().all(whole), "{asked:?}");

    let cli = |more: &[&str]| {
        Command::new(STUDIO)
            .args(["sweep", "tiny.gguf", "--forms", "stablehlo", "--weights", "f32", "--contexts", "32"])
            .args([
                "--chunks",
                "4",
                "--threads",
                "1",
                "--prompt-tokens",
                "4",
                "--gen-tokens",
                "4",
                "--repeat",
                "1",
            ])
            .args([
                "--runner",
                "pi",
                "--hub",
                &format!("http://{}", lab.hub.address),
                "--token",
                &lab.hub.token,
            ])
            .args(more)
            .current_dir(lab.dir.path())
            .output()
            .unwrap()
    };
    let ran = cli(&["--json"]);
    let entries: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    assert_eq!((entries[0]["rank"].as_u64(), entries[0]["runner"].as_str()), (Some(1), Some("pi")));
    let number = String::from_utf8(cli(&["--detach"]).stdout).unwrap();
    let told = events(&lab.hub, number.trim().parse().unwrap()).await;
    assert!(matches!(outcome(&told), Outcome::Swept { .. }), "{told:?}");
}

#[tokio::test]
async fn a_sweep_for_a_runner_that_is_gone_holds_up_no_other() {
    let Some(compiler) = tiny::compiler() else { return };
    let lab = Lab::start(&compiler).await;
    let pi = lab.runner("pi", &compiler);
    lab.until("pi", RunnerState::Idle).await;
    pi.kill();
    lab.until("pi", RunnerState::Gone).await;
    let spec = sweep(&lab, vec![options("f32", 4)]).await;
    let waits = lab.submit_to(spec.clone(), "pi").await;
    let is_waiting = |event: &JobEvent| matches!(event, JobEvent::Step { name } if name.starts_with("waiting for a runner"));
    lab.until_event(waits, is_waiting).await;
    let other = lab.submit(spec, Terms::default()).await[0];
    let told = events(&lab.hub, other).await;
    assert!(matches!(outcome(&told), Outcome::Swept { .. }), "{told:?}");
    assert_eq!(lab.record(waits).await.state, JobState::Working);
    let _pi = lab.runner("pi", &compiler);
    let told = events(&lab.hub, waits).await;
    assert!(matches!(outcome(&told), Outcome::Swept { .. }), "{told:?}");
    assert_eq!(count(&told, is_waiting), 1);
}

#[tokio::test]
async fn a_sweep_that_finds_nothing_has_failed_and_one_that_could_not_is_refused() {
    let Some(compiler) = tiny::compiler() else { return };
    let lab = Lab::start(&compiler).await;
    let JobSpec::Sweep(spec) = sweep(&lab, vec![options("f32", 4), options("f32", 2)]).await else {
        panic!()
    };
    // More than the cache holds.
    let long = JobSpec::Sweep(SweepSpec { prompt_tokens: 64, ..spec.clone() });
    let job = lab.submit(long, Terms::default()).await[0];
    let told = events(&lab.hub, job).await;
    let Outcome::Failed { error } = outcome(&told) else { panic!("{told:?}") };
    assert!(error.message.starts_with("none of the 2 combinations was measured; the first: "), "{error}");
    assert_eq!(count(&told, is_tried), 2);

    let never = SweepSpec { combinations: vec![options("keep", 4), options("keep", 2)], ..spec };
    let mut client = lab.hub.greet().await;
    let terms = Terms::default();
    client.say(&ClientMessage::JobSubmit { request: 4, spec: JobSpec::Sweep(never), terms }).await;
    let HubMessage::Error { error, .. } = client.hear().await else { panic!() };
    let words = error.to_string();
    assert!(words.contains("none of the 2 combinations can be exported"), "{words}");
    assert!(words.contains("only the cpu form keeps the weights"), "{words}");
}

#[tokio::test]
async fn a_cancelled_sweep_ends_what_it_asked_for_and_asks_for_nothing_more() {
    let dir = tempfile::tempdir().unwrap();
    let lab = Lab::start(&slow(dir.path(), 60.0)).await;
    let spec = sweep(&lab, vec![options("f32", 4), options("f32", 2)]).await;
    // Of all that are there, which is one.
    let terms = Terms { on: Some(On::Each(Vec::new())), priority: 3, ..Terms::default() };
    let job = lab.submit(spec.clone(), terms).await[0];
    let waits = lab.submit(spec, Terms::default()).await[0];
    lab.until_event(job, is_measuring(1)).await;
    while asked(&lab, job).await.first().is_none_or(|record| record.state != JobState::Working) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let mut client = lab.hub.greet().await;
    for sweep in [waits, job] {
        client.say(&ClientMessage::JobCancel { job: sweep }).await;
        assert_eq!(outcome(&events(&lab.hub, sweep).await), &Outcome::Cancelled);
    }
    let [one] = &asked(&lab, job).await[..] else { panic!() };
    assert_eq!((one.terms.priority, one.terms.group.clone()), (3, Some(format!("sweep-{job}"))));
    assert_eq!(outcome(&events(&lab.hub, one.job).await), &Outcome::Cancelled);
    assert_eq!((asked(&lab, job).await.len(), asked(&lab, waits).await.len()), (1, 0));
}
