//! The eager engine in `studio`, and compiled against eager: run, bench, verify. `xtask test` builds that `studio`.

use e2e::{reference, scratch, smollm2, smollm2_as, studio};
use serde_json::Value;
use std::path::Path;

/// The portable form, with room for the positions that are compared.
const FORM: [&str; 8] = ["--form", "stablehlo", "--graphs", "kv", "--context", "256", "--chunk", "64"];

fn export(model: &Path, folder: &Path, weights: &str) {
    studio::export_and_compile(model, folder, &[&["--weights", weights], &FORM[..]].concat());
}

fn verify(bundle: &Path, against: &Path) -> (bool, Value) {
    let args = ["verify", studio::arg(bundle), "--against", studio::arg(against), "--json"];
    let output = studio::eager_command().args(args).output().expect("starting studio");
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
    });
    (output.status.success(), report)
}

/// In f32 both compute the same sums in another order; another quantisation of the same model is another model.
#[test]
fn verify_passes_the_same_numbers_and_fails_others() {
    let folder = scratch("verify");
    export(&smollm2(), &folder, "f32");
    let (done, report) = verify(&folder, &smollm2_as("F32"));
    assert!(done && report["passed"] == true, "{report:#}");
    assert_eq!(report["positions"], 256);
    assert_eq!(report["prefill"]["positions"], 4);
    let number = |name: &str| report[name].as_f64().expect("a number");
    assert!(number("mean_kl") < 1e-8 && number("max_abs_logit_diff") < 1e-2, "{report:#}");
    assert_eq!(report["worst"].as_array().map(Vec::len), Some(5));

    let (done, report) = verify(&folder, &smollm2_as("Q4_0"));
    assert!(!done && report["passed"] == false, "{report:#}");
}

#[test]
fn the_eager_engine_continues_as_llama_cpp_does() {
    let tokens = reference::tokens(&smollm2(), "The capital of France is");
    let want = reference::greedy(&smollm2(), &tokens, 12);
    let (list, model) = (reference::list(&tokens), smollm2());
    let args = ["run", studio::arg(&model), "--engine", "eager", "--tokens", &list, "-n", "12", "--json"];
    let output = studio::eager_command().args(args).output().expect("starting studio");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("--json prints JSON");
    let got: Vec<u32> = serde_json::from_value(report["tokens"].clone()).expect("`tokens` is a list of ids");
    for (place, (got, (want, margin))) in got.iter().zip(want.tokens.iter().zip(&want.margins)).enumerate() {
        if got != want {
            assert!(*margin < 0.1, "token {place}: {got}, llama.cpp {want} by a margin of {margin}");
            break; // From here on the two continue different texts.
        }
    }
    assert!(!got.is_empty());
}

/// Figures depend on the machine; that each is there, beside what llama.cpp was built with, does not.
#[test]
fn a_bench_has_both_engines_and_what_they_use() {
    let folder = scratch("bench");
    export(&smollm2(), &folder, "bf16");
    let model = smollm2();
    let bench = ["bench", studio::arg(&folder), "--eager", studio::arg(&model), "--threads", "1"];
    let few = ["--prompt-tokens", "16", "--gen-tokens", "4", "--repeat", "1", "--json"];
    let output = studio::eager_command().args(bench).args(few).output().expect("starting studio");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("--json prints JSON");
    let info = report["eager"]["system_info"].as_str().expect("llama.cpp says what it uses");
    assert!(info.starts_with("CPU : "), "{info}");
    let runs = report["runs"].as_array().expect("`runs` is a list");
    let of: Vec<_> =
        runs.iter().map(|run| (run["engine"].as_str(), run["flash_attention"].as_bool())).collect();
    assert_eq!(of, [(Some("compiled"), None), (Some("eager"), Some(true)), (Some("eager"), Some(false))]);
    for run in runs {
        for figure in ["prefill_tps", "decode_tps", "ttft_ms"] {
            assert!(run[figure].as_f64().is_some_and(|value| value > 0.0), "{figure}: {run:#}");
        }
        assert!(run["bandwidth_share"].as_f64().is_some_and(|share| share > 0.0), "{run:#}");
    }
    assert!(report["ratios"][0]["decode"].as_f64().is_some_and(|ratio| ratio > 0.0));

    let other = smollm2_as("Q8_0");
    let wrong = ["bench", studio::arg(&folder), "--eager", studio::arg(&other)];
    let output = studio::eager_command().args(wrong).output().expect("starting studio");
    assert_eq!(output.status.code(), Some(2), "another model is no comparison");
}
