//! Bundles: a manifest among the artifacts, the files it names, and the modules compiled from it.

use super::Store;
use runner_agent::BundleFiles;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, io, path::PathBuf};
use studio_core::manifest::{Manifest, ModuleEntry, file_name};
use studio_protocol::{ErrorCode, Hash, WireError};

/// The most bytes that a `manifest.json` may have.
const MAX_MANIFEST_BYTES: u64 = 16 << 20;

/// Why a bundle cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BundleError {
    /// No artifact of the bundle's hash.
    #[error("the hub has no bundle {0}")]
    NoBundle(Hash),
    /// The bundle's own artifact is no manifest.
    #[error("artifact {bundle} is not a bundle's manifest: {source}")]
    NotAManifest {
        /// Its hash.
        bundle: Hash,
        /// Where and why.
        source: serde_json::Error,
    },
    /// A hash in the manifest that is none.
    #[error("the manifest's hash of {file}: {source}")]
    BadHash {
        /// The file.
        file: String,
        /// Why.
        source: studio_protocol::HashError,
    },
    /// A file that was never uploaded.
    #[error("the hub does not have the bundle's {file} (artifact {blake3})")]
    NoFile {
        /// Its name.
        file: String,
        /// Its hash.
        blake3: Hash,
    },
    /// A module that was not compiled from this bundle.
    #[error("no module {0} was compiled from this bundle")]
    NoModule(Hash),
    /// The manifest contradicts itself or its files.
    #[error(transparent)]
    Files(#[from] runner_agent::BundleError),
    /// The disk.
    #[error("the hub could not read its data folder: {0}")]
    Io(#[from] io::Error),
}

impl From<BundleError> for WireError {
    fn from(error: BundleError) -> Self {
        let code = match &error {
            BundleError::NoBundle(_) | BundleError::NoFile { .. } => {
                return Self::new(ErrorCode::NotFound, error.to_string()).hint("Export the model again");
            }
            BundleError::NoModule(_) => {
                return Self::new(ErrorCode::NotFound, error.to_string()).hint("Compile it first");
            }
            BundleError::NotAManifest { .. } | BundleError::BadHash { .. } => ErrorCode::Corrupt,
            BundleError::Files(_) => match error {
                BundleError::Files(files) => return files.into(),
                _ => ErrorCode::Corrupt,
            },
            BundleError::Io(_) => ErrorCode::Io,
        };
        Self::new(code, error.to_string())
    }
}

/// A bundle whose files are all here.
#[derive(Debug)]
pub(crate) struct Bundle {
    /// As it was uploaded.
    pub(crate) manifest: Manifest,
    /// The paths of the files that it names.
    pub(crate) paths: BTreeMap<String, PathBuf>,
}

impl Bundle {
    /// For the runner.
    pub(crate) fn files(&self) -> Result<BundleFiles, BundleError> {
        Ok(BundleFiles::new(self.manifest.clone(), self.paths.clone())?)
    }
}

/// A module compiled from a bundle, and who compiled it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct KnownModule {
    /// What manifests say of it.
    #[serde(flatten)]
    pub(crate) entry: ModuleEntry,
    /// The runner that compiled it; the hub's own where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    runner: Option<String>,
}

impl KnownModule {
    /// Whether it is for more than the one machine that compiled it, or for this one.
    fn is_for_anybody(&self) -> bool {
        self.entry.target != "host"
            || self.runner.as_deref().is_none_or(|runner| runner == crate::jobs::LOCAL)
    }
}

impl Store {
    /// The bundle whose manifest has this hash.
    pub(crate) fn bundle(&self, bundle: &Hash) -> Result<Bundle, BundleError> {
        if self.artifact(bundle)?.is_none() {
            return Err(BundleError::NoBundle(*bundle));
        }
        let text = self.read_artifact(bundle, MAX_MANIFEST_BYTES)?;
        let manifest: Manifest = serde_json::from_slice(&text)
            .map_err(|source| BundleError::NotAManifest { bundle: *bundle, source })?;
        let mut paths = BTreeMap::from([(file_name::MANIFEST.to_owned(), self.artifact_path(bundle))]);
        for entry in &manifest.files {
            let file = entry.name.clone();
            let blake3: Hash =
                entry.blake3.parse().map_err(|source| BundleError::BadHash { file: file.clone(), source })?;
            if self.artifact(&blake3)?.is_none() {
                return Err(BundleError::NoFile { file, blake3 });
            }
            paths.insert(file, self.artifact_path(&blake3));
        }
        let bundle = Bundle { manifest, paths };
        bundle.files()?;
        Ok(bundle)
    }

    /// The modules that this machine or any like it can run, oldest first: not those that another runner compiled for
    /// itself.
    pub(crate) fn modules(&self, bundle: &Hash) -> io::Result<Vec<ModuleEntry>> {
        let known = self.known_modules(bundle)?.into_iter();
        Ok(known.filter(KnownModule::is_for_anybody).map(|known| known.entry).collect())
    }

    /// The modules compiled from a bundle, oldest first. A damaged record, as a machine that lost its power may
    /// leave one, counts as none: its modules can be compiled again.
    pub(crate) fn known_modules(&self, bundle: &Hash) -> io::Result<Vec<KnownModule>> {
        let path = self.modules_path(bundle);
        match fs::read(&path) {
            Ok(text) => Ok(serde_json::from_slice(&text).unwrap_or_else(|error| {
                tracing::warn!("{}: {error}; the bundle's modules have to be compiled again", path.display());
                Vec::new()
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Remembers a module compiled from a bundle; an equal one is replaced.
    pub(crate) fn add_module(&self, bundle: &Hash, entry: ModuleEntry, runner: &str) -> io::Result<()> {
        let mut modules = self.known_modules(bundle)?;
        modules.retain(|known| {
            known.entry.file.blake3 != entry.file.blake3 || known.entry.target != entry.target
        });
        modules.push(KnownModule { entry, runner: Some(runner.to_owned()) });
        self.write_whole(&self.modules_path(bundle), &serde_json::to_vec_pretty(&modules)?)
    }

    /// The folder for files that are not whole yet.
    pub(crate) fn temporary_folder(&self) -> PathBuf {
        self.root().join("tmp")
    }

    /// Makes a file of `DATA/tmp` the artifact of this hash.
    pub(crate) fn adopt(&self, temporary: &std::path::Path, hash: &Hash) -> io::Result<()> {
        fs::rename(temporary, self.artifact_path(hash))
    }

    /// Makes a bundle that was exported into a folder of `DATA/tmp` artifacts, and gives its name.
    pub(crate) fn adopt_bundle(&self, folder: &std::path::Path) -> Result<Hash, BundleError> {
        let path = folder.join(file_name::MANIFEST);
        let text = fs::read(&path)?;
        let bundle = Hash::from_bytes(*blake3::hash(&text).as_bytes());
        let manifest: Manifest =
            serde_json::from_slice(&text).map_err(|source| BundleError::NotAManifest { bundle, source })?;
        for entry in &manifest.files {
            let file = entry.name.clone();
            let blake3: Hash =
                entry.blake3.parse().map_err(|source| BundleError::BadHash { file: file.clone(), source })?;
            match self.artifact(&blake3)? {
                Some(_) => self.touch(&blake3),
                None => self.adopt(&folder.join(&file), &blake3)?,
            }
        }
        match self.artifact(&bundle)? {
            Some(_) => self.touch(&bundle),
            None => self.adopt(&path, &bundle)?,
        }
        Ok(bundle)
    }

    fn modules_path(&self, bundle: &Hash) -> PathBuf {
        self.root().join("bundles").join(format!("{bundle}.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use studio_core::manifest::FileEntry;

    #[test]
    fn a_damaged_record_of_modules_counts_as_none_and_is_made_good() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let bundle = Hash::from_bytes([7; 32]);
        fs::write(store.modules_path(&bundle), "\0\0\0").unwrap();
        assert!(store.modules(&bundle).unwrap().is_empty());
        let file = FileEntry { name: "host.vmfb".to_owned(), size_bytes: 1, blake3: bundle.to_string() };
        let entry = ModuleEntry {
            target: "host".to_owned(),
            file,
            compiler: "3.13.0".to_owned(),
            flags: Vec::new(),
            cpu_features: Vec::new(),
        };
        store.add_module(&bundle, entry, "local").unwrap();
        assert_eq!(store.modules(&bundle).unwrap().len(), 1);
    }
}
