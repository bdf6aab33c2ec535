//! `bench export`: the exporter against a plain copy, the page's export against the native one.

use crate::{
    cache,
    command::{output, run, say, workspace_root},
    setup, test,
};
use anyhow::{Context, Result, bail};
use std::{fs, path::Path, process::Command, time::Instant};

const ROUNDS: usize = 5;

/// Export of SmolLM2 to bf16: natively against a plain copy of its output, in the browser against natively;
/// how soon the page shows a dropped model, and how large the page is.
pub(super) fn measure() -> Result<()> {
    setup::run(&["test".to_owned()])?;
    let studio = test::studio()?;
    let model = setup::smollm2()?;
    let work = tempfile::tempdir_in(cache::root()?)?;
    let out = work.path().join("bundle");
    let irpa = out.join("model.irpa");
    let mut export = Command::new(&studio);
    export.arg("export").arg(&model).arg("--out").arg(&out);
    export.args(["--form", "stablehlo", "--weights", "bf16"]);
    export.stderr(std::process::Stdio::null());
    run(&mut export)?;

    let (mut copies, mut exports) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        // Both write files that are new: replacing one makes the file system write it out at once.
        fs::remove_dir_all(&out)?;
        exports.push(timed(|| run(&mut export))?);
        copies.push(timed(|| copy_files(&out, &work.path().join("copy")))?);
        fs::remove_dir_all(work.path().join("copy"))?;
    }
    let (copy, native) = (median(&mut copies), median(&mut exports));
    say("measuring in the browser");
    let browser = in_browser(&studio)?;
    let megabytes = fs::metadata(&irpa)?.len() as f64 / 1e6;
    println!("SmolLM2-135M-Instruct Q4_1 to bf16, archive of {megabytes:.0} MB, medians of {ROUNDS}");
    println!("  plain copy of the bundle        {copy:7.3} s");
    println!(
        "  native export                   {native:7.3} s   {:.2} x the copy (goal: at most 3)",
        native / copy
    );
    let page = browser.export_s;
    println!(
        "  export in the browser           {page:7.3} s   {:.2} x native (goal: at most 3)",
        page / native
    );
    println!(
        "  wasm memory                     {:7.1} MiB (goal: below 256)",
        browser.wasm_bytes / f64::from(1 << 20)
    );
    println!("  card after the drop             {:7.0} ms  (goal: within 300)", browser.card_ms);
    println!("  the same, as the page appears   {:7.0} ms", browser.early_card_ms);
    println!("  the page, brotli                {:7.3} MB  (goal: below 1.5)", page_bytes()? as f64 / 1e6);
    Ok(())
}

struct Browser {
    export_s: f64,
    wasm_bytes: f64,
    card_ms: f64,
    /// Of a page whose worker is still being started.
    early_card_ms: f64,
}

fn in_browser(studio: &Path) -> Result<Browser> {
    let text = output(
        Command::new("node")
            .arg("bench.mjs")
            .arg(ROUNDS.to_string())
            .current_dir(workspace_root().join("e2e/browser"))
            .env("STUDIO_BIN", studio)
            .env("STUDIO_CACHE", cache::root()?)
            .env("CHROMIUM", setup::chromium()?),
    )?;
    let words: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [export_s, wasm_bytes, card_ms, early_card_ms] = words[..] else {
        bail!("bench.mjs printed {text:?}")
    };
    Ok(Browser { export_s, wasm_bytes, card_ms, early_card_ms })
}

/// What a browser fetches of the page: the compressed variant of a file where there is one.
fn page_bytes() -> Result<u64> {
    let folder = workspace_root().join("studio-hub/page");
    let mut bytes = 0;
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().context("a file has a name")?.to_string_lossy().into_owned();
        let compressed = folder.join(format!("{name}.br"));
        if !name.ends_with(".br") && !name.starts_with('.') {
            bytes += fs::metadata(if compressed.exists() { &compressed } else { &path })?.len();
        }
    }
    Ok(bytes)
}

fn copy_files(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
