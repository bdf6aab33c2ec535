//! The models in other types than those they are published in, made by others' programs: what tests and benchmarks
//! compare on.

use super::{gemma3, llama::llama, python::test_python, smollm2};
use crate::command::{output, run, say, workspace_root};
use anyhow::Result;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What llama.cpp's quantiser makes of [`variant`]`("F32")`. With the widths of this model it falls back to Q5_0, Q5_1
/// and Q8_0 for most matrices of the K types, as it does for whoever quantises it.
const QUANTISED: &[&str] = &["Q8_0", "Q4_0", "Q4_K_M", "Q5_0", "Q5_1", "Q5_K_M", "Q6_K"];

/// Where the model in this type is: `F32`, `Q8_0`.
pub(crate) fn variant(name: &str) -> Result<PathBuf> {
    Ok(smollm2()?.with_file_name(format!("SmolLM2-135M-Instruct.{name}.gguf")))
}

/// Makes those with their matrices as F16 and as F32, written by the `gguf` Python package.
pub(crate) fn float_models() -> Result<()> {
    let source = smollm2()?;
    for float in ["F16", "F32"] {
        make(&variant(float)?, |partial| make_float(&source, partial, float))?;
    }
    Ok(())
}

/// Makes Gemma 3 with its matrices as F32: 1.1 GB.
pub(crate) fn gemma3_f32() -> Result<()> {
    let source = gemma3()?;
    make(&source.with_extension("F32.gguf"), |partial| make_float(&source, partial, "F32"))
}

/// Has the `gguf` Python package write a model in another type.
fn make_float(source: &Path, partial: &Path, float: &str) -> Result<()> {
    let script = workspace_root().join("e2e/make_float.py");
    run(Command::new(test_python()?).arg(script).arg(source).arg(partial).arg(float))
}

/// Makes the quantised ones.
pub(crate) fn quantised_models() -> Result<()> {
    float_models()?;
    let source = variant("F32")?;
    for name in QUANTISED {
        make(&variant(name)?, |partial| {
            let mut quantise = Command::new(llama()?.reference);
            output(quantise.arg("quantise").arg(&source).arg(partial).arg(name)).map(drop)
        })?;
    }
    Ok(())
}

/// Makes a model that isn't there yet. It appears whole or not at all.
fn make(target: &Path, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    if target.exists() {
        return Ok(());
    }
    say(&format!("writing {}", target.display()));
    let partial = target.with_extension("partial");
    write(&partial)?;
    Ok(fs::rename(&partial, target)?)
}
