//! `bench decode` and `bench prefill`: compiled SmolLM2 against llama.cpp on the same files.

use super::goals::{ARCHIVE, Aim, BANDWIDTH, DEEP, GOALS, Goals, MEMORY, print_row};
use crate::{
    cache,
    command::{output, run, say},
    setup,
};
use anyhow::{Context, Result};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Where decode far into the context is measured, of a context of 2048.
const DEEP_POSITION: u32 = 1900;

/// Prefills that are measured, in tokens.
const PROMPTS: [u32; 2] = [128, 512];

/// Measures and prints a table of ratios with their goals.
pub(super) fn measure(what: &str, form: &str) -> Result<()> {
    setup::run(&["studio".to_owned(), "quantised".to_owned()])?;
    let bench = Bench { studio: setup::llama()?.studio, form: form.to_owned() };
    match what {
        "decode" => bench.decode(),
        _ => bench.prefill(),
    }
}

struct Bench {
    studio: PathBuf,
    form: String,
}

impl Bench {
    fn decode(&self) -> Result<()> {
        let mut reports = Vec::new();
        for goals in GOALS {
            reports.push((goals, self.report(goals.model, &["--prompt-tokens", "128"])?));
        }
        let position = DEEP_POSITION.to_string();
        let first = &GOALS[0];
        let deep = self.report(first.model, &["--position", &position])?;

        let rate = "decode_tps";
        self.header(&reports[0].1, "tok/s: ours, llama.cpp")?;
        for (Goals { model, decode, .. }, report) in &reports {
            for (threads, goal) in (1..).zip(decode) {
                let what = format!("decode {model}, {threads} thread(s)");
                report.row(&what, rate, threads, Aim::AtLeast(*goal));
            }
        }
        for threads in [1, 2] {
            let what = format!("decode {} at {position}, {threads} thread(s)", first.model);
            deep.row(&what, rate, threads, Aim::AtLeast(DEEP));
        }
        for (Goals { model, second_thread, .. }, report) in &reports {
            let (one, two) = (report.compiled(rate, 1), report.compiled(rate, 2));
            let ratio = two.zip(one).map(|(two, one)| two / one);
            let what = format!("own decode {model}, 2 threads : 1");
            print_row(&what, &tps(two), &tps(one), ratio, Aim::AtLeast(*second_thread));
        }
        for (Goals { model, .. }, report) in &reports {
            report.size_rows(model);
        }
        for (Goals { model, .. }, report) in reports.iter().filter(|(goals, _)| goals.model == "Q8_0") {
            let run = report.run("compiled", 1);
            let share = run.and_then(|run| run["bandwidth_share"].as_f64());
            let roof = report.bandwidth(1).map(|bytes| format!("{:.1} GB/s", bytes / 1e9));
            let streamed = share.zip(report.bandwidth(1));
            let streamed = streamed.map(|(share, bytes)| format!("{:.1} GB/s", share * bytes / 1e9));
            let (ours, roof) = (streamed.unwrap_or_default(), roof.unwrap_or_default());
            let what = format!("share of read bandwidth, {model}, 1 thread");
            print_row(&what, &ours, &roof, share, Aim::AtLeast(BANDWIDTH));
        }
        Ok(())
    }

    fn prefill(&self) -> Result<()> {
        let mut rows = Vec::new();
        for goals in GOALS {
            for prompt in PROMPTS {
                let tokens = prompt.to_string();
                let options = ["--prompt-tokens", &*tokens, "--gen-tokens", "0"];
                rows.push((goals, prompt, self.report(goals.model, &options)?));
            }
        }
        self.header(&rows[0].2, "tok/s: ours, llama.cpp")?;
        for (Goals { model, prefill, .. }, prompt, report) in &rows {
            for threads in [1, 2] {
                let what = format!("prefill {prompt} {model}, {threads} thread(s)");
                report.row(&what, "prefill_tps", threads, Aim::AtLeast(*prefill));
            }
        }
        Ok(())
    }

    /// Exports and compiles a model and measures it.
    fn report(&self, model: &str, options: &[&str]) -> Result<Report> {
        say(&format!("measuring {model}, {}", options.join(" ")));
        let source = setup::variant(model)?;
        let bundle = cache::root()?.join("bench").join(format!("{}-{model}", self.form));
        let mut export = Command::new(&self.studio);
        export.arg("export").arg(&source).arg("--out").arg(&bundle);
        export.args(["--graphs", "kv", "--context", "2048", "--form", &self.form]);
        run(export.stderr(Stdio::null())).context("exporting: run it by hand to see why it fails")?;
        run(Command::new(&self.studio)
            .arg("compile")
            .arg(&bundle)
            .args(["--target", "host"])
            .stdout(Stdio::null()))?;
        self.bench(&bundle, &source, options)
    }

    fn bench(&self, bundle: &Path, source: &Path, options: &[&str]) -> Result<Report> {
        let mut bench = Command::new(&self.studio);
        bench.arg("bench").arg(bundle).arg("--eager").arg(source).args(["--threads", "1,2", "--json"]);
        let text = output(bench.args(options))?;
        Ok(Report(serde_json::from_str(&text).context("reading what `studio bench --json` printed")?))
    }

    fn header(&self, report: &Report, figures: &str) -> Result<()> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let Report(json) = report;
        println!("SmolLM2-135M-Instruct, form {}, on {}", self.form, text(&json["cpu"]));
        println!("llama.cpp {}: {}", text(&json["eager"]["version"]), text(&json["eager"]["system_info"]));
        println!("medians of {}; llama.cpp with or without flash attention, the better\n", json["repeat"]);
        println!("{figures:>74}{:>9}   goal", "ratio");
        Ok(())
    }
}

/// What `studio bench --json` printed.
struct Report(Value);

impl Report {
    /// The runs of an engine with so many threads; there are several of llama.cpp.
    fn runs(&self, engine: &str, threads: u64) -> impl Iterator<Item = &Value> {
        let all = self.0["runs"].as_array().into_iter().flatten();
        all.filter(move |run| run["engine"] == engine && run["threads"] == threads)
    }

    fn run(&self, engine: &str, threads: u64) -> Option<&Value> {
        self.runs(engine, threads).next()
    }

    fn compiled(&self, figure: &str, threads: u64) -> Option<f64> {
        self.run("compiled", threads)?[figure].as_f64()
    }

    /// llama.cpp's better figure.
    fn eager(&self, figure: &str, threads: u64) -> Option<f64> {
        self.runs("eager", threads).filter_map(|run| run[figure].as_f64()).max_by(f64::total_cmp)
    }

    fn bandwidth(&self, threads: u64) -> Option<f64> {
        let mut all = self.0["bandwidth"].as_array()?.iter();
        all.find(|bandwidth| bandwidth["threads"] == threads)?["bytes_per_second"].as_f64()
    }

    fn row(&self, what: &str, figure: &str, threads: u64, aim: Aim) {
        let (ours, theirs) = (self.compiled(figure, threads), self.eager(figure, threads));
        let ratio = ours.zip(theirs).map(|(ours, theirs)| ours / theirs);
        print_row(what, &tps(ours), &tps(theirs), ratio, aim);
    }

    /// Memory and the archive, which threads hardly change.
    fn size_rows(&self, model: &str) {
        for (what, figure, goal) in
            [("peak memory", "peak_rss_bytes", MEMORY), ("archive : tensor bytes", "weight_bytes", ARCHIVE)]
        {
            let ours = self.run("compiled", 1).and_then(|run| run[figure].as_f64());
            let theirs = self.runs("eager", 1).filter_map(|run| run[figure].as_f64()).min_by(f64::total_cmp);
            let megabytes =
                |bytes: Option<f64>| bytes.map(|bytes| format!("{:.1} MB", bytes / 1e6)).unwrap_or_default();
            let ratio = ours.zip(theirs).map(|(ours, theirs)| ours / theirs);
            print_row(
                &format!("{what}, {model}"),
                &megabytes(ours),
                &megabytes(theirs),
                ratio,
                Aim::AtMost(goal),
            );
        }
    }
}

fn tps(figure: Option<f64>) -> String {
    figure.map(|figure| format!("{figure:.1}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_better_run_of_llama_cpp_counts() {
        let run = |engine: &str, threads: u64, decode: f64, memory: u64| {
            json!({
                "engine": engine, "threads": threads, "prefill_tps": null, "peak_rss_bytes": memory,
                "decode_tps": decode
            })
        };
        let report = Report(json!({
            "bandwidth": [{"threads": 1, "bytes_per_second": 40e9}],
            "runs": [
                run("compiled", 1, 300.0, 80), run("eager", 1, 130.0, 100), run("eager", 1, 150.0, 120),
                run("compiled", 2, 400.0, 80), run("eager", 2, 170.0, 100)
            ]
        }));
        assert_eq!(
            (report.compiled("decode_tps", 1), report.eager("decode_tps", 1)),
            (Some(300.0), Some(150.0))
        );
        assert_eq!(
            (report.compiled("decode_tps", 2), report.eager("decode_tps", 2)),
            (Some(400.0), Some(170.0))
        );
        assert_eq!((report.compiled("prefill_tps", 1), report.eager("decode_tps", 4)), (None, None));
        assert_eq!((report.bandwidth(1), report.bandwidth(2)), (Some(40e9), None));
    }
}
