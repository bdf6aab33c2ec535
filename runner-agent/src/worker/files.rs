//! The files that a job needs: those of its bundle, and a module that this machine can run.

use super::{COMPILE_MEMORY_LIMIT_BYTES, Fetching, Supply, Worker};
use crate::{
    BundleError, BundleFiles, CompileJob, Failure, compile,
    gpu::{self, Check},
    targets,
};
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    time::Duration,
};
use studio_core::manifest::{FileEntry, Manifest, ModuleEntry, file_name};
use studio_protocol::{ErrorCode, HOST, Hash, ModuleInfo, WireError};

/// What the module that a job runs is called in its folder.
const MODULE: &str = "module.vmfb";

/// What the one that it is held against is called.
const REFERENCE: &str = "reference.vmfb";

/// The most bytes that a `manifest.json` may have.
const MAX_MANIFEST_BYTES: u64 = 16 << 20;

/// Brings files.
pub(super) struct Files<'a, S> {
    pub(super) worker: &'a Worker<S>,
    /// What the hub offers, the best first.
    pub(super) modules: &'a [ModuleInfo],
    pub(super) fetching: Fetching<'a>,
    pub(super) time_limit: Duration,
    /// A folder of the job's own.
    pub(super) scratch: &'a Path,
}

impl<S: Supply> Files<'_, S> {
    /// Brings an artifact here. It gets its name in the job's folder, by which engines tell what kind of file it is.
    pub(super) async fn fetch(&self, name: &str, hash: &Hash) -> Result<PathBuf, Failure> {
        let path = self.worker.supply.artifact(hash, name, self.fetching).await?;
        let named = self.scratch.join(name);
        match std::os::unix::fs::symlink(&path, &named) {
            Ok(()) => Ok(named),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(named),
            Err(error) => {
                let error = WireError::new(ErrorCode::Io, error.to_string());
                Err(error.at(named.display().to_string()).into())
            }
        }
    }

    /// A bundle of which these files are here.
    pub(super) async fn bundle(&self, bundle: &Hash, names: &[&str]) -> Result<BundleFiles, Failure> {
        let manifest = self.manifest(bundle).await?;
        let files = self.named(bundle, &manifest, names).await?;
        Ok(BundleFiles::new(manifest, files).map_err(WireError::from)?)
    }

    /// A bundle and a module that this machine can run: one for its processor, or for the target asked for. What a graphics
    /// processor computes is checked first.
    pub(super) async fn compiled(
        &self,
        bundle: &Hash,
        target: Option<&str>,
    ) -> Result<(BundleFiles, PathBuf), Failure> {
        let mut manifest = self.manifest(bundle).await?;
        let tokenizer = manifest.tokenizer.file.clone();
        let mut files = self.named(bundle, &manifest, &[file_name::IRPA, &tokenizer]).await?;
        let for_gpu = target.is_some_and(targets::is_vulkan);
        let is_it = |info: &&ModuleInfo| !for_gpu || target == Some(&info.target);
        let (path, entry) = match self.modules.iter().find(is_it) {
            Some(info) => (self.fetch(MODULE, &info.artifact.blake3).await?, entry(info)),
            None => self.compile(bundle, target.unwrap_or(HOST), MODULE).await?,
        };
        files.insert(entry.file.name.clone(), path.clone());
        let for_gpu = targets::is_vulkan(&entry.target);
        manifest.modules = vec![entry];
        let reference = if for_gpu { self.reference(bundle).await? } else { None };
        let reference = reference.map(|(path, entry)| {
            files.insert(entry.file.name.clone(), path.clone());
            manifest.modules.push(entry);
            path
        });
        let bundle = BundleFiles::new(manifest, files).map_err(WireError::from)?;
        let folder = gpu::folder_beside(&self.worker.supply.module_cache());
        let check =
            Check { bundle: &bundle, module: &path, reference: reference.as_deref(), folder: &folder };
        gpu::check(&check, &self.worker.engine, self.fetching.events, self.fetching.cancel).await?;
        Ok((bundle, path))
    }

    /// A module for this machine's processor, to hold a graphics processor against: one that the hub offers, or one that
    /// is compiled here; none where neither can be.
    async fn reference(&self, bundle: &Hash) -> Result<Option<(PathBuf, ModuleEntry)>, Failure> {
        if let Some(info) = self.modules.iter().find(|info| !targets::is_vulkan(&info.target)) {
            return Ok(Some((self.fetch(REFERENCE, &info.artifact.blake3).await?, entry(info))));
        }
        if self.worker.tools.compiler().is_err() {
            return Ok(None);
        }
        self.compile(bundle, HOST, REFERENCE).await.map(Some)
    }

    async fn manifest(&self, bundle: &Hash) -> Result<Manifest, Failure> {
        let path = self.fetch(file_name::MANIFEST, bundle).await?;
        let failed = |error: std::io::Error| {
            WireError::new(ErrorCode::Io, error.to_string()).at(path.display().to_string())
        };
        if tokio::fs::metadata(&path).await.map_err(failed)?.len() > MAX_MANIFEST_BYTES {
            let what = format!("artifact {bundle} is too long for a bundle's manifest");
            return Err(WireError::new(ErrorCode::Corrupt, what).into());
        }
        let text = tokio::fs::read(&path).await.map_err(failed)?;
        Ok(serde_json::from_slice(&text).map_err(|error| {
            WireError::new(ErrorCode::Corrupt, format!("artifact {bundle} is no bundle's manifest: {error}"))
        })?)
    }

    async fn named(
        &self,
        bundle: &Hash,
        manifest: &Manifest,
        names: &[&str],
    ) -> Result<BTreeMap<String, PathBuf>, Failure> {
        let mut files = BTreeMap::from([(
            file_name::MANIFEST.to_owned(),
            self.fetch(file_name::MANIFEST, bundle).await?,
        )]);
        for name in names {
            let entry = manifest.files.iter().find(|entry| entry.name == *name);
            let entry = entry.ok_or_else(|| WireError::from(BundleError::Missing((*name).to_owned())))?;
            let hash: Hash = entry.blake3.parse().map_err(|error: studio_protocol::HashError| {
                WireError::new(ErrorCode::Corrupt, format!("the manifest's hash of {name}: {error}"))
            })?;
            files.insert((*name).to_owned(), self.fetch(name, &hash).await?);
        }
        Ok(files)
    }

    /// Compiles, or finds what was compiled before. The module stays here.
    async fn compile(
        &self,
        bundle: &Hash,
        target: &str,
        name: &str,
    ) -> Result<(PathBuf, ModuleEntry), Failure> {
        let tools = &self.worker.tools;
        if let Err(error) = tools.compiler() {
            return Err(WireError::from(error)
                .hint(
                    "This runner has no compiler. Compile the bundle for it on one that has: \
                     studio compile DIR --target arm64 --runner local",
                )
                .into());
        }
        let files = self.bundle(bundle, &[file_name::MLIR]).await?;
        let job = CompileJob {
            mlir: files.path(file_name::MLIR).map_err(WireError::from)?.to_owned(),
            form: files.manifest().options.form,
            target: target.to_owned(),
            flags: Vec::new(),
            output: self.scratch.join(name),
            cache: Some(self.worker.supply.module_cache()),
            time_limit: self.time_limit,
            memory_limit_bytes: COMPILE_MEMORY_LIMIT_BYTES,
        };
        let made = compile(&job, tools, self.fetching.events, self.fetching.cancel).await?;
        let entry = ModuleEntry {
            target: target.to_owned(),
            file: file(target, made.size_bytes, &made.blake3),
            compiler: made.compiler,
            flags: made.flags,
            cpu_features: made.cpu_features,
        };
        Ok((made.path, entry))
    }
}

fn entry(info: &ModuleInfo) -> ModuleEntry {
    ModuleEntry {
        target: info.target.clone(),
        file: file(&info.target, info.artifact.size_bytes, &info.artifact.blake3),
        compiler: info.compiler.clone(),
        flags: info.flags.clone(),
        cpu_features: info.cpu_features.clone(),
    }
}

fn file(target: &str, size_bytes: u64, blake3: &Hash) -> FileEntry {
    FileEntry { name: targets::file_name(target), size_bytes, blake3: blake3.to_string() }
}
