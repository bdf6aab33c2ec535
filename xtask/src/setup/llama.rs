//! llama.cpp, built for this processor: as the tests' reference, and as the eager engine inside `studio`.

use super::python::test_python;
use crate::{
    cache,
    command::{cargo, on_path, output, run, say},
};
use anyhow::{Context, Result};
use std::{
    fs,
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
    // llama.cpp's build script hands variables with this beginning to CMake.
    build.env("CMAKE_PROJECT_INCLUDE", amx_tile_config(&target)?);
    run(&mut build)?;
    Ok(built)
}

/// What CMake includes for a header without which llama.cpp's AMX kernels, compiled by GCC, end in an illegal instruction.
/// Both lie in the cache folder, so that the path is the same from every checkout: with another one llama.cpp would be
/// built anew.
///
/// The build script configures CMake once and no more: what was built with another header is cleared away.
fn amx_tile_config(target: &Path) -> Result<PathBuf> {
    const HEADER: &str = include_str!("amx_tile_config.h");
    let folder = cache::root()?.join("llama");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let (header, include) = (folder.join("amx_tile_config.h"), folder.join("include.cmake"));
    let option = format!(
        "add_compile_options(\"$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include \\\"{}\\\">\")\n",
        header.display()
    );
    for (path, text) in [(&header, HEADER), (&include, &option)] {
        if fs::read_to_string(path).ok().as_deref() != Some(text) {
            let mut clean = cargo();
            clean.args(["clean", "--quiet", "--release", "--package", "llama-cpp-sys-2", "--target-dir"]);
            run(clean.arg(target))?;
            fs::write(path, text).with_context(|| path.display().to_string())?;
        }
    }
    Ok(include)
}

/// The folder of the `libclang` package's library.
fn libclang(python: &Path) -> Result<String> {
    let script = "import clang, os; print(os.path.join(os.path.dirname(clang.__file__), 'native'))";
    let folder =
        output(Command::new(python).args(["-c", script])).context("looking for the package libclang")?;
    Ok(folder.trim().to_owned())
}
