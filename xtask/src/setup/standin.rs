//! What stands in for an Android device in tests: the device side of adb and an arm64 userland, from Debian's packages.
//! Nothing of Android itself can be had from where this project fetches things; `e2e/android/standin.py` starts it.

use super::{arm64, debian::Apt};
use crate::{
    cache,
    command::{on_path, output, say},
};
use anyhow::{Result, bail};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

/// The release whose packages have the device side of adb.
const RELEASE: &str = "trixie";

/// The programs and folders that tests of devices need.
pub(crate) struct Standin {
    /// The client of adb.
    pub(crate) adb: PathBuf,
    /// The folder with what a device is made of.
    pub(crate) parts: PathBuf,
    /// What runs its programs.
    pub(crate) qemu: PathBuf,
}

/// Finds it all, or fetches it.
pub(crate) fn standin() -> Result<Standin> {
    if on_path("apt-get").is_none() || on_path("dpkg-deb").is_none() {
        bail!("the stand-in for an Android device is made of Debian's packages, and there is no apt here");
    }
    let home = cache::root()?.join("android");
    fs::create_dir_all(&home)?;
    let adb = match on_path("adb") {
        Some(found) => found,
        None => program(&home, "adb", "adb", "usr/lib/android-sdk/platform-tools")?,
    };
    Ok(Standin { adb, parts: parts(&home)?, qemu: arm64::qemu()? })
}

/// A program of a package of the machine's own release, with those of its libraries that the machine lacks; `place` is
/// the program's folder in the package.
pub(super) fn program(home: &Path, package: &str, name: &str, place: &str) -> Result<PathBuf> {
    let folder = home.join(package);
    let program = folder.join(name);
    if program.exists() {
        return Ok(program);
    }
    say(&format!("fetching {name} from Debian's package {package} (once)"));
    let apt = Apt::of_machine();
    if apt.candidate(package)?.is_none() {
        apt.update()?;
    }
    let mut missing = apt.closure(package)?;
    missing.retain(|package| {
        let asked = output(Command::new("dpkg-query").args(["-W", "-f", "${db:Status-Status}", package]));
        !asked.is_ok_and(|status| status.trim() == "installed")
    });
    fresh(&folder)?;
    let files = folder.join("files");
    apt.unpack(&missing, &files)?;
    let multiarch = multiarch()?;
    let [libraries, older] = ["usr/lib", "lib"].map(|folder| files.join(folder).join(&multiarch));
    let text = format!(
        "#!/bin/sh\nLD_LIBRARY_PATH=\"{0}/android:{0}:{2}\" exec \"{1}/{place}/{name}\" \"$@\"\n",
        libraries.display(),
        files.display(),
        older.display()
    );
    // Last: it tells that all is there.
    let new = folder.join("program.new");
    fs::write(&new, text)?;
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755))?;
    fs::rename(new, &program)?;
    Ok(program)
}

/// `host/`, adbd with all its libraries and their loader, and `root/`, a device's file system without what differs from
/// one device to another.
fn parts(home: &Path) -> Result<PathBuf> {
    let parts = home.join("standin");
    if parts.join(".complete").exists() {
        return Ok(parts);
    }
    say("fetching the stand-in for an Android device from Debian's packages (15 MB, once)");
    fresh(&parts)?;
    let apt = Apt::of_release(&home.join("apt"), RELEASE, &[host_architecture()?.trim(), "arm64"])?;
    let work = tempfile::tempdir_in(home)?;
    let (host, device) = (work.path().join("host"), work.path().join("device"));
    apt.unpack(&apt.closure("adbd")?, &host)?;
    let userland = ["mksh:arm64", "toybox:arm64", "libc6:arm64", "libcrypt1:arm64"];
    apt.unpack(&userland.map(str::to_owned), &device)?;

    let multiarch = multiarch()?;
    let to = parts.join("host");
    fs::create_dir_all(&to)?;
    for folder in
        [host.join("usr/lib").join(&multiarch), host.join("usr/lib").join(&multiarch).join("android")]
    {
        copy_libraries(&folder, &to)?;
    }
    fs::copy(host.join("usr/lib/android-sdk/platform-tools/adbd"), to.join("adbd"))?;

    let root = parts.join("root");
    for folder in ["system/bin", "lib/aarch64-linux-gnu", "bin", "etc"] {
        fs::create_dir_all(root.join(folder))?;
    }
    fs::copy(device.join("usr/bin/mksh-static"), root.join("system/bin/sh"))?;
    fs::copy(device.join("usr/bin/toybox"), root.join("system/bin/toybox"))?;
    copy_libraries(&device.join("usr/lib/aarch64-linux-gnu"), &root.join("lib/aarch64-linux-gnu"))?;
    symlink("aarch64-linux-gnu/ld-linux-aarch64.so.1", root.join("lib/ld-linux-aarch64.so.1"))?;
    symlink("/system/bin/sh", root.join("bin/sh"))?;
    let listed =
        output(Command::new(arm64::qemu()?).arg("-L").arg(&root).arg(root.join("system/bin/toybox")))?;
    for name in listed.split_whitespace().filter(|name| *name != "[") {
        symlink("toybox", root.join("system/bin").join(name))?;
    }
    fs::write(parts.join(".complete"), "")?;
    Ok(parts)
}

pub(super) fn host_architecture() -> Result<String> {
    output(Command::new("dpkg").arg("--print-architecture"))
}

/// The libraries of a folder, without those below it; links become files.
fn copy_libraries(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() && name.contains(".so") {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

fn multiarch() -> Result<String> {
    let name = output(Command::new("dpkg-architecture").arg("-qDEB_HOST_MULTIARCH"));
    Ok(name.map_or_else(
        |_missing| format!("{}-linux-gnu", std::env::consts::ARCH),
        |name| name.trim().to_owned(),
    ))
}

fn fresh(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}
