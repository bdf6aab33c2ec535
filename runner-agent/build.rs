//! With the feature `eager`: asks the llama.cpp that was just built what it is, for figures to carry.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "eager")]
    {
        llama::link_statically();
        llama::describe()?;
    }
    Ok(())
}

/// The Rust bindings have no safe way to ask. What llama.cpp answers is settled when it is compiled, so that a
/// program linked with the same libraries can ask now.
#[cfg(feature = "eager")]
mod llama {
    use std::{env, error::Error, fs, path::Path, process::Command};

    const SOURCE: &str = r#"
#include <stdio.h>
#include "llama.h"
int main(void) {
    puts(llama_version());
    puts(llama_print_system_info());
    return 0;
}
"#;

    /// In a static program C++'s library comes behind those that it needs: once more, behind all.
    pub(super) fn link_statically() {
        let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
        if features.split(',').any(|feature| feature == "crt-static") {
            println!("cargo:rustc-link-arg-bins=-Wl,-Bstatic,--start-group,-lc,-lgcc,-lgcc_eh,--end-group");
        }
    }

    /// Sets `LLAMA_VERSION` and `LLAMA_SYSTEM_INFO` for the crate; neither where another machine is built for and cargo
    /// knows nothing that runs programs for it.
    pub(super) fn describe() -> Result<(), Box<dyn Error>> {
        let target = env::var("TARGET")?;
        let runner = format!("CARGO_TARGET_{}_RUNNER", target.replace('-', "_").to_uppercase());
        println!("cargo:rerun-if-env-changed={runner}");
        let runner = env::var_os(runner);
        let is_foreign = env::var("HOST")? != target;
        if is_foreign && runner.is_none() {
            return Ok(());
        }
        // OUT_DIR/lib/cmake of llama-cpp-sys-2's build script.
        let cmake = env::var("DEP_LLAMA_GGML_CMAKE_DIR")?;
        let lib = Path::new(&cmake).parent().ok_or("llama.cpp was installed nowhere")?;
        let include = lib.with_file_name("include");
        let out = env::var("OUT_DIR")?;
        let (source, program) = (Path::new(&out).join("describe.c"), Path::new(&out).join("describe"));
        fs::write(&source, SOURCE)?;
        let mut link = cc::Build::new().try_get_compiler()?.to_command();
        link.arg(&source).arg("-I").arg(include).arg("-L").arg(lib).arg("-o").arg(&program);
        // As llama-cpp-sys-2 links them.
        link.args(["-lllama", "-lggml", "-lggml-cpu", "-lggml-base", "-lstdc++", "-lm", "-fopenmp"]);
        if is_foreign {
            // What runs it has none of that machine's libraries.
            link.arg("-static");
        }
        if !link.status()?.success() {
            return Err(format!("{link:?} failed").into());
        }
        let mut run = match runner.filter(|_| is_foreign) {
            Some(runner) => {
                let mut command = Command::new(runner);
                command.arg(&program);
                command
            }
            None => Command::new(&program),
        };
        let answer = run.output()?;
        let text = String::from_utf8(answer.stdout)?;
        let [version, info] = text.lines().collect::<Vec<_>>()[..] else {
            return Err(format!("llama.cpp describes itself as {text:?}").into());
        };
        println!("cargo:rustc-env=LLAMA_VERSION={version}");
        println!("cargo:rustc-env=LLAMA_SYSTEM_INFO={}", info.trim());
        Ok(())
    }
}
