//! Graphics processors by Vulkan, on lavapipe, which computes on the processor: `xtask test vulkan` fetches it and says
//! where by the variables that Vulkan's loader reads.

use e2e::{cache, scratch, smollm2, studio, studio::arg, tiny};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Output, Stdio},
};
use tiny::Stored;

/// Small, for lavapipe is slow.
const SMALL: [&str; 8] = ["--form", "stablehlo", "--weights", "f32", "--context", "64", "--chunk", "8"];

/// `studio` with a cache of its own in `home`, where nothing was checked yet; tools are those of the test's cache.
fn command(home: &Path) -> Command {
    let own = home.join("cache");
    if !own.exists() {
        fs::create_dir_all(&own).expect("making a cache folder");
        std::os::unix::fs::symlink(cache().join("iree-3.13.0"), own.join("iree-3.13.0"))
            .expect("linking the tools");
    }
    let mut command = studio::command();
    command.env("STUDIO_CACHE", own).env("XDG_DATA_HOME", home.join("data"));
    command
}

fn run(home: &Path, args: &[&str]) -> Output {
    command(home).args(args).output().expect("starting studio")
}

fn ok(home: &Path, args: &[&str]) -> (String, String) {
    let output = run(home, args);
    let [out, err] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("studio prints UTF-8"));
    assert!(output.status.success(), "studio {}: {err}", args.join(" "));
    (out, err)
}

fn tokens(report: &str) -> Vec<u32> {
    let report: Value = serde_json::from_str(report).expect("--json prints JSON");
    serde_json::from_value(report["tokens"].clone()).expect("`tokens` is a list of ids")
}

#[test]
fn smollm2_says_there_what_it_says_on_the_processor() {
    let home = scratch("vulkan-smollm2");
    let bundle = home.join("bundle");
    ok(&home, &[&["export", arg(&smollm2()), "--out", arg(&bundle), "--graphs", "kv"], &SMALL[..]].concat());
    ok(&home, &["compile", arg(&bundle), "--target", "vulkan"]);
    let on = |target| {
        let run = ["run", arg(&bundle), "--prompt", "The capital of France is", "--raw", "-n", "8", "--json"];
        ok(&home, &[&run[..], &["--target", target]].concat())
    };
    let (report, words) = on("vulkan");
    assert!(words.contains("agrees with the processor at 7 positions: scores within"), "{words}");
    assert!(!words.contains("checked before"), "{words}");
    assert!(report.contains("\"device\": \"llvmpipe"), "{report}");
    let (on_processor, _) = on("host");
    assert!(!on_processor.contains("\"device\""), "{on_processor}");
    assert_eq!(tokens(&report), tokens(&on_processor));
    let (again, words) = on("vulkan");
    assert!(words.contains("checked before"), "{words}");
    assert_eq!(tokens(&again), tokens(&report));

    let bench = ["bench", arg(&bundle), "--target", "vulkan", "--prompt-tokens", "8", "--gen-tokens", "2"];
    let (report, _) = ok(&home, &[&bench[..], &["--repeat", "1", "--json"]].concat());
    let report: Value = serde_json::from_str(&report).expect("--json prints JSON");
    let runs = report["runs"].as_array().expect("`runs` is a list");
    assert_eq!(runs.len(), 1, "{report:#}");
    assert!(runs[0]["device"].as_str().is_some_and(|name| name.starts_with("llvmpipe")), "{report:#}");
    assert!(runs[0]["decode_tps"].as_f64().is_some_and(|tps| tps > 0.0), "{report:#}");
}

/// What IREE makes for Adreno is no number on lavapipe, whatever the reason: nobody may take that for an answer.
#[test]
fn what_is_computed_wrongly_is_not_run() {
    let home = scratch("vulkan-wrong");
    let (model, bundle) = (home.join("model.gguf"), home.join("bundle"));
    let llama = tiny::all().into_iter().find(|recipe| recipe.architecture == "llama").expect("there is one");
    llama.write(Stored::F32, &model);
    ok(&home, &[&["export", arg(&model), "--out", arg(&bundle), "--graphs", "kv"], &SMALL[..]].concat());
    ok(&home, &["compile", arg(&bundle), "--target", "vulkan:adreno"]);
    let output =
        run(&home, &["run", arg(&bundle), "--target", "vulkan:adreno", "--tokens", "1,2", "-n", "4"]);
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty(), "{words}");
    assert!(words.contains("computes this module wrongly: the scores of"), "{words}");
    assert!(words.contains("Nothing was run."), "{words}");
}

/// All architectures that generate tokens, tiny, in both contracts: each run is held against the processor by the product
/// itself, and fails where they differ.
#[test]
fn every_architecture_agrees_with_the_processor() {
    let home = scratch("vulkan-families");
    let mut seen = Vec::new();
    for recipe in tiny::all() {
        if recipe.is_encoder || seen.contains(&recipe.architecture) {
            continue;
        }
        seen.push(recipe.architecture);
        let folder = home.join(recipe.architecture);
        fs::create_dir_all(&folder).expect("making the case's folder");
        let (model, bundle) = (folder.join("model.gguf"), folder.join("bundle"));
        recipe.write(Stored::F32, &model);
        let small =
            ["--form", "stablehlo", "--weights", "f32", "--graphs", "kv", "--context", "24", "--chunk", "8"];
        ok(&home, &[&["export", arg(&model), "--out", arg(&bundle)], &small[..]].concat());
        ok(&home, &["compile", arg(&bundle), "--target", "vulkan"]);
        let on = |target| {
            let run = ["run", arg(&bundle), "--tokens", "3,1,4,1,5", "-n", "4", "--json"];
            ok(&home, &[&run[..], &["--target", target]].concat())
        };
        let (there, words) = on("vulkan");
        println!("{}: {}", recipe.architecture, words.lines().last().unwrap_or_default());
        assert!(words.contains("agrees with the processor"), "{}: {words}", recipe.architecture);
        assert_eq!(tokens(&there), tokens(&on("host").0), "{}", recipe.architecture);
        fs::remove_dir_all(&folder).expect("tidying");
    }
    assert!(seen.len() > 10, "{seen:?}");
}

/// Each target takes f32, and all but the plain one f16; bf16 is up to the compiler, which fails on some shapes. What can't
/// be is said with what can.
#[test]
fn every_target_compiles_or_says_why_not() {
    let home = scratch("vulkan-targets");
    let model = home.join("model.gguf");
    let llama = tiny::all().into_iter().find(|recipe| recipe.architecture == "llama").expect("there is one");
    llama.write(Stored::F32, &model);
    for weights in ["f32", "f16", "bf16"] {
        let bundle = home.join(weights);
        let form = [
            "--form",
            "stablehlo",
            "--weights",
            weights,
            "--graphs",
            "kv",
            "--context",
            "16",
            "--chunk",
            "8",
        ];
        ok(&home, &[&["export", arg(&model), "--out", arg(&bundle)], &form[..]].concat());
        for target in ["vulkan", "vulkan:valhall4", "vulkan:adreno", "vulkan:rdna3", "vulkan:ampere"] {
            let output = run(&home, &["compile", arg(&bundle), "--target", target]);
            let words = String::from_utf8_lossy(&output.stderr);
            let refused = target == "vulkan" && weights != "f32";
            let done = output.status.success();
            assert!(weights == "bf16" || done != refused, "{target}, {weights}: {words}");
            assert!(done || words.contains("--weights f32"), "{words}");
        }
    }
}

/// A hub of the test's own.
struct Hub {
    process: Child,
    url: String,
}

impl Drop for Hub {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn hub(home: &Path) -> Hub {
    let mut command = command(home);
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--data", arg(&home.join("hub"))])
        .stdout(Stdio::piped());
    let mut process = command.spawn().expect("starting a hub");
    let mut url = String::new();
    let out = process.stdout.take().expect("its output is piped");
    BufReader::new(out).read_line(&mut url).expect("a hub says its address");
    Hub { process, url: url.trim().to_owned() }
}

#[test]
fn a_runner_names_its_devices_and_compiles_for_them() {
    let home = scratch("vulkan-hub");
    let (model, bundle) = (home.join("model.gguf"), home.join("bundle"));
    let llama = tiny::all().into_iter().find(|recipe| recipe.architecture == "llama").expect("there is one");
    llama.write(Stored::F32, &model);
    ok(&home, &[&["export", arg(&model), "--out", arg(&bundle), "--graphs", "kv"], &SMALL[..]].concat());
    let hub = hub(&home);
    let (runners, _) = ok(&home, &["runners", "--hub", &hub.url, "--json"]);
    let runners: Value = serde_json::from_str(&runners).expect("--json prints JSON");
    let local = &runners[0];
    assert!(
        local["drivers"].as_array().is_some_and(|all| all.iter().any(|name| name == "vulkan")),
        "{runners:#}"
    );
    assert_eq!(local["gpus"][0]["target"], "vulkan", "{runners:#}");
    assert!(
        local["gpus"][0]["name"].as_str().is_some_and(|name| name.starts_with("llvmpipe")),
        "{runners:#}"
    );
    let there = ["--hub", &hub.url, "--runner", "local", "--target", "vulkan", "--json"];
    let (report, words) =
        ok(&home, &[&["run", arg(&bundle), "--tokens", "1,2,3", "-n", "4"], &there[..]].concat());
    assert!(words.contains("agrees with the processor"), "{words}");
    assert!(report.contains("\"device\": \"llvmpipe"), "{report}");
}
