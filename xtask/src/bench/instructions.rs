//! `bench instructions`: what a token costs on 64-bit ARM, in instructions of an emulated processor, beside llama.cpp.
//!
//! Time in an emulator says nothing, and there is no such processor here. Instructions are no time, either, but the same
//! on every machine.

use crate::{
    agent, cache,
    command::run,
    setup::{self, arm64::Set},
};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Tokens that prefill takes, and that decode makes after them.
const PROMPT: u32 = 64;
const TOKENS: u32 = 8;

/// Prints instructions of both engines and their ratio.
pub(super) fn measure() -> Result<()> {
    setup::run(&["test".to_owned()])?;
    let studio = crate::test::studio_without_page()?;
    let work = tempfile::tempdir_in(cache::root()?)?;
    let plugin = work.path().join("count.so");
    let source = work.path().join("count.c");
    fs::write(&source, include_str!("count.c"))?;
    run(Command::new("cc").args(["-O2", "-shared", "-fPIC", "-o"]).arg(&plugin).arg(&source))?;

    println!("Instructions on 64-bit ARM, one thread, SmolLM2-135M-Instruct");
    println!(
        "{:<16}{:>22}{:>18}{:>22}{:>18}",
        "", "a token of decode", "of llama.cpp's", "a token of prefill", "of llama.cpp's"
    );
    for set in [Set::Dotprod, Set::I8mm] {
        let counter =
            Counter { agent: agent::arm64_with_llama(set)?, qemu: setup::arm64::qemu_with_plugins()? };
        for (format, model) in [("Q4_1", setup::smollm2()?), ("Q8_0", setup::variant("Q8_0")?)] {
            let name = format!("{format} {}", set.name());
            let bundle = work.path().join(&name);
            let mut export = Command::new(&studio);
            export.arg("export").arg(&model).arg("--out").arg(&bundle);
            export.args(["--form", "cpu", "--kernels", set.name(), "--context", "256", "--graphs", "kv"]);
            run(export.stderr(Stdio::null()))?;
            let mut compile = Command::new(&studio);
            run(compile
                .arg("compile")
                .arg(&bundle)
                .args(["--target", "arm64"])
                .stdout(Stdio::null())
                .stderr(Stdio::null()))?;
            let ours = counter.count(&plugin, &compiled(&bundle)?)?;
            // The better of the two, as everywhere.
            let both = [true, false].map(|fused| counter.count(&plugin, &eager(&model, fused)));
            let [fused, plain] = both;
            let theirs = fused?.better(&plain?);
            let ratio = |ours: u64, theirs: u64| ours as f64 / theirs as f64;
            println!(
                "{name:<16}{:>20.1} M {:>16.2} × {:>19.1} M {:>16.2} ×",
                ours.decode as f64 / 1e6,
                ratio(ours.decode, theirs.decode),
                ours.prefill as f64 / 1e6,
                ratio(ours.prefill, theirs.prefill)
            );
        }
    }
    Ok(())
}

/// What a bundle's child is told to open.
fn compiled(bundle: &Path) -> Result<Value> {
    let text = fs::read(bundle.join("manifest.json")).context("the bundle's manifest")?;
    let manifest: Value = serde_json::from_slice(&text)?;
    let mut files = serde_json::Map::new();
    for entry in fs::read_dir(bundle)? {
        let path = entry?.path();
        let name = path.file_name().context("a file has a name")?.to_string_lossy().into_owned();
        files.insert(name, json!(path));
    }
    let module = bundle.join("arm64.vmfb");
    Ok(json!({"engine": "compiled", "bundle": {"manifest": manifest, "files": files}, "module": module}))
}

/// What llama.cpp's child is told to open, with its fused attention or without.
fn eager(model: &Path, fused: bool) -> Value {
    let settings = json!({"context": 256, "flash_attention": fused, "exact_cache": false});
    json!({"engine": "eager", "model": model, "settings": settings})
}

/// Instructions for a token.
struct Count {
    prefill: u64,
    decode: u64,
}

impl Count {
    fn better(&self, other: &Self) -> Self {
        Self { prefill: self.prefill.min(other.prefill), decode: self.decode.min(other.decode) }
    }
}

struct Counter {
    agent: PathBuf,
    qemu: setup::arm64::Emulator,
}

impl Counter {
    /// Opens a model in the agent's child, has it take tokens and make some, and counts between its answers.
    fn count(&self, plugin: &Path, source: &Value) -> Result<Count> {
        let counts = plugin.with_extension("counts");
        let mut command = self.qemu.command();
        command.arg("-plugin").arg(format!("{},out={}", plugin.display(), counts.display()));
        command.arg(&self.agent).arg("engine");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut questions = child.stdin.take().context("a pipe")?;
        let mut answers = BufReader::new(child.stdout.take().context("a pipe")?);
        let mut ask = |question: &Value, wanted: &str| -> Result<()> {
            writeln!(questions, "{question}")?;
            let mut line = String::new();
            answers.read_line(&mut line)?;
            let answer: Value =
                serde_json::from_str(&line).with_context(|| format!("the child said {line:?}"))?;
            if answer["answer"] != wanted {
                bail!("the child said {line}");
            }
            Ok(())
        };
        let tokens: Vec<u32> = (0..PROMPT).map(|at| 100 + 37 * at).collect();
        ask(&json!({"work": "answer", "source": source, "threads": 1}), "ready")?;
        // What is done once is done the first time.
        for _ in 0..2 {
            ask(&json!({"ask": "fill", "tokens": tokens}), "filled")?;
            ask(&json!({"ask": "decode", "count": TOKENS}), "decoded")?;
        }
        drop(questions);
        child.wait()?;
        let text = fs::read_to_string(&counts)?;
        let counts: Vec<u64> = text.lines().map(str::parse).collect::<Result<_, _>>()?;
        let [_, _, decoded, filled, last] = counts[..] else {
            bail!("{} counts, where 5 answers were given", counts.len())
        };
        Ok(Count {
            prefill: (filled - decoded) / u64::from(PROMPT),
            decode: (last - filled) / u64::from(TOKENS),
        })
    }
}
