//! Quantised copies of a model, as llama.cpp's users have them.

use std::{path::PathBuf, process::Command};

use anyhow::Context;
use clap::Args;
use serde_json::{Value, json};

/// Names and numbers of `enum llama_ftype`.
const FILE_TYPES: &[(&str, u32)] = &[
    ("Q4_0", 2),
    ("Q4_1", 3),
    ("Q8_0", 7),
    ("Q5_0", 8),
    ("Q5_1", 9),
    ("Q4_K_M", 15),
    ("Q5_K_M", 17),
    ("Q6_K", 18),
];

#[derive(Args)]
pub struct QuantiseArgs {
    /// A model in F16 or F32.
    model: PathBuf,
    out: PathBuf,
    /// Such as Q4_K_M.
    file_type: String,
}

pub fn quantise(args: &QuantiseArgs) -> anyhow::Result<Value> {
    let known = FILE_TYPES.iter().find(|(name, _)| *name == args.file_type);
    let (name, number) = known.with_context(|| {
        let names: Vec<_> = FILE_TYPES.iter().map(|(name, _)| *name).collect();
        format!("no file type {}: there are {}", args.file_type, names.join(", "))
    })?;
    let status = Command::new(env!("QUANTISER"))
        .arg(&args.model)
        .arg(&args.out)
        .arg(number.to_string())
        .status()
        .context("starting the quantiser")?;
    anyhow::ensure!(status.success(), "llama.cpp can't quantise {} to {name}", args.model.display());
    Ok(json!({ "file_type": name }))
}
