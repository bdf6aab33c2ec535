//! llama.cpp as the tests' reference: the program in `e2e/llama-reference`, built for this processor.

use super::{python::test_python, smollm2};
use crate::{
    cache,
    command::{cargo, on_path, output, run, say, workspace_root},
};
use anyhow::{Context, Result};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Builds it, about four minutes the first time, into the cache folder.
pub(crate) fn llama_reference() -> Result<PathBuf> {
    let python = test_python()?;
    let target = cache::root()?.join("llama-reference");
    let program = target.join("release/llama-reference");
    if !program.exists() {
        say("building llama.cpp, the tests' reference (about four minutes, once)");
    }
    let mut build = cargo();
    build.args(["build", "--quiet", "--release", "--locked", "--manifest-path"]);
    build.arg(workspace_root().join("e2e/llama-reference/Cargo.toml")).arg("--target-dir").arg(&target);
    // Without the processor's own features llama.cpp would be no reference for speed.
    build.env("RUSTFLAGS", "-C target-cpu=native");
    if on_path("cmake").is_none() {
        build.env("CMAKE", python.with_file_name("cmake"));
    }
    build.env("LIBCLANG_PATH", libclang(&python)?);
    // The packaged libclang has no headers of its own; the C compiler's serve.
    let headers = output(Command::new("cc").arg("-print-file-name=include"))?;
    build.env("BINDGEN_EXTRA_CLANG_ARGS", format!("-I{}", headers.trim()));
    run(&mut build)?;
    Ok(program)
}

/// The folder of the `libclang` package's library.
fn libclang(python: &Path) -> Result<String> {
    let script = "import clang, os; print(os.path.join(os.path.dirname(clang.__file__), 'native'))";
    let folder =
        output(Command::new(python).args(["-c", script])).context("looking for the package libclang")?;
    Ok(folder.trim().to_owned())
}

/// SmolLM2 with its matrices as F16 and as F32, written by the `gguf` Python package: what llama.cpp runs when an
/// export is compared with it.
pub(crate) fn float_models() -> Result<()> {
    let source = smollm2()?;
    for float in ["F16", "F32"] {
        let target = source.with_file_name(format!("SmolLM2-135M-Instruct.{float}.gguf"));
        if target.exists() {
            continue;
        }
        say(&format!("writing the {float} reference model"));
        let partial = target.with_extension("partial");
        run(Command::new(test_python()?)
            .arg(workspace_root().join("e2e/make_float.py"))
            .arg(&source)
            .arg(&partial)
            .arg(float))?;
        fs::rename(&partial, &target)?;
    }
    Ok(())
}
