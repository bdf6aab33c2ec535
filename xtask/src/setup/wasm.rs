//! A toolchain that has the standard library for `wasm32-unknown-unknown`.
//!
//! Ordinarily rustup adds it to the toolchain in use. Where rustup must install nothing
//! (`RUSTUP_AUTO_INSTALL=0`) or `WASM_STD=debian` is set, it comes from Debian's packages of a newer rustc with
//! its sources: they are unpacked into a private folder, never installed, and std is built from them once.

use super::debian::Apt;
use crate::{
    cache,
    command::{cargo, on_path, output, run, say},
};
use anyhow::{Context, Result, bail};
use std::{
    env, fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

const TARGET: &str = "wasm32-unknown-unknown";

/// The oldest rustc that the workspace can be built with, such as `1.95`.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// The `rustc` to build the page with; `None` for the one in use.
pub(crate) fn toolchain() -> Result<Option<PathBuf>> {
    let choice = env::var("WASM_STD").unwrap_or_default();
    let rustup_installs_nothing = env::var("RUSTUP_AUTO_INSTALL").is_ok_and(|value| value == "0");
    if choice != "debian" {
        if has_std(Path::new("rustc"), TARGET) {
            return Ok(None);
        }
        if !rustup_installs_nothing && on_path("rustup").is_some() {
            say(&format!("adding {TARGET} with rustup"));
            run(Command::new("rustup").args(["target", "add", TARGET]))?;
            return Ok(None);
        }
    }
    if on_path("apt-get").is_none() {
        bail!("no standard library for {TARGET}: run `rustup target add {TARGET}`");
    }
    Ok(Some(debian()?.join("bin/rustc")))
}

/// Whether a compiler has the standard library for a target.
pub(super) fn has_std(rustc: &Path, target: &str) -> bool {
    let Ok(sysroot) = output(Command::new(rustc).args(["--print", "sysroot"])) else { return false };
    let libraries = Path::new(sysroot.trim()).join("lib/rustlib").join(target).join("lib");
    fs::read_dir(libraries).is_ok_and(|mut entries| {
        entries
            .any(|entry| entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("libstd-")))
    })
}

/// The folder of the private toolchain from Debian's packages, `debian-VERSION`: found, or made.
pub(super) fn debian() -> Result<PathBuf> {
    let home = cache::root()?.join("wasm");
    fs::create_dir_all(&home)?;
    if let Some(found) = fs::read_dir(&home)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join(".complete").exists())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            is_new_enough(name.trim_start_matches("debian-"))
        })
        .max()
    {
        return Ok(found);
    }
    say("building the standard library for the page from Debian's rustc-web (about two minutes, once)");
    let apt = Apt::of_machine();
    let version = candidate(&apt)?;
    let work = tempfile::tempdir_in(&home)?;
    let toolchain = work.path().join("toolchain");
    unpack(&apt, &version, work.path(), &toolchain)?;
    let target = home.join(folder_name(&version));
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    // The wrappers hold absolute paths, so they are written where they stay.
    fs::rename(&toolchain, &target)?;
    write_wrappers(&target)?;
    build_std(&target, work.path())?;
    fs::write(target.join(".complete"), "")?;
    Ok(target)
}

/// The name of the folder of a package's version.
pub(super) fn folder_name(version: &str) -> String {
    let name = version.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' });
    "debian-".chars().chain(name).collect()
}

/// The version of `rustc-web` that apt would install.
fn candidate(apt: &Apt) -> Result<String> {
    // A machine's lists may be older than the compiler that is needed.
    if let Some(version) = apt.candidate("rustc-web")?.filter(|version| is_new_enough(version)) {
        return Ok(version);
    }
    apt.update()?;
    apt.candidate("rustc-web")?.filter(|version| is_new_enough(version)).with_context(|| {
        format!(
            "Debian's packages here have no rustc-web {OLDEST} or newer: run `rustup target add {TARGET}`"
        )
    })
}

/// Whether a version such as `1.96.0+dfsg1-1` is the workspace's oldest or newer.
fn is_new_enough(version: &str) -> bool {
    let numbers = |text: &str| -> Vec<u32> {
        text.split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse().ok()).take(2).collect()
    };
    numbers(version) >= numbers(OLDEST)
}

/// Puts compiler, linker, LLVM and std's sources together as a toolchain's folders.
fn unpack(apt: &Apt, version: &str, work: &Path, toolchain: &Path) -> Result<()> {
    let std_runtime = apt.dependency(&format!("libstd-rust-web-dev={version}"), "libstd-rust-web-")?;
    let llvm = apt.dependency(&format!("{std_runtime}={version}"), "libllvm")?;
    let llvm_version: String = llvm.chars().filter(char::is_ascii_digit).collect();
    let at = |package: &str| format!("{package}={version}");
    let packages = [
        at("rustc-web"),
        at("libstd-rust-web-dev"),
        at(&std_runtime),
        at("rust-web-src"),
        llvm,
        format!("lld-{llvm_version}"),
    ];
    let files = work.join("files");
    apt.unpack(&packages, &files)?;
    let host = only_child(&files.join("usr/lib/rustlib"), |name| name.ends_with("-linux-gnu"))?;
    let libraries = only_child(&files.join("usr/lib"), |name| name.ends_with("-linux-gnu"))?;
    let sources = only_child(&files.join("usr/src"), |name| name.starts_with("rustc-"))?;
    let rustlib = toolchain.join("lib/rustlib");
    for folder in ["bin", "libexec", "lib/rustlib/src/rust"] {
        fs::create_dir_all(toolchain.join(folder))?;
    }
    for program in ["rustc", "rustdoc"] {
        fs::rename(files.join("usr/bin").join(program), toolchain.join("libexec").join(program))?;
    }
    for entry in fs::read_dir(&libraries)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("librustc_driver-") || (name.starts_with("libLLVM") && name.contains(".so")) {
            fs::rename(entry.path(), toolchain.join("lib").join(name))?;
        }
    }
    let host_name = host.file_name().context("a folder has a name")?.to_owned();
    fs::rename(&host, rustlib.join(&host_name))?;
    fs::rename(sources.join("library"), rustlib.join("src/rust/library"))?;
    fs::rename(files.join(format!("usr/lib/llvm-{llvm_version}/bin/lld")), toolchain.join("bin/lld"))?;
    fs::create_dir_all(rustlib.join(&host_name).join("bin"))?;
    symlink("../../../../bin/lld", rustlib.join(&host_name).join("bin/rust-lld"))?;
    Ok(())
}

pub(super) fn only_child(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<PathBuf> {
    fs::read_dir(folder)
        .with_context(|| format!("looking into {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.file_name().is_some_and(|name| wanted(&name.to_string_lossy())))
        .with_context(|| format!("{} has not the expected layout", folder.display()))
}

/// Debian's rustc finds its libraries only where it is installed; these wrappers point it to them.
fn write_wrappers(toolchain: &Path) -> Result<()> {
    let home = toolchain.display();
    for program in ["rustc", "rustdoc"] {
        let path = toolchain.join("bin").join(program);
        let text = format!(
            "#!/bin/sh\nLD_LIBRARY_PATH=\"{home}/lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\" \
             exec \"{home}/libexec/{program}\" \"$@\"\n"
        );
        fs::write(&path, text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Builds std for wasm from the packaged sources, offline, and puts it where an installed target would be.
fn build_std(toolchain: &Path, work: &Path) -> Result<()> {
    let project = work.join("std");
    fs::create_dir_all(project.join("src"))?;
    fs::create_dir_all(project.join(".cargo"))?;
    fs::write(project.join("src/lib.rs"), "")?;
    fs::write(
        project.join("Cargo.toml"),
        "[package]\nname = \"stdbuild\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
         [profile.release]\ncodegen-units = 1\n[workspace]\n",
    )?;
    let vendor = toolchain.join("lib/rustlib/src/rust/library/vendor");
    if vendor.exists() {
        let config = format!(
            "[source.crates-io]\nreplace-with = \"v\"\n[source.v]\ndirectory = \"{}\"\n",
            vendor.display()
        );
        fs::write(project.join(".cargo/config.toml"), config)?;
    }
    let target = project.join("target");
    // With bitcode: the page is linked with LTO.
    run(cargo()
        .args(["build", "--quiet", "--release", "--target", TARGET])
        .arg("-Zbuild-std=std,panic_abort,panic_unwind,proc_macro,test")
        .current_dir(&project)
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", toolchain.join("bin/rustc"))
        .env("RUSTFLAGS", "-Cembed-bitcode=yes")
        .env("CARGO_TARGET_DIR", &target))?;
    let installed = toolchain.join("lib/rustlib").join(TARGET).join("lib");
    fs::create_dir_all(&installed)?;
    for entry in fs::read_dir(target.join(TARGET).join("release/deps"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libstdbuild-") {
            fs::copy(entry.path(), installed.join(name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::is_new_enough;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(is_new_enough("1.95.0+dfsg1-1") && is_new_enough("1.100.0_dfsg1_1") && is_new_enough("2.0"));
        assert!(!is_new_enough("1.85.0+dfsg3-1~deb12u3") && !is_new_enough("1.9.0") && !is_new_enough(""));
    }
}
