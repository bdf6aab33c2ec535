//! How long an export takes, against a plain copy of what it writes.
//!
//!     cargo run --release -p studio-core --example export_speed -- MODEL.gguf [bf16|f16|f32] [FOLDER]
//!
//! Both write to FOLDER (a temporary folder otherwise), on one thread. The export reads the GGUF, converts, hashes what
//! it writes with BLAKE3. Five rounds, interleaved; the ratio is of the medians.

#![expect(clippy::print_stdout, reason = "printing is what this program is for")]

use gguf_file::{FileSource, Gguf, ReadAt};
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use studio_core::export::Export;
use studio_core::options::{ExportOptions, Weights};

const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let model = arguments.next().ok_or("usage: export_speed MODEL.gguf [bf16|f16|f32] [FOLDER]")?;
    let weights = match arguments.next().as_deref() {
        None | Some("bf16") => Weights::Bf16,
        Some("f16") => Weights::F16,
        Some("f32") => Weights::F32,
        Some(other) => return Err(format!("{other} is not a type of weights").into()),
    };
    let temporary = tempfile::tempdir()?;
    let folder = arguments.next().unwrap_or_else(|| temporary.path().display().to_string());
    let folder = Path::new(&folder);
    let options = ExportOptions { weights, ..ExportOptions::default() };
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let (planned, bytes) = export(Path::new(&model), &options, folder)?;
        let exported = start.elapsed();
        let start = Instant::now();
        fs::copy(folder.join("model.irpa"), folder.join("copy.irpa"))?;
        let copied = start.elapsed();
        let [planned, exported_ms, copied_ms] = [planned, exported, copied].map(|time| time.as_millis());
        println!(
            "planned in {planned} ms, exported {bytes} bytes in {exported_ms} ms, copied in {copied_ms} ms"
        );
        times.push((exported, copied));
        for name in ["model.irpa", "copy.irpa"] {
            fs::remove_file(folder.join(name))?;
        }
    }
    let median = |of: fn(&(Duration, Duration)) -> Duration| {
        let mut all: Vec<Duration> = times.iter().map(of).collect();
        all.sort();
        all[ROUNDS / 2]
    };
    let (exported, copied) = (median(|times| times.0), median(|times| times.1));
    let ratio = exported.as_secs_f64() / copied.as_secs_f64();
    println!("export {} ms, copy {} ms, ratio {ratio:.2}", exported.as_millis(), copied.as_millis());
    Ok(())
}

/// Exports the archive; gives the time until the first byte could be made, and the archive's length.
fn export(model: &Path, options: &ExportOptions, folder: &Path) -> Result<(Duration, u64), Box<dyn Error>> {
    let start = Instant::now();
    let source = FileSource::open(model)?;
    let sources: [&dyn ReadAt; 1] = [&source];
    let export = Export::new(&Gguf::open(&source)?, &sources, options)?;
    let planned = start.elapsed();
    let index = export.files().iter().position(|file| file.name == "model.irpa").ok_or("no archive")?;
    let mut file = File::create(folder.join("model.irpa"))?;
    let mut stream = export.stream(index);
    let mut hasher = blake3::Hasher::new();
    let mut bytes = 0;
    while let Some(piece) = stream.next(&sources)? {
        hasher.update(piece);
        file.write_all(piece)?;
        bytes += piece.len() as u64;
    }
    Ok((planned, bytes))
}
