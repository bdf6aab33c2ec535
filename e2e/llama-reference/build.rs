//! Builds `quantise.c` against the llama.cpp that was just built.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=quantise.c");
    #[cfg(feature = "llama")]
    quantiser()?;
    Ok(())
}

#[cfg(feature = "llama")]
fn quantiser() -> Result<(), Box<dyn std::error::Error>> {
    use std::{env, path::Path};
    // OUT_DIR/lib/cmake of llama-cpp-sys-2's build script.
    let cmake = env::var("DEP_LLAMA_GGML_CMAKE_DIR")?;
    let lib = Path::new(&cmake).parent().ok_or("llama.cpp was installed nowhere")?;
    let program = Path::new(&env::var("OUT_DIR")?).join("quantise");
    let mut link = cc::Build::new().try_get_compiler()?.to_command();
    link.arg("quantise.c").arg("-I").arg(lib.with_file_name("include")).arg("-L").arg(lib);
    // As llama-cpp-sys-2 links them.
    link.args(["-lllama", "-lggml", "-lggml-cpu", "-lggml-base", "-lstdc++", "-lm", "-fopenmp"]);
    if !link.arg("-o").arg(&program).status()?.success() {
        return Err(format!("{link:?} failed").into());
    }
    println!("cargo:rustc-env=QUANTISER={}", program.display());
    Ok(())
}
