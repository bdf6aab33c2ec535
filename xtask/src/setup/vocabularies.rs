//! Vocabularies of many model families and chat templates, as llama.cpp keeps them for its own tests: the source
//! package of llama-cpp-python carries them.

use super::wheel::Wheel;
use crate::{
    cache,
    command::{run, say},
};
use anyhow::{Context, Result};
use std::{fs, path::PathBuf, process::Command};

const LLAMA_CPP_PYTHON: Wheel = Wheel {
    package: "llama-cpp-python",
    version: "0.3.36",
    sha256: "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e",
    // The wheels have no vocabularies.
    selection: &["--no-binary", "llama-cpp-python"],
};

/// A folder with `ggml-vocab-NAME.gguf`, for most of them texts (`.gguf.inp`) and llama.cpp's ids of these (`.gguf.out`),
/// and `templates/NAME.jinja`.
pub(crate) fn vocabularies() -> Result<PathBuf> {
    let target = cache::root()?.join("vocabularies");
    if !target.exists() {
        say("fetching vocabularies and chat templates (77 MB)");
        let work = tempfile::tempdir_in(cache::root()?)?;
        let archive = LLAMA_CPP_PYTHON.download(work.path())?;
        let unpacked = work.path().join("models");
        fs::create_dir(&unpacked)?;
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(&archive).arg("-C").arg(&unpacked);
        // From PACKAGE-VERSION/vendor/llama.cpp/models.
        tar.args(["--strip-components=4", "--wildcards", "*/llama.cpp/models/ggml-vocab-*"]);
        tar.arg("*/llama.cpp/models/templates/*.jinja");
        run(&mut tar)?;
        fs::rename(&unpacked, &target).with_context(|| format!("moving {}", unpacked.display()))?;
    }
    Ok(target)
}
