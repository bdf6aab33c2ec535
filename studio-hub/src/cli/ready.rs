//! From what a person names, a bundle's folder or a model, to what an engine runs.

use super::{
    compile, dirs, kind, options,
    outcome::{WrongUsage, note},
    progress::Terminal,
    work::Cancel,
};
use crate::model::{self, Model, ModelFiles};
use anyhow::Context;
use runner_agent::{BundleFiles, Tools};
use std::{
    env,
    path::{Path, PathBuf},
};
use studio_core::manifest::{FileEntry, ModuleEntry};

/// The module that this machine runs.
const TARGET: &str = "host";

/// A bundle and its module for this machine.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) bundle: BundleFiles,
    pub(super) module: PathBuf,
}

/// Whether it is a model, by its name or its first bytes.
pub(super) fn is_model(what: &Path) -> bool {
    kind::ending(what) == "gguf"
}

/// The folder of the bundle; a model's is made in the cache, if it isn't there.
pub(super) fn bundle_folder(what: &Path) -> anyhow::Result<PathBuf> {
    if !is_model(what) {
        if what.is_file() {
            let what = what.display();
            return Err(WrongUsage(format!("{what} is neither a bundle's folder nor a .gguf file")).into());
        }
        return Ok(what.to_owned());
    }
    let model = Model::open(what)?;
    let options = options::for_this_machine(&model.gguf);
    let (key, memory) = model::content_key(&model, &options, &model.files.hash()?.blake3)?;
    if let Some([problem, hint]) = memory.shortage(runner_agent::memory_bytes()) {
        anyhow::bail!("{}: {problem}. {hint}", what.display());
    }
    let dir = dirs::cache()?.join("bundles").join(key);
    if BundleFiles::open(&dir).is_err() {
        let mut progress = Terminal::new();
        model::export(&model.files, &|_| Ok(options.clone()), &dir, &mut progress)?;
    }
    Ok(dir)
}

/// The bundle of a folder with its module for this machine, which is compiled where it is missing and `may_compile`
/// says so.
pub(super) async fn compiled(dir: &Path, may_compile: bool, cancel: &Cancel) -> anyhow::Result<Compiled> {
    let mut bundle = BundleFiles::open(dir)?;
    let for_host = |module: &&ModuleEntry| module.target == TARGET;
    if may_compile && bundle.manifest().modules.iter().find(for_host).is_none() {
        note("compiling for this machine; that is done once");
        let tools = Tools::discover(&dirs::cache()?).await;
        compile::compile(dir, TARGET, &[], &tools, cancel).await?;
        bundle = BundleFiles::open(dir)?;
    }
    let module = bundle.manifest().modules.iter().find(for_host).with_context(|| {
        format!(
            "{dir}: the bundle has no module for this machine. Compile it first: studio compile {dir} --target host",
            dir = dir.display()
        )
    })?;
    let module = bundle.path(&module.file.name)?.to_owned();
    Ok(Compiled { bundle, module })
}

/// The GGUF that a bundle was exported from, where it lies in the bundle's folder, beside it, in the working folder or
/// among the cache's models.
pub(super) fn source_model(dir: &Path, source: &FileEntry) -> anyhow::Result<PathBuf> {
    let dir = std::path::absolute(dir)?;
    let beside = dir.parent().map(Path::to_owned);
    let folders =
        [Some(dir), beside, env::current_dir().ok(), dirs::cache().ok().map(|cache| cache.join("models"))];
    for path in folders.into_iter().flatten().map(|folder| folder.join(&source.name)) {
        if path.is_file() && is_source(&path, source)? {
            return Ok(path);
        }
    }
    anyhow::bail!("{}, which the bundle was exported from, is not to be found. Name it", source.name)
}

/// Whether a model is the one that a bundle was exported from, by its content.
pub(super) fn is_source(model: &Path, source: &FileEntry) -> anyhow::Result<bool> {
    Ok(ModelFiles::open(model)?.hash()?.blake3 == source.blake3)
}
