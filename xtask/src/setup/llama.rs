//! llama.cpp, built for this processor: as the tests' reference, and as the eager engine inside `studio`.

use super::python::test_python;
use crate::{
    cache,
    command::{cargo, on_path, output, run, say},
};
use anyhow::{Context, Result};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The programs that have llama.cpp in them.
pub(crate) struct Llama {
    /// `e2e/llama-reference`.
    pub(crate) reference: PathBuf,
    /// `studio` with the eager engine.
    pub(crate) studio: PathBuf,
}

/// Builds them in a target folder of their own in the cache folder, where the processor's own features are on for all
/// crates. llama.cpp takes about four minutes, once: they share it, for which they must be built together.
pub(crate) fn llama() -> Result<Llama> {
    let python = test_python()?;
    let target = cache::root()?.join("eager");
    let program = |name: &str| target.join("release").join(name);
    let built = Llama { reference: program("llama-reference"), studio: program("studio") };
    if !built.studio.exists() {
        say("building llama.cpp and what uses it (some minutes, once)");
    }
    let mut build = cargo();
    build.args(["build", "--quiet", "--release", "--locked", "--target-dir"]).arg(&target);
    build.args(["--package", "llama-reference", "--features", "llama-reference/llama"]);
    build.args(["--package", "studio-hub", "--features", "studio-hub/eager"]);
    // Without them llama.cpp would be no reference for speed.
    build.env("RUSTFLAGS", "-C target-cpu=native");
    if on_path("cmake").is_none() {
        build.env("CMAKE", python.with_file_name("cmake"));
    }
    build.env("LIBCLANG_PATH", libclang(&python)?);
    // The packaged libclang has no headers of its own; the C compiler's serve.
    let headers = output(Command::new("cc").arg("-print-file-name=include"))?;
    build.env("BINDGEN_EXTRA_CLANG_ARGS", format!("-I{}", headers.trim()));
    run(&mut build)?;
    Ok(built)
}

/// The folder of the `libclang` package's library.
fn libclang(python: &Path) -> Result<String> {
    let script = "import clang, os; print(os.path.join(os.path.dirname(clang.__file__), 'native'))";
    let folder =
        output(Command::new(python).args(["-c", script])).context("looking for the package libclang")?;
    Ok(folder.trim().to_owned())
}
