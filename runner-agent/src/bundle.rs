//! The files of an exported bundle: a folder, or paths that somebody else keeps by content.

use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io,
    path::{Path, PathBuf},
};
use studio_core::manifest::{
    CONTRACT_VERSION, FileEntry, MANIFEST_VERSION, Manifest, ModuleEntry, file_name,
};
use studio_protocol::{ErrorCode, WireError};

/// The most bytes that a `manifest.json` may have.
const MAX_MANIFEST_BYTES: u64 = 16 << 20;

/// A bundle whose files are where they should be and as long as the manifest says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BundleFiles {
    manifest: Manifest,
    files: BTreeMap<String, PathBuf>,
}

/// Why files are not a bundle.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A file could not be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder without a manifest.
    #[error(
        "{dir}: not a bundle's folder, it has no manifest.json. `studio export MODEL.gguf --out {dir}` makes one",
        dir = .0.display()
    )]
    NotABundle(PathBuf),
    /// A file, where a folder is wanted.
    #[error("{}: a file, where a bundle's folder is wanted", .0.display())]
    NotAFolder(PathBuf),
    /// The manifest is longer than any manifest is.
    #[error("{path}: a manifest has at most {MAX_MANIFEST_BYTES} bytes, this one has {bytes}")]
    ManifestTooLong {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// The manifest is not one.
    #[error("{path}: not a bundle's manifest: {source}")]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// The manifest is of another version.
    #[error(
        "manifest.json: manifest version {manifest}, contract version {contract}; this program reads \
         {MANIFEST_VERSION} and {CONTRACT_VERSION}"
    )]
    Version {
        /// Its manifest version.
        manifest: u32,
        /// Its contract version.
        contract: u32,
    },
    /// A name in the manifest that is no plain file name.
    #[error("manifest.json: \"{0}\" is not a plain file name")]
    BadName(String),
    /// A name that the manifest gives to two files.
    #[error("manifest.json: two files are called \"{0}\"")]
    Twice(String),
    /// The manifest does not name a file, or its path was not given.
    #[error("the bundle has no {0}")]
    Missing(String),
    /// A file is shorter or longer than the manifest says.
    #[error("{path}: {actual} bytes, the manifest says {expected}")]
    Size {
        /// The file.
        path: PathBuf,
        /// What the manifest says.
        expected: u64,
        /// What it has.
        actual: u64,
    },
    /// A file's bytes are not those that the manifest names.
    #[error("{path}: BLAKE3 {actual}, the manifest says {expected}")]
    Hash {
        /// The file.
        path: PathBuf,
        /// What the manifest says.
        expected: String,
        /// What it has.
        actual: String,
    },
}

impl BundleError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Io { path, source }
    }
}

impl From<BundleError> for WireError {
    fn from(error: BundleError) -> Self {
        let code = match &error {
            // It says itself what to do.
            BundleError::NotABundle(_) | BundleError::NotAFolder(_) => {
                return Self::new(ErrorCode::NotFound, error.to_string());
            }
            BundleError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => ErrorCode::NotFound,
            BundleError::Io { .. } => ErrorCode::Io,
            BundleError::Missing(_) => ErrorCode::NotFound,
            BundleError::Version { .. } => ErrorCode::Version,
            BundleError::ManifestTooLong { .. }
            | BundleError::Manifest { .. }
            | BundleError::BadName(_)
            | BundleError::Twice(_)
            | BundleError::Size { .. }
            | BundleError::Hash { .. } => ErrorCode::Corrupt,
        };
        Self::new(code, error.to_string()).hint("Export the bundle again")
    }
}

impl BundleFiles {
    /// The bundle in a folder: reads its `manifest.json` and checks that every exported file it names is there
    /// with the length it says. Bytes are not hashed; [`verify`](Self::verify) does that. Modules, which can be
    /// compiled again, are left out of the manifest where they are gone or have another length.
    pub fn open(dir: &Path) -> Result<Self, BundleError> {
        let mut manifest = read_manifest(dir)?;
        manifest.modules.retain(|module| {
            let file = &module.file;
            let whole =
                || std::fs::metadata(dir.join(&file.name)).is_ok_and(|meta| meta.len() == file.size_bytes);
            whole()
        });
        let files = named(&manifest).map(|entry| (entry.name.clone(), dir.join(&entry.name))).collect();
        Self::new(manifest, files)
    }

    /// The bundle whose files lie at these paths, by the names that the manifest gives them. Files of the
    /// manifest may be absent from `files`: asking for one of them fails later, by its name.
    pub fn new(manifest: Manifest, files: BTreeMap<String, PathBuf>) -> Result<Self, BundleError> {
        check(&manifest)?;
        for entry in named(&manifest) {
            let Some(path) = files.get(&entry.name) else { continue };
            let actual = std::fs::metadata(path).map_err(BundleError::io(path))?.len();
            if actual != entry.size_bytes {
                let (path, expected) = (path.clone(), entry.size_bytes);
                return Err(BundleError::Size { path, expected, actual });
            }
        }
        Ok(Self { manifest, files })
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Where a file of the manifest lies, by its name in the bundle.
    pub fn path(&self, name: &str) -> Result<&Path, BundleError> {
        self.files.get(name).map(PathBuf::as_path).ok_or_else(|| BundleError::Missing(name.to_owned()))
    }

    /// The target that a module of the manifest was compiled for.
    pub fn target(&self, module: &Path) -> Option<&str> {
        let is_it = |entry: &&ModuleEntry| self.path(&entry.file.name).is_ok_and(|path| path == module);
        self.manifest.modules.iter().find(is_it).map(|entry| entry.target.as_str())
    }

    /// The same bundle with absolute paths.
    pub(crate) fn absolute(&self) -> Result<Self, BundleError> {
        let absolute = |(name, path): (&String, &PathBuf)| {
            Ok((name.clone(), std::path::absolute(path).map_err(BundleError::io(path))?))
        };
        let files = self.files.iter().map(absolute).collect::<Result<_, _>>()?;
        Ok(Self { manifest: self.manifest.clone(), files })
    }

    /// Hashes every file and compares with the manifest. Blocks for as long as reading them takes.
    pub fn verify(&self) -> Result<(), BundleError> {
        for entry in named(&self.manifest) {
            let Some(path) = self.files.get(&entry.name) else { continue };
            let mut hasher = blake3::Hasher::new();
            let file = File::open(path).map_err(BundleError::io(path))?;
            hasher.update_reader(file).map_err(BundleError::io(path))?;
            let actual = hasher.finalize().to_hex().to_string();
            if actual != entry.blake3 {
                return Err(BundleError::Hash { path: path.clone(), expected: entry.blake3.clone(), actual });
            }
        }
        Ok(())
    }
}

/// Reads the manifest in a bundle's folder and checks its version and its names. Of the files that it names nothing is
/// known then.
pub fn read_manifest(dir: &Path) -> Result<Manifest, BundleError> {
    let path = dir.join(file_name::MANIFEST);
    let bytes = match std::fs::metadata(&path) {
        Ok(meta) if meta.is_file() => meta.len(),
        Ok(_) => return Err(BundleError::NotABundle(dir.to_owned())),
        Err(error) => {
            use io::ErrorKind::{NotADirectory, NotFound};
            return Err(match error.kind() {
                NotFound | NotADirectory if dir.is_file() => BundleError::NotAFolder(dir.to_owned()),
                NotFound | NotADirectory => BundleError::NotABundle(dir.to_owned()),
                _ => BundleError::io(&path)(error),
            });
        }
    };
    if bytes > MAX_MANIFEST_BYTES {
        return Err(BundleError::ManifestTooLong { path, bytes });
    }
    let text = std::fs::read(&path).map_err(BundleError::io(&path))?;
    let manifest: Manifest =
        serde_json::from_slice(&text).map_err(|source| BundleError::Manifest { path, source })?;
    check(&manifest)?;
    Ok(manifest)
}

/// Refuses manifests of another version, and those that name a file twice or in another folder.
fn check(manifest: &Manifest) -> Result<(), BundleError> {
    if manifest.manifest_version != MANIFEST_VERSION || manifest.contract_version != CONTRACT_VERSION {
        return Err(BundleError::Version {
            manifest: manifest.manifest_version,
            contract: manifest.contract_version,
        });
    }
    let mut names = BTreeSet::from([file_name::MANIFEST]);
    for entry in named(manifest) {
        if !is_plain_name(&entry.name) {
            return Err(BundleError::BadName(entry.name.clone()));
        }
        if !names.insert(&entry.name) {
            return Err(BundleError::Twice(entry.name.clone()));
        }
    }
    Ok(())
}

/// Every file that a manifest names: exported ones and modules.
fn named(manifest: &Manifest) -> impl Iterator<Item = &FileEntry> {
    manifest.files.iter().chain(manifest.modules.iter().map(|module| &module.file))
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0'])
}
