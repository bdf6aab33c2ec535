//! Vulkan without a graphics processor: Mesa's lavapipe, which computes on the processor, and Vulkan's loader.

use super::{arm64, debian::Apt};
use crate::{cache, command::say};
use anyhow::{Context, Result};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What programs are to be told to find it.
pub(crate) struct Lavapipe {
    /// Folders of libraries.
    libraries: PathBuf,
    /// The driver's description, which the loader reads.
    driver: PathBuf,
}

/// What every machine that builds this has already, in the same release.
const OF_THE_SYSTEM: [&str; 4] = ["libc6", "libgcc-s1", "libstdc++6", "libcrypt1"];

impl Lavapipe {
    /// Lets a command, and what it starts, find this driver and no other.
    pub(crate) fn offer(&self, command: &mut Command) {
        command.env("LD_LIBRARY_PATH", &self.libraries);
        // The loader's names for the same thing: the old one and the one since 1.3.207.
        command.env("VK_ICD_FILENAMES", &self.driver).env("VK_DRIVER_FILES", &self.driver);
    }
}

/// Finds it, or fetches it.
pub(crate) fn lavapipe() -> Result<Lavapipe> {
    arm64::need_apt("lavapipe comes from Debian's packages")?;
    let home = cache::root()?.join("lavapipe");
    let driver = home.join("lvp_icd.json");
    let libraries = home.join("libraries");
    if !driver.exists() {
        say("fetching lavapipe, Vulkan on the processor (50 MB, once)");
        fs::create_dir_all(&home)?;
        fetch(&home, &libraries, &driver)?;
    }
    Ok(Lavapipe { libraries, driver })
}

fn fetch(home: &Path, libraries: &Path, driver: &Path) -> Result<()> {
    let apt = Apt::of_machine();
    let mut packages = apt.closure("mesa-vulkan-drivers")?;
    packages.extend(apt.closure("libvulkan1")?);
    packages.retain(|name| {
        let is_library =
            name.starts_with("lib") && !name.starts_with("libpython") && !name.starts_with("libperl");
        (is_library || name == "mesa-vulkan-drivers") && !OF_THE_SYSTEM.contains(&name.as_str())
    });
    packages.sort();
    packages.dedup();
    let work = tempfile::tempdir_in(home)?;
    let files = work.path().join("files");
    apt.unpack(&packages, &files)?;
    if libraries.exists() {
        fs::remove_dir_all(libraries)?;
    }
    fs::create_dir_all(libraries)?;
    for folder in ["usr/lib", "lib"] {
        let folder = files.join(folder).join(format!("{}-linux-gnu", std::env::consts::ARCH));
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().context("entries have names")?;
            if name.to_string_lossy().contains(".so") {
                fs::rename(&path, libraries.join(name))?;
            }
        }
    }
    let described = files.join("usr/share/vulkan/icd.d");
    let mut entries = fs::read_dir(&described).with_context(|| described.display().to_string())?;
    let found = entries.find_map(|entry| {
        let path = entry.ok()?.path();
        path.file_name()?.to_string_lossy().starts_with("lvp_icd").then_some(path)
    });
    let text = fs::read_to_string(found.context("mesa-vulkan-drivers has no lavapipe")?)?;
    let mut description: serde_json::Value = serde_json::from_str(&text)?;
    description["ICD"]["library_path"] = libraries.join("libvulkan_lvp.so").display().to_string().into();
    // Last: where it is, all is.
    fs::write(driver, description.to_string())?;
    Ok(())
}
