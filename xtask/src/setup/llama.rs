//! llama.cpp, built for this processor: as the tests' reference, and as the eager engine inside `studio`.

use super::{arm64, python::test_python};
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
    // The packaged libclang has no headers of its own; the C compiler's serve.
    let headers = output(Command::new("cc").arg("-print-file-name=include"))?;
    with_tools(&mut build, &python, &[headers.trim()])?;
    build.env(INCLUDE, amx_tile_config(&target)?);
    run(&mut build)?;
    Ok(built)
}

/// Has a build for 64-bit ARM find what llama.cpp is built with, and llama.cpp use what kernels of a set use.
pub(crate) fn llama_for(build: &mut Command, tools: &arm64::Toolchain, set: arm64::Set) -> Result<()> {
    let said = Command::new(&tools.cc).args(["-E", "-v", "-x", "c", "/dev/null"]).output()?;
    let said = String::from_utf8_lossy(&said.stderr);
    // What is in /usr/include itself is this machine's.
    let listed = said.lines().map(str::trim).skip_while(|line| !line.starts_with("#include <"));
    let headers: Vec<&str> = listed
        .skip(1)
        .take_while(|line| line.starts_with('/'))
        .filter(|line| *line != "/usr/include")
        .collect();
    with_tools(build, &test_python()?, &headers)?;
    let (file, features) = match set {
        arm64::Set::Dotprod => ("arm64.cmake", ""),
        arm64::Set::I8mm => ("arm64-i8mm.cmake", "+i8mm"),
    };
    let include = home()?.join(file);
    // Its build script asks for ARMv8.0; a plain variable of that name goes before.
    fs::write(&include, format!("set(GGML_CPU_ARM_ARCH \"armv8.2-a+dotprod+fp16{features}\")\n"))?;
    // By it our own build script runs the program that says what llama.cpp uses.
    let runner = format!("CARGO_TARGET_{}_RUNNER", arm64::TARGET.replace('-', "_").to_uppercase());
    build.env(INCLUDE, include).env(runner, arm64::qemu()?);
    Ok(())
}

/// What CMake includes first: llama.cpp's build script hands variables with this beginning to it.
const INCLUDE: &str = "CMAKE_PROJECT_INCLUDE";

/// CMake, and libclang with the folders of a C compiler's headers.
fn with_tools(build: &mut Command, python: &Path, headers: &[&str]) -> Result<()> {
    if on_path("cmake").is_none() {
        build.env("CMAKE", python.with_file_name("cmake"));
    }
    build.env("LIBCLANG_PATH", libclang(python)?);
    let headers: Vec<String> = headers.iter().map(|folder| format!("-I{folder}")).collect();
    build.env("BINDGEN_EXTRA_CLANG_ARGS", headers.join(" "));
    Ok(())
}

fn home() -> Result<PathBuf> {
    let folder = cache::root()?.join("llama");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

/// What CMake includes for a header without which llama.cpp's AMX kernels, compiled by GCC, end in an illegal instruction.
/// Both lie in the cache folder, so that the path is the same from every checkout: with another one llama.cpp would be
/// built anew.
///
/// The build script configures CMake once and no more: what was built with another header is cleared away.
fn amx_tile_config(target: &Path) -> Result<PathBuf> {
    const HEADER: &str = include_str!("amx_tile_config.h");
    let folder = home()?;
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
