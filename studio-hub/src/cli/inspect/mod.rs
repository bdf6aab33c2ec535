//! `studio inspect`: what a file of the field holds.

mod archive;
mod bundle;
mod gguf;
mod mlir;
mod module;
mod partial;
mod tensor;

use super::kind;
use super::outcome::{WrongUsage, print, print_text};
use anyhow::Context;
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;

/// Shows what a .gguf, .irpa, .safetensors, .vmfb or .mlir file holds, or a bundle's folder.
#[derive(Debug, Args)]
pub(super) struct Inspect {
    /// The file, whose ending tells its kind, or the folder of a bundle. A GGUF may have any other ending.
    file: PathBuf,
    /// What the numbers of one tensor of a .gguf are like: extremes, mean, a histogram, the scales of its blocks.
    #[arg(long, value_name = "NAME")]
    tensor: Option<String>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// A file's content, for people and for programs.
struct Report {
    text: String,
    json: Value,
    /// Why the file isn't what its name says, which is the command's outcome.
    problem: Option<anyhow::Error>,
}

impl Report {
    fn of(text: String, json: Value) -> Self {
        Self { text, json, problem: None }
    }
}

impl Inspect {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let ending = kind::ending(&self.file);
        let inspect = match ending.as_str() {
            _ if self.file.is_dir() => bundle::inspect,
            "gguf" => gguf::inspect,
            "irpa" | "safetensors" => archive::inspect,
            "vmfb" => module::inspect,
            "mlir" => mlir::inspect,
            _ => {
                let file = self.file.display();
                let endings = "a file's name must end in .gguf, .irpa, .safetensors, .vmfb or .mlir; or name a bundle's folder";
                return Err(WrongUsage(format!("{file}: {endings}")).into());
            }
        };
        let report = match &self.tensor {
            None => inspect(&self.file),
            Some(name) if ending == "gguf" => tensor::inspect(&self.file, name),
            Some(_) => return Err(WrongUsage("--tensor is for .gguf files".to_owned()).into()),
        };
        let report = report.with_context(|| self.file.display().to_string())?;
        match self.json {
            true => print(format_args!("{}\n", serde_json::to_string_pretty(&report.json)?))?,
            false => print_text(report.text)?,
        }
        report.problem.map_or(Ok(()), Err)
    }
}
