//! SmolLM2 in other types than the one it is published in, made by others' programs: what tests and benchmarks
//! compare on.

use super::{llama::llama, python::test_python, smollm2};
use crate::command::{output, run, say, workspace_root};
use anyhow::Result;
use std::{fs, path::PathBuf, process::Command};

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
        make(float, |partial| {
            run(Command::new(test_python()?)
                .arg(workspace_root().join("e2e/make_float.py"))
                .arg(&source)
                .arg(partial)
                .arg(float))
        })?;
    }
    Ok(())
}

/// Makes the quantised ones.
pub(crate) fn quantised_models() -> Result<()> {
    float_models()?;
    let source = variant("F32")?;
    for name in QUANTISED {
        make(name, |partial| {
            let mut quantise = Command::new(llama()?.reference);
            output(quantise.arg("quantise").arg(&source).arg(partial).arg(name)).map(drop)
        })?;
    }
    Ok(())
}

/// Makes a variant that isn't there yet. It appears whole or not at all.
fn make(name: &str, write: impl FnOnce(&PathBuf) -> Result<()>) -> Result<()> {
    let target = variant(name)?;
    if target.exists() {
        return Ok(());
    }
    say(&format!("writing the model as {name}"));
    let partial = target.with_extension("partial");
    write(&partial)?;
    Ok(fs::rename(&partial, &target)?)
}
