//! From what a person names, a bundle's folder or a model, to what an engine runs.

use super::{
    compile, dirs, engine,
    events::{Logged, follow},
    kind, options,
    outcome::{WrongUsage, note},
    progress::Terminal,
    work::Cancel,
};
use crate::model::{self, Model, ModelFiles};
use anyhow::Context;
use clap::Args;
use runner_agent::{
    BundleFiles, Tools,
    gpu::{self, Check},
    targets,
};
use std::{
    env,
    path::{Path, PathBuf},
};
use studio_core::manifest::{FileEntry, ModuleEntry};
use studio_protocol::HOST;

/// The module that a command takes.
#[derive(Debug, Clone, Args)]
pub(super) struct TargetArgs {
    /// The machine part whose module is taken: the processor, or a graphics processor [default: host].
    #[arg(long, value_name = "TARGET", value_parser = compile::target_names())]
    pub(super) target: Option<String>,
}

impl TargetArgs {
    /// The processor of this machine where nobody chose.
    pub(super) fn name(&self) -> &str {
        self.target.as_deref().unwrap_or(HOST)
    }
}

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
pub(super) fn bundle_folder(what: &Path, target: &str) -> anyhow::Result<PathBuf> {
    if !is_model(what) {
        if what.is_file() {
            let what = what.display();
            return Err(WrongUsage(format!("{what} is neither a bundle's folder nor a .gguf file")).into());
        }
        return Ok(what.to_owned());
    }
    let model = Model::open(what)?;
    let options = options::for_target(&model.gguf, target);
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

/// The bundle of a folder with its module for a target, which is compiled where it is missing and `may_compile` says so.
/// What a graphics processor computes is checked against this machine's processor first.
pub(super) async fn compiled(
    dir: &Path,
    target: &str,
    may_compile: bool,
    cancel: &Cancel,
) -> anyhow::Result<Compiled> {
    let (bundle, module) = module(dir, target, may_compile, cancel).await?;
    if !targets::is_vulkan(target) {
        return Ok(Compiled { bundle, module });
    }
    let (bundle, reference) = self::module(dir, HOST, true, cancel).await?;
    let (engine, folder) = (engine::command()?, gpu::folder_beside(&dirs::module_cache()?));
    let what = Check { bundle: &bundle, module: &module, reference: Some(&reference), folder: &folder };
    follow(&mut Logged, async |events| gpu::check(&what, &engine, events, cancel).await).await?;
    Ok(Compiled { bundle, module })
}

async fn module(
    dir: &Path,
    target: &str,
    may_compile: bool,
    cancel: &Cancel,
) -> anyhow::Result<(BundleFiles, PathBuf)> {
    let mut bundle = BundleFiles::open(dir)?;
    let is_it = |module: &&ModuleEntry| module.target == target;
    if may_compile && bundle.manifest().modules.iter().find(is_it).is_none() {
        note(format_args!("compiling for {}; that is done once", words(target)));
        let tools = Tools::discover(&dirs::cache()?).await;
        compile::compile(dir, target, &[], &tools, cancel).await?;
        bundle = BundleFiles::open(dir)?;
    }
    let module = bundle.manifest().modules.iter().find(is_it).with_context(|| {
        format!(
            "{dir}: the bundle has no module for {}. Compile it first: studio compile {dir} --target {target}",
            words(target),
            dir = dir.display()
        )
    })?;
    let module = bundle.path(&module.file.name)?.to_owned();
    Ok((bundle, module))
}

fn words(target: &str) -> &str {
    if target == HOST { "this machine" } else { target }
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
