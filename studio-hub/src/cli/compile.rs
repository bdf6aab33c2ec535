//! `studio compile`: a bundle's graph becomes a module in the same folder.

use super::{
    dirs,
    events::{Logged, follow},
    outcome::{note, print},
    remote::{self, PlaceArgs},
    work::{self, Cancel},
};
use crate::model::{record, write_origins};
use clap::Args;
use runner_agent::{BundleFiles, COMPILE_MEMORY_LIMIT_BYTES, CompileJob, Compiled, Tools, targets};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use studio_core::manifest::{FileEntry, Manifest, ModuleEntry, file_name};
use studio_protocol::{CompileSpec, JobSpec, Outcome, TARGETS, TargetInfo};

/// How long a compilation may take.
const COMPILE_TIME_LIMIT: Duration = Duration::from_secs(30 * 60);

/// Compiles a bundle for a machine with iree-compile; DIR/TARGET.vmfb is what comes out.
#[derive(Debug, Args)]
pub(super) struct Compile {
    /// A bundle's folder.
    dir: PathBuf,
    /// The machine to compile for.
    #[arg(long, value_name = "TARGET", value_parser = target_names())]
    target: String,
    /// A flag for iree-compile, after those of the target; may be given again.
    #[arg(long = "flag", value_name = "F", allow_hyphen_values = true)]
    flags: Vec<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// Print one JSON document; with --runner only.
    #[arg(long)]
    json: bool,
}

pub(super) fn target_names() -> clap::builder::PossibleValuesParser {
    use clap::builder::PossibleValue;
    let target = |target: &TargetInfo| PossibleValue::new(target.name).help(target.about);
    TARGETS.iter().map(target).collect::<Vec<_>>().into()
}

impl Compile {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.place.is_remote() {
            return work::block_on(|cancel| async move { self.run_there(&cancel).await });
        }
        work::block_on(|cancel| async move {
            let tools = Tools::discover(&dirs::cache()?).await;
            let compiled = compile(&self.dir, &self.target, &self.flags, &tools, &cancel).await?;
            if compiled.cached {
                note("found among the modules compiled before");
            } else {
                note(format_args!("compiled in {:.1} s", compiled.compile_ms / 1000.0));
            }
            print(format_args!("{}\n", compiled.path.display()))
        })
    }
}

impl Compile {
    /// Has a hub's runners do it; the hub keeps the module.
    async fn run_there(&self, cancel: &Cancel) -> anyhow::Result<()> {
        let mut remote = self.place.open().await?;
        let sent = remote::send(&mut remote, &self.dir, None, false).await?;
        let (bundle, target, flags) = (sent.bundle, self.target.clone(), self.flags.clone());
        let terms = self.place.terms(&remote);
        let jobs = remote.submit(JobSpec::Compile(CompileSpec { bundle, target, flags }), terms).await?;
        let ended = remote.follow(&jobs, &mut Logged, cancel).await?;
        remote::report(&ended, self.json, |runner, outcome| match outcome {
            Outcome::Compiled { module, .. } => Ok(Some(format!("{runner}: {}\n", module.blake3))),
            _ => Ok(None),
        })
    }
}

/// Compiles the bundle in a folder and names the module in its manifest.
pub(super) async fn compile(
    dir: &Path,
    target: &str,
    flags: &[String],
    tools: &Tools,
    cancel: &Cancel,
) -> anyhow::Result<Compiled> {
    let bundle = BundleFiles::open(dir)?;
    let name = targets::file_name(target);
    let job = CompileJob {
        mlir: bundle.path(file_name::MLIR)?.to_owned(),
        form: bundle.manifest().options.form,
        target: target.to_owned(),
        flags: flags.to_vec(),
        output: dir.join(&name),
        cache: Some(dirs::module_cache()?),
        time_limit: COMPILE_TIME_LIMIT,
        memory_limit_bytes: COMPILE_MEMORY_LIMIT_BYTES,
    };
    let compiled =
        follow(&mut Logged, async |events| runner_agent::compile(&job, tools, events, cancel).await).await?;
    let mut manifest: Manifest = bundle.manifest().clone();
    // What was said of the module that stood there isn't true of another.
    let blake3 = compiled.blake3.to_string();
    manifest.verifications.retain(|entry| entry.module != name || entry.blake3 == blake3);
    manifest.modules.retain(|module| module.file.name != name);
    manifest.modules.push(ModuleEntry {
        target: target.to_owned(),
        file: FileEntry { name, size_bytes: compiled.size_bytes, blake3 },
        compiler: compiled.compiler.clone(),
        flags: compiled.flags.clone(),
        cpu_features: compiled.cpu_features.clone(),
    });
    write_origins(&compiled.path, &compiled.blake3.to_string(), &compiled.origins)?;
    record(dir, &mut manifest)?;
    Ok(compiled)
}
