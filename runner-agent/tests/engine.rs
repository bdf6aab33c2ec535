//! The engine on the real model. This program starts itself as the engine's child process.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{MODEL, cache_dir, compile_for_host, export};
use libtest_mimic::{Arguments, Failed, Trial};
use runner_agent::{
    BundleFiles, EngineCommand, Failure, RunJob, Source,
    bench::{BenchJob, bench},
    engine::{Path as Drive, teacher_forced},
    engine_main, run,
};
use std::{
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, OnceLock},
    time::Duration,
};
use studio_core::options::{ExportOptions, GraphKind, Weights};
use studio_protocol::{ChatMessage, ErrorCode, JobEvent, Prompt, RunReport, Sampling, StopReason, WireError};
use tokio::{runtime::Runtime, sync::mpsc};
use tokio_util::sync::CancellationToken;

/// "The capital of France is Paris." and the end of the turn, as llama.cpp continues the question.
const ANSWER: [u32; 8] = [504, 3575, 282, 4649, 314, 7042, 30, 2];

/// What [`ANSWER`] answers.
const QUESTION: &str = "What is the capital of France?";

type Test = fn(&Model);

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("engine") {
        return engine_main();
    }
    let model = Model::shared();
    let tests: [(&str, Test); 13] = [
        ("kv_answers_the_question", kv_answers_the_question),
        ("redecode_says_the_same", redecode_says_the_same),
        ("events_tell_what_the_report_says", events_tell_what_the_report_says),
        ("prefill_and_decode_agree", prefill_and_decode_agree),
        ("bad_prompts_are_refused_with_numbers", bad_prompts_are_refused_with_numbers),
        ("a_full_context_ends_the_run", a_full_context_ends_the_run),
        ("a_profile_has_every_dispatch_of_every_token", a_profile_has_every_dispatch_of_every_token),
        ("cancelling_ends_the_child", cancelling_ends_the_child),
        ("a_module_of_another_bundle_is_refused", a_module_of_another_bundle_is_refused),
        ("damaged_files_are_named", damaged_files_are_named),
        ("equal_seeds_draw_equal_tokens", equal_seeds_draw_equal_tokens),
        ("draws_need_logits", draws_need_logits),
        ("a_bench_measures_each_number_of_threads", a_bench_measures_each_number_of_threads),
    ];
    let trials = tests.into_iter().map(|(name, test)| {
        let model = Arc::clone(&model);
        Trial::test(name, move || {
            test(model.get());
            Ok::<(), Failed>(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// The exported and compiled model that the tests share.
struct Model {
    _dir: tempfile::TempDir,
    bundle: BundleFiles,
    module: PathBuf,
    engine: EngineCommand,
    runtime: Runtime,
}

/// Made by the first test that asks.
struct Shared(OnceLock<Model>);

impl Shared {
    fn get(&self) -> &Model {
        self.0.get_or_init(Model::make)
    }
}

impl Model {
    fn shared() -> Arc<Shared> {
        Arc::new(Shared(OnceLock::new()))
    }

    fn make() -> Self {
        let options = ExportOptions {
            weights: Weights::Bf16,
            graphs: vec![GraphKind::Redecode, GraphKind::Kv],
            seq: 48,
            context: 48,
            chunk: 16,
            ..ExportOptions::default()
        };
        let dir = tempfile::tempdir().unwrap();
        let bundle = export(&cache_dir().join(MODEL), &options, dir.path());
        let module = dir.path().join("host.vmfb");
        let runtime = Runtime::new().unwrap();
        runtime.block_on(compile_for_host(&bundle, &module));
        let engine = EngineCommand { program: std::env::current_exe().unwrap(), args: vec!["engine".into()] };
        Self { _dir: dir, bundle, module, engine, runtime }
    }

    fn job(&self, prompt: Prompt, max_tokens: u32) -> RunJob {
        self.job_of(self.bundle.clone(), prompt, max_tokens)
    }

    /// A job of another bundle with the same module.
    fn job_of(&self, bundle: BundleFiles, prompt: Prompt, max_tokens: u32) -> RunJob {
        let module = self.module.clone();
        let source = Source::Compiled { bundle, module };
        RunJob { source, prompt, max_tokens, threads: Some(2), sampling: Sampling::default(), profile: false }
    }

    fn run(&self, job: &RunJob) -> (Result<RunReport, Failure>, Vec<JobEvent>) {
        let (events, mut seen) = mpsc::channel(10_000);
        let result = self.runtime.block_on(run(job, &self.engine, &events, &CancellationToken::new()));
        drop(events);
        (result, std::iter::from_fn(|| seen.blocking_recv()).collect())
    }

    fn error(&self, job: &RunJob) -> WireError {
        match self.run(job).0 {
            Err(Failure::Error(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    /// The bundle as if it had been exported without the kv graphs.
    fn redecode_only(&self) -> BundleFiles {
        let mut manifest = self.bundle.manifest().clone();
        manifest.cache = None;
        let names = manifest.files.iter().map(|file| file.name.clone());
        let files = names.map(|name| (name.clone(), self.bundle.path(&name).unwrap().to_owned())).collect();
        BundleFiles::new(manifest, files).unwrap()
    }
}

fn question() -> Prompt {
    let content = QUESTION.to_owned();
    Prompt::Chat { messages: vec![ChatMessage { role: "user".to_owned(), content }] }
}

fn a_profile_has_every_dispatch_of_every_token(model: &Model) {
    let names = std::fs::read(&model.module).unwrap();
    let is_of_module = |name: &str| names.windows(name.len()).any(|bytes| bytes == name.as_bytes());
    for threads in [1, 2] {
        let job = RunJob { threads: Some(threads), profile: true, ..model.job(question(), 5) };
        let report = model.run(&job).0.unwrap();
        assert_eq!(report.tokens, ANSWER[..5], "timing changes nothing");
        let of_decode: Vec<_> =
            report.dispatches.iter().filter(|dispatch| dispatch.name.starts_with("decode")).collect();
        assert!(!of_decode.is_empty());
        for dispatch in &report.dispatches {
            assert!(is_of_module(&dispatch.name), "{} is in the module", dispatch.name);
            let mean_ms = dispatch.total_ms / dispatch.calls as f64;
            assert!(dispatch.min_ms <= mean_ms * 1.001 && mean_ms <= dispatch.max_ms * 1.001, "{dispatch:?}");
        }
        // Four tokens were decoded after the first, each by the same dispatches.
        assert!(of_decode.iter().all(|dispatch| dispatch.calls % 4 == 0), "{of_decode:?}");
        let totals = report.dispatches.iter().map(|dispatch| dispatch.total_ms);
        assert!(totals.is_sorted_by(|one, next| one >= next));
    }
    assert_eq!(model.run(&model.job(question(), 2)).0.unwrap().dispatches, []);
}

fn kv_answers_the_question(model: &Model) {
    let report = model.run(&model.job(question(), 16)).0.unwrap();
    assert_eq!(report.tokens, ANSWER[..7]);
    assert_eq!(report.text, "The capital of France is Paris.");
    assert_eq!(report.stop, StopReason::EndOfText);
}

fn redecode_says_the_same(model: &Model) {
    let job = model.job_of(model.redecode_only(), question(), 16);
    let report = model.run(&job).0.unwrap();
    assert_eq!(report.tokens, ANSWER[..7]);
    assert_eq!(report.stop, StopReason::EndOfText);
}

fn events_tell_what_the_report_says(model: &Model) {
    let (report, events) = model.run(&model.job(question(), 4));
    let report = report.unwrap();
    assert_eq!((report.tokens.as_slice(), report.stop), (&ANSWER[..4], StopReason::MaxTokens));
    let steps: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            JobEvent::Step { name } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(steps, ["loading", "prefill", "decode"]);
    let (mut ids, mut text, mut times) = (Vec::new(), String::new(), Vec::new());
    for event in &events {
        if let JobEvent::Token { id, text: piece, at_us } = event {
            ids.push(*id);
            text.push_str(piece);
            times.push(*at_us);
        }
    }
    assert_eq!((ids, text), (report.tokens, report.text));
    assert!(times.is_sorted());
    let prompt = events.iter().find_map(|event| match event {
        JobEvent::PromptTokens { tokens } => Some(tokens.len()),
        _ => None,
    });
    let timings = report.timings;
    assert_eq!(prompt, Some(timings.prompt_tokens as usize));
    assert_eq!((timings.threads, timings.generated_tokens), (2, 4));
    let latency = timings.latency_ms.as_ref().unwrap();
    assert!(0.0 < latency.p50 && latency.p50 <= latency.p90 && latency.p90 <= latency.p99);
    assert!((times[0] as f64 / 1000.0) >= timings.ttft_ms && timings.ttft_ms > 0.0 && timings.load_ms > 0.0);
    // The archive is mapped and used: the child cannot have stayed below the half of it.
    let archive = model.bundle.manifest().files.iter().find(|file| file.name.ends_with(".irpa")).unwrap();
    assert!(timings.peak_rss_bytes > archive.size_bytes / 2, "{timings:?}");
}

/// 20 tokens, whose last chunk is not full.
fn prefill_and_decode_agree(model: &Model) {
    let text = [
        504, 3575, 282, 4649, 314, 7042, 30, 657, 314, 260, 3575, 284, 1343, 25, 1784, 2870, 282, 260, 1343,
        30,
    ];
    let forced = |path| teacher_forced(&model.bundle, &model.module, &text, Some(2), path).unwrap();
    let (decode, prefill, redecode) =
        (forced(Drive::Decode), forced(Drive::Prefill), forced(Drive::Redecode));
    assert_eq!(decode.next, redecode.next);
    assert_eq!(prefill.positions, [15, 19]);
    for (place, position) in prefill.positions.iter().enumerate() {
        assert_eq!(prefill.next[place], decode.next[*position]);
        let (one, other) = (&prefill.logits[place], &decode.logits[*position]);
        assert_eq!(one.len(), model.bundle.manifest().model.vocabulary_size as usize);
        let largest = one.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        let apart = one.iter().zip(other).fold(0.0_f32, |apart, (a, b)| apart.max((a - b).abs()));
        assert!(apart < 2e-2 * largest, "position {position}: {apart} apart of {largest}");
    }
}

fn bad_prompts_are_refused_with_numbers(model: &Model) {
    let refused = |prompt, words: &[&str]| {
        let error = model.error(&model.job(prompt, 4));
        assert_eq!(error.code, ErrorCode::BadPrompt, "{error}");
        assert!(words.iter().all(|word| error.message.contains(word)), "{error}");
    };
    refused(Prompt::Tokens { tokens: Vec::new() }, &["empty"]);
    refused(Prompt::Text { text: String::new() }, &["empty"]);
    refused(Prompt::Tokens { tokens: vec![1; 49] }, &["49", "48"]);
    refused(Prompt::Tokens { tokens: vec![1, 49152] }, &["49152", "place 1"]);
}

fn a_full_context_ends_the_run(model: &Model) {
    let tokens = vec![504; 45];
    let full = |bundle: BundleFiles| {
        let job = model.job_of(bundle, Prompt::Tokens { tokens: tokens.clone() }, 100);
        model.run(&job).0.unwrap()
    };
    let (kv, redecode) = (full(model.bundle.clone()), full(model.redecode_only()));
    // Three places are left, and the last token needs none.
    assert_eq!((kv.stop, kv.tokens.len()), (StopReason::ContextFull, 4));
    assert_eq!((redecode.stop, redecode.tokens), (kv.stop, kv.tokens));
}

fn cancelling_ends_the_child(model: &Model) {
    let job = model.job(Prompt::Tokens { tokens: vec![504] }, 47);
    let cancel = CancellationToken::new();
    let (events, mut seen) = mpsc::channel(1);
    let running = run(&job, &model.engine, &events, &cancel);
    let cancelling = async {
        while !matches!(seen.recv().await, Some(JobEvent::Token { .. })) {}
        cancel.cancel();
    };
    let both = async { tokio::join!(running, cancelling).0 };
    let result = model.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(120), both).await });
    assert_eq!(result.unwrap().unwrap_err(), Failure::Cancelled);
}

fn a_module_of_another_bundle_is_refused(model: &Model) {
    let mut manifest = model.bundle.manifest().clone();
    let main = manifest.functions.iter_mut().find(|function| function.name == "main").unwrap();
    main.name = "generate".to_owned();
    let names = manifest.files.iter().map(|file| file.name.clone());
    let files = names.map(|name| (name.clone(), model.bundle.path(&name).unwrap().to_owned())).collect();
    let job = model.job_of(BundleFiles::new(manifest, files).unwrap(), question(), 1);
    let error = model.error(&job);
    assert_eq!(error.code, ErrorCode::Runtime);
    assert_eq!(error.message, "the module has no function `generate`");
    assert_eq!(error.place, Some(model.module.display().to_string()));
}

fn damaged_files_are_named(model: &Model) {
    let dir = tempfile::tempdir().unwrap();
    let mut job = model.job(question(), 1);
    let module = dir.path().join("host.vmfb");
    job.source = Source::Compiled { bundle: model.bundle.clone(), module: module.clone() };
    let bytes = std::fs::read(&model.module).unwrap();
    std::fs::write(&module, &bytes[..bytes.len() / 2]).unwrap();
    let error = model.error(&job);
    assert_eq!(error.code, ErrorCode::Runtime);
    assert!(error.to_string().contains(module.to_str().unwrap()), "{error}");
    std::fs::remove_file(&module).unwrap();
    let error = model.error(&job);
    assert!(error.to_string().contains(module.to_str().unwrap()), "{error}");
}

fn equal_seeds_draw_equal_tokens(model: &Model) {
    let drawn = |seed| {
        let mut job = model.job(question(), 12);
        job.sampling =
            Sampling { temperature: 1.5, top_k: 0, top_p: 1.0, min_p: 0.0, seed, ..Sampling::default() };
        let report = model.run(&job).0.unwrap();
        (report.tokens, report.seed)
    };
    let (tokens, seed) = drawn(Some(7));
    assert_eq!(seed, Some(7));
    assert_eq!(drawn(Some(7)).0, tokens);
    assert_ne!(drawn(Some(8)).0, tokens);
    let (tokens, seed) = drawn(None);
    assert_eq!(drawn(seed).0, tokens, "the seed that was made up is the one that is told");
    let mut job = model.job(question(), 16);
    job.sampling = Sampling { temperature: 0.7, top_k: 1, seed: Some(1), ..Sampling::default() };
    assert_eq!(
        model.run(&job).0.unwrap().tokens,
        ANSWER[..7],
        "one token to draw among is the most likely one"
    );
}

fn draws_need_logits(model: &Model) {
    let mut job = model.job_of(model.redecode_only(), question(), 1);
    job.sampling = Sampling { temperature: 1.0, ..Sampling::default() };
    let error = model.error(&job);
    assert_eq!(error.code, ErrorCode::BadMessage);
    assert!(error.hint.unwrap().contains("kv"));
}

fn a_bench_measures_each_number_of_threads(model: &Model) {
    let job = BenchJob {
        bundle: model.bundle.clone(),
        module: model.module.clone(),
        eager: None,
        threads: vec![1, 2],
        prompt_tokens: 20,
        gen_tokens: 4,
        repeat: 2,
        position: None,
    };
    let (events, _seen) = mpsc::channel(10_000);
    let cancel = CancellationToken::new();
    let measure = |job: &BenchJob| model.runtime.block_on(bench(job, &model.engine, &events, &cancel));
    let report = measure(&job).unwrap();
    let of: Vec<_> = report.runs.iter().map(|run| (run.engine.as_str(), run.threads)).collect();
    assert_eq!(of, [("compiled", 1), ("compiled", 2)]);
    for run in &report.runs {
        let (prefill, decode) = (run.rounds.prefill_tps.unwrap(), run.rounds.decode_tps.unwrap());
        assert_eq!(run.decode_tps, Some(decode.median));
        assert!(decode.min > 0.0 && decode.min <= decode.median && decode.median <= decode.max);
        assert!(prefill.median > 0.0 && run.bandwidth_share.unwrap() > 0.0);
        // 134 million parameters in bf16.
        assert!((268_000_000..272_000_000).contains(&run.weight_bytes), "{}", run.weight_bytes);
        assert!(run.peak_rss_bytes > run.weight_bytes, "a decoder has read its weights");
    }
    let position = measure(&BenchJob { position: Some(40), threads: vec![1], ..job.clone() }).unwrap();
    assert!(position.runs[0].prefill_tps.is_none() && position.runs[0].decode_tps.is_some());
    let Err(Failure::Error(error)) = measure(&BenchJob { position: Some(45), ..job }) else { panic!() };
    assert!(error.message.contains("45") && error.message.contains("48"), "{error}");
}
