//! A whole emulated computer of 64-bit ARM whose kernel has pages of 16 KiB, as phones with Android 15 may: qemu and
//! Debian's kernel of that kind.

use super::{arm64, debian::Apt, standin};
use crate::{cache, command::say};
use anyhow::{Context, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What is started, and with what.
pub(crate) struct Machine {
    pub(crate) qemu: PathBuf,
    pub(crate) kernel: PathBuf,
}

/// The release that has such kernels.
const RELEASE: &str = "trixie";

/// Finds both, or fetches them.
pub(crate) fn machine_with_16k_pages() -> Result<Machine> {
    arm64::need_apt("the test of pages of 16 KiB is for Debian")?;
    let home = cache::root()?.join("android");
    fs::create_dir_all(&home)?;
    let qemu = standin::program(&home, "qemu-system-arm", "qemu-system-aarch64", "usr/bin")?;
    Ok(Machine { qemu, kernel: kernel(&home)? })
}

fn kernel(home: &Path) -> Result<PathBuf> {
    let kernel = home.join("kernel-16k");
    if kernel.exists() {
        return Ok(kernel);
    }
    say("fetching Debian's kernel for 64-bit ARM with pages of 16 KiB (100 MB, once)");
    let apt = Apt::of_release(&home.join("apt"), RELEASE, &[standin::host_architecture()?.trim(), "arm64"])?;
    let image = apt.dependency("linux-image-arm64-16k:arm64", "linux-image-")?;
    let work = tempfile::tempdir_in(home)?;
    let files = work.path().join("files");
    apt.unpack(&[image], &files)?;
    let boot = files.join("boot");
    let mut entries = fs::read_dir(&boot).with_context(|| boot.display().to_string())?;
    let found = entries.find_map(|entry| {
        let path = entry.ok()?.path();
        path.file_name()?.to_string_lossy().starts_with("vmlinuz-").then_some(path)
    });
    // On the same file system: whole or not at all.
    fs::rename(found.context("the kernel's package has no kernel in boot")?, &kernel)?;
    Ok(kernel)
}
