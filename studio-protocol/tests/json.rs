//! The JSON form of each message, written out: other programs depend on it letter by letter.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use expect_test::{Expect, expect};
use serde::{Serialize, de::DeserializeOwned};
use studio_protocol::{
    Artifact, Assignment, BenchSpec, ChatMessage, ClientMessage, CompileSpec, CompilerInfo, ErrorCode, Hash,
    HubMessage, JobEvent, JobFilter, JobRecord, JobSpec, JobState, LatencyPercentiles, ModuleInfo, On,
    Origins, Outcome, Prompt, RunReport, RunSpec, Runner, RunnerInfo, RunnerState, Sampling, StopReason,
    Terms, Timings, VerifySpec, WireError, Working, is_runner_name, is_upload_key,
};

/// Prints a value, compares, reads it back, and prints that again.
#[track_caller]
fn check<T: Serialize + DeserializeOwned>(value: &T, expected: Expect) {
    let json = serde_json::to_string(value).unwrap();
    expected.assert_eq(&json);
    let back: T = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), json);
}

fn hash(byte: u8) -> Hash {
    Hash::from_bytes([byte; 32])
}

fn event(event: JobEvent) -> HubMessage {
    HubMessage::JobEvent { job: 7, seq: 1, event }
}

#[test]
fn what_a_client_says() {
    use ClientMessage as C;
    check(
        &C::Hello { version: 1, client: "page/0.1.0".to_owned() },
        expect![[r#"{"type":"hello","version":1,"client":"page/0.1.0"}"#]],
    );
    check(
        &C::UploadOpen { channel: 3, key: "k-1.irpa".to_owned(), size_bytes: 4096, blake3: None },
        expect![[r#"{"type":"upload_open","channel":3,"key":"k-1.irpa","size_bytes":4096}"#]],
    );
    check(
        &C::UploadFinish { channel: 3, blake3: None },
        expect![[r#"{"type":"upload_finish","channel":3}"#]],
    );
    check(
        &C::UploadFinish { channel: 3, blake3: Some(hash(0xab)) },
        expect![[
            r#"{"type":"upload_finish","channel":3,"blake3":"abababababababababababababababababababababababababababababababab"}"#
        ]],
    );
    check(
        &C::RunnerLabel { request: 4, name: "pi4".to_owned(), labels: Some(vec!["arm".to_owned()]) },
        expect![[r#"{"type":"runner_label","request":4,"name":"pi4","labels":["arm"]}"#]],
    );
    check(&C::RunnerInvite { request: 5 }, expect![[r#"{"type":"runner_invite","request":5}"#]]);
    check(
        &HubMessage::Invitation { request: 5, token: "ab".to_owned() },
        expect![[r#"{"type":"invitation","request":5,"token":"ab"}"#]],
    );
    check(&C::UploadClose { channel: 3 }, expect![[r#"{"type":"upload_close","channel":3}"#]]);
    let compile = CompileSpec { bundle: hash(1), target: "host".to_owned(), flags: vec!["--x=1".to_owned()] };
    check(
        &C::JobSubmit { request: 9, spec: JobSpec::Compile(compile), terms: Terms::default() },
        expect![[
            r#"{"type":"job_submit","request":9,"spec":{"kind":"compile","bundle":"0101010101010101010101010101010101010101010101010101010101010101","target":"host","flags":["--x=1"]}}"#
        ]],
    );
    let run = |prompt| RunSpec {
        bundle: hash(1),
        module: Some(hash(2)),
        target: None,
        prompt,
        max_tokens: 16,
        threads: None,
        sampling: Sampling::default(),
        profile: false,
    };
    let chat =
        Prompt::Chat { messages: vec![ChatMessage { role: "user".to_owned(), content: "Hi".to_owned() }] };
    check(
        &C::JobSubmit { request: 9, spec: JobSpec::Run(run(chat)), terms: Terms::default() },
        expect![[
            r#"{"type":"job_submit","request":9,"spec":{"kind":"run","bundle":"0101010101010101010101010101010101010101010101010101010101010101","module":"0202020202020202020202020202020202020202020202020202020202020202","prompt":{"as":"chat","messages":[{"role":"user","content":"Hi"}]},"max_tokens":16}}"#
        ]],
    );
    let text = RunSpec { threads: Some(2), ..run(Prompt::Text { text: "Hi".to_owned() }) };
    check(
        &C::JobSubmit { request: 9, spec: JobSpec::Run(text), terms: Terms::default() },
        expect![[
            r#"{"type":"job_submit","request":9,"spec":{"kind":"run","bundle":"0101010101010101010101010101010101010101010101010101010101010101","module":"0202020202020202020202020202020202020202020202020202020202020202","prompt":{"as":"text","text":"Hi"},"max_tokens":16,"threads":2}}"#
        ]],
    );
    check(
        &Sampling { temperature: 0.5, seed: Some(7), ..Sampling::default() },
        expect![[
            r#"{"temperature":0.5,"top_k":40,"top_p":0.95,"min_p":0.05,"repeat_penalty":1.0,"repeat_last":64,"seed":7}"#
        ]],
    );
    check(&Prompt::Tokens { tokens: vec![1, 2] }, expect![[r#"{"as":"tokens","tokens":[1,2]}"#]]);
    check(&C::JobWatch { job: 7, after: 12 }, expect![[r#"{"type":"job_watch","job":7,"after":12}"#]]);
    check(&C::JobCancel { job: 7 }, expect![[r#"{"type":"job_cancel","job":7}"#]]);
}

#[test]
fn what_a_hub_says_of_uploads() {
    use HubMessage as H;
    let artifact = Artifact { blake3: hash(0), size_bytes: 5 };
    check(
        &H::UploadState { channel: 3, received_bytes: 0, artifact: None },
        expect![[r#"{"type":"upload_state","channel":3,"received_bytes":0}"#]],
    );
    let whole = H::UploadState { channel: 3, received_bytes: 5, artifact: Some(artifact.clone()) };
    check(
        &whole,
        expect![[
            r#"{"type":"upload_state","channel":3,"received_bytes":5,"artifact":{"blake3":"0000000000000000000000000000000000000000000000000000000000000000","size_bytes":5}}"#
        ]],
    );
    check(
        &H::UploadAck { channel: 3, received_bytes: 4 },
        expect![[r#"{"type":"upload_ack","channel":3,"received_bytes":4}"#]],
    );
    check(
        &H::UploadDone { channel: 3, artifact },
        expect![[
            r#"{"type":"upload_done","channel":3,"artifact":{"blake3":"0000000000000000000000000000000000000000000000000000000000000000","size_bytes":5}}"#
        ]],
    );
}

#[test]
fn what_a_hub_says_of_itself_and_of_errors() {
    let runner = RunnerInfo {
        name: "local".to_owned(),
        os: "linux".to_owned(),
        arch: "x86_64".to_owned(),
        cpu: "A CPU".to_owned(),
        features: vec!["avx2".to_owned()],
        cores: 2,
        memory_bytes: 1 << 30,
        compiler: Some(CompilerInfo { version: "3.13.0".to_owned() }),
        runtime: "3.13.0".to_owned(),
        drivers: vec!["local-sync".to_owned()],
        gpus: vec![],
        eager: None,
        agent: "studio/0.1.0".to_owned(),
    };
    let runner = Runner {
        info: runner,
        labels: vec!["shelf".to_owned()],
        state: RunnerState::Busy,
        job: Some(7),
        seen_ms: 1_764_495_600_000,
    };
    let welcome = HubMessage::Welcome {
        version: 1,
        hub: "studio/0.1.0".to_owned(),
        free_disk_bytes: 1 << 40,
        runners: vec![runner],
    };
    check(
        &welcome,
        expect![[
            r#"{"type":"welcome","version":1,"hub":"studio/0.1.0","free_disk_bytes":1099511627776,"runners":[{"name":"local","os":"linux","arch":"x86_64","cpu":"A CPU","features":["avx2"],"cores":2,"memory_bytes":1073741824,"compiler":{"version":"3.13.0"},"runtime":"3.13.0","drivers":["local-sync"],"agent":"studio/0.1.0","labels":["shelf"],"state":"busy","job":7,"seen_ms":1764495600000}]}"#
        ]],
    );
    let error =
        WireError::new(ErrorCode::NoSpace, "the disk is full").at("model.irpa").hint("Free some space");
    assert_eq!(error.to_string(), "model.irpa: the disk is full. Free some space");
    check(
        &HubMessage::Error { request: None, channel: Some(3), job: None, error },
        expect![[
            r#"{"type":"error","channel":3,"error":{"code":"no_space","message":"the disk is full","place":"model.irpa","hint":"Free some space"}}"#
        ]],
    );
}

#[test]
fn what_happens_in_a_job() {
    check(
        &HubMessage::JobAccepted { request: 9, job: 7, jobs: vec![] },
        expect![[r#"{"type":"job_accepted","request":9,"job":7}"#]],
    );
    check(
        &event(JobEvent::Started { runner: "local".to_owned() }),
        expect![[r#"{"type":"job_event","job":7,"seq":1,"event":{"event":"started","runner":"local"}}"#]],
    );
    check(
        &event(JobEvent::Step { name: "compiling".to_owned() }),
        expect![[r#"{"type":"job_event","job":7,"seq":1,"event":{"event":"step","name":"compiling"}}"#]],
    );
    check(
        &event(JobEvent::Log { line: "a".to_owned() }),
        expect![[r#"{"type":"job_event","job":7,"seq":1,"event":{"event":"log","line":"a"}}"#]],
    );
    check(
        &event(JobEvent::PromptTokens { tokens: vec![1] }),
        expect![[r#"{"type":"job_event","job":7,"seq":1,"event":{"event":"prompt_tokens","tokens":[1]}}"#]],
    );
    check(
        &event(JobEvent::Token { id: 5, text: " a".to_owned(), at_us: 900 }),
        expect![[
            r#"{"type":"job_event","job":7,"seq":1,"event":{"event":"token","id":5,"text":" a","at_us":900}}"#
        ]],
    );
}

#[test]
fn how_a_job_ends() {
    let finished = |outcome| event(JobEvent::Finished { outcome });
    let compiled = Outcome::Compiled {
        module: Artifact { blake3: hash(2), size_bytes: 5 },
        cached: false,
        compile_ms: 1.5,
        compiler: "3.13.0".to_owned(),
        flags: vec![],
        cpu_features: vec![],
        origins: Origins::default(),
    };
    check(
        &finished(compiled),
        expect![[
            r#"{"type":"job_event","job":7,"seq":1,"event":{"event":"finished","outcome":{"result":"compiled","module":{"blake3":"0202020202020202020202020202020202020202020202020202020202020202","size_bytes":5},"cached":false,"compile_ms":1.5,"compiler":"3.13.0","flags":[]}}}"#
        ]],
    );
    let timings = Timings {
        device: None,
        threads: 2,
        prompt_tokens: 3,
        generated_tokens: 2,
        load_ms: 1.0,
        ttft_ms: 2.0,
        prefill_tps: 100.5,
        decode_tps: Some(50.0),
        latency_ms: Some(LatencyPercentiles { p50: 1.0, p90: 2.0, p99: 3.0 }),
        peak_rss_bytes: 1024,
    };
    let report = RunReport {
        tokens: vec![1],
        text: "a".to_owned(),
        stop: StopReason::EndOfText,
        seed: None,
        embedding: None,
        timings,
        dispatches: Vec::new(),
    };
    check(
        &finished(Outcome::Ran { report }),
        expect![[
            r#"{"type":"job_event","job":7,"seq":1,"event":{"event":"finished","outcome":{"result":"ran","report":{"tokens":[1],"text":"a","stop":"end_of_text","timings":{"threads":2,"prompt_tokens":3,"generated_tokens":2,"load_ms":1.0,"ttft_ms":2.0,"prefill_tps":100.5,"decode_tps":50.0,"latency_ms":{"p50":1.0,"p90":2.0,"p99":3.0},"peak_rss_bytes":1024}}}}}"#
        ]],
    );
    check(
        &finished(Outcome::Failed { error: WireError::new(ErrorCode::TimedOut, "m") }),
        expect![[
            r#"{"type":"job_event","job":7,"seq":1,"event":{"event":"finished","outcome":{"result":"failed","error":{"code":"timed_out","message":"m"}}}}"#
        ]],
    );
    check(
        &finished(Outcome::Cancelled),
        expect![[
            r#"{"type":"job_event","job":7,"seq":1,"event":{"event":"finished","outcome":{"result":"cancelled"}}}"#
        ]],
    );
    check(
        &[StopReason::EndOfText, StopReason::MaxTokens, StopReason::ContextFull].to_vec(),
        expect![[r#"["end_of_text","max_tokens","context_full"]"#]],
    );
}

#[test]
fn what_a_sweep_tries_and_finds() {
    let h1 = "01".repeat(32);
    let text = format!(
        r#"{{"kind":"sweep","model":"{h1}","name":"m.gguf","combinations":[{{"form":"stablehlo"}}],"prompt_tokens":128,"gen_tokens":32,"repeat":3}}"#
    );
    let spec: JobSpec = serde_json::from_str(&text).unwrap();
    assert_eq!((spec.kind(), spec.bundle(), spec.model()), ("sweep", None, Some(&hash(1))));
    assert_eq!(serde_json::to_string(&spec).unwrap(), text);
    let text = format!(
        r#"{{"event":"tried","combination":{{"index":1,"bundle":"{h1}","measured":[{{"job":7,"runner":"pi","error":{{"code":"timed_out","message":"too long"}}}}]}}}}"#
    );
    let event: JobEvent = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&event).unwrap(), text);
}

#[test]
fn where_and_when_a_job_is_carried_out() {
    let bench = |on| ClientMessage::JobSubmit {
        request: 9,
        spec: JobSpec::Bench(BenchSpec {
            bundle: hash(1),
            module: None,
            target: None,
            eager: Some(hash(3)),
            threads: vec![1, 4],
            prompt_tokens: 128,
            gen_tokens: 64,
            repeat: 5,
            position: None,
        }),
        terms: Terms { on, priority: -3, time_limit_s: Some(60), group: Some("today".to_owned()) },
    };
    let h = |byte: &str| byte.repeat(32);
    let (h1, h3) = (h("01"), h("03"));
    for (on, json) in [
        (On::Runner("pi4".to_owned()), r#"{"runner":"pi4"}"#),
        (On::Label("arm".to_owned()), r#"{"label":"arm"}"#),
        (On::Each(vec!["pi4".to_owned(), "arm".to_owned()]), r#"{"each":["pi4","arm"]}"#),
        (On::Each(vec![]), r#"{"each":[]}"#),
    ] {
        let message = bench(Some(on));
        let text = format!(
            r#"{{"type":"job_submit","request":9,"spec":{{"kind":"bench","bundle":"{h1}","eager":"{h3}","threads":[1,4],"prompt_tokens":128,"gen_tokens":64,"repeat":5}},"on":{json},"priority":-3,"time_limit_s":60,"group":"today"}}"#
        );
        assert_eq!(serde_json::to_string(&message).unwrap(), text);
        assert_eq!(serde_json::from_str::<ClientMessage>(&text).unwrap(), message);
    }
    let short = format!(r#"{{"kind":"verify","bundle":"{h1}","against":"{h3}"}}"#);
    let verify = VerifySpec {
        bundle: hash(1),
        module: None,
        target: None,
        against: hash(3),
        positions: 256,
        threads: None,
    };
    assert_eq!(serde_json::from_str::<JobSpec>(&short).unwrap(), JobSpec::Verify(verify));
}

#[test]
fn what_a_hub_and_a_runner_say() {
    let working = Working { job: 7, attempt: 2 };
    check(
        &HubMessage::Joined { working: vec![working] },
        expect![[r#"{"type":"joined","working":[{"job":7,"attempt":2}]}"#]],
    );
    let module = ModuleInfo {
        artifact: Artifact { blake3: hash(2), size_bytes: 5 },
        target: "arm64".to_owned(),
        compiler: "3.13.0".to_owned(),
        flags: vec![],
        cpu_features: vec!["dotprod".to_owned()],
    };
    let spec = CompileSpec { bundle: hash(1), target: "host".to_owned(), flags: vec![] };
    let assignment = Assignment {
        job: 7,
        attempt: 2,
        spec: JobSpec::Compile(spec.clone()),
        modules: vec![module],
        time_limit_s: 60,
    };
    check(
        &HubMessage::JobAssign(Box::new(assignment)),
        expect![[
            r#"{"type":"job_assign","job":7,"attempt":2,"spec":{"kind":"compile","bundle":"0101010101010101010101010101010101010101010101010101010101010101","target":"host","flags":[]},"modules":[{"blake3":"0202020202020202020202020202020202020202020202020202020202020202","size_bytes":5,"target":"arm64","compiler":"3.13.0","flags":[],"cpu_features":["dotprod"]}],"time_limit_s":60}"#
        ]],
    );
    let events = vec![JobEvent::Progress { done: 1, of: 2 }];
    check(
        &ClientMessage::JobReport { job: 7, attempt: 2, first: 3, events },
        expect![[
            r#"{"type":"job_report","job":7,"attempt":2,"first":3,"events":[{"event":"progress","done":1,"of":2}]}"#
        ]],
    );
    check(&HubMessage::JobAck { job: 7, events: 3 }, expect![[r#"{"type":"job_ack","job":7,"events":3}"#]]);
    check(
        &event(JobEvent::Requeued { reason: "lost".to_owned() }),
        expect![[r#"{"type":"job_event","job":7,"seq":1,"event":{"event":"requeued","reason":"lost"}}"#]],
    );
    let filter =
        JobFilter { state: Some(JobState::Over), text: Some("x".to_owned()), ..JobFilter::default() };
    check(
        &ClientMessage::JobsList { request: 9, filter },
        expect![[r#"{"type":"jobs_list","request":9,"state":"over","text":"x"}"#]],
    );
    let record = JobRecord {
        job: 7,
        spec: JobSpec::Compile(spec),
        terms: Terms { on: Some(On::Runner("pi4".to_owned())), ..Terms::default() },
        state: JobState::Over,
        model: "A".to_owned(),
        hub: "studio/0.1.0".to_owned(),
        runner: None,
        attempt: 0,
        events: 1,
        created_ms: 5,
        started_ms: None,
        finished_ms: Some(6),
        outcome: Some(Outcome::Cancelled),
    };
    check(
        &HubMessage::Job { request: 9, record: Box::new(record) },
        expect![[
            r#"{"type":"job","request":9,"record":{"job":7,"spec":{"kind":"compile","bundle":"0101010101010101010101010101010101010101010101010101010101010101","target":"host","flags":[]},"on":{"runner":"pi4"},"state":"over","model":"A","hub":"studio/0.1.0","attempt":0,"events":1,"created_ms":5,"finished_ms":6,"outcome":{"result":"cancelled"}}}"#
        ]],
    );
    assert!(is_runner_name("Pi-4_b.local") && is_runner_name(&"n".repeat(64)));
    for wrong in ["", "a b", "a/b", "ä", &"n".repeat(65)] {
        assert!(!is_runner_name(wrong), "{wrong:?}");
    }
}

#[test]
fn what_is_refused() {
    let read = |json: &str| serde_json::from_str::<ClientMessage>(json).unwrap_err().to_string();
    assert!(read(r#"{"type":"dance"}"#).contains("unknown variant `dance`"));
    assert!(read(r#"{"type":"hello"}"#).contains("missing field `version`"));
    assert!(read(r#"{"type":"upload_close","channel":-1}"#).contains("expected u32"));
    let short = r#"{"type":"upload_finish","channel":1,"blake3":"ab"}"#;
    assert!(read(short).contains("64 lower-case hexadecimal digits"));
    assert!("AB".repeat(32).parse::<Hash>().is_err());
    assert_eq!("ab".repeat(32).parse::<Hash>().unwrap(), hash(0xab));
}

#[test]
fn upload_keys_cannot_leave_their_folder() {
    assert!(is_upload_key("0a-b_c.irpa") && is_upload_key(&"k".repeat(128)));
    for wrong in ["", "a/b", "A", "ä", "a b", "a\0", &"k".repeat(129)] {
        assert!(!is_upload_key(wrong), "{wrong:?}");
    }
}
