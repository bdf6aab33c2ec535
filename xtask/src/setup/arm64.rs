//! What programs and kernels for 64-bit ARM are built with on another machine: a rustc with that target's standard
//! library, a C compiler, and the emulator that runs what comes out.
//!
//! What the machine has is taken: a compiler with the target, `aarch64-linux-gnu-gcc`, `qemu-aarch64-static`. What it
//! lacks comes from rustup or Debian's packages, which are unpacked into the cache folder and not installed.

use super::{debian::Apt, wasm};
use crate::{
    cache,
    command::{on_path, run, say, workspace_root},
};
use anyhow::{Context, Result, bail};
use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

/// The target of agents and of the kernels' bitcode.
pub(crate) const TARGET: &str = "aarch64-unknown-linux-gnu";

const GCC: &str = "aarch64-linux-gnu-gcc";
const GXX: &str = "aarch64-linux-gnu-g++";
const AR: &str = "aarch64-linux-gnu-ar";
const QEMU: &str = "qemu-aarch64-static";

/// The sets of kernels that are compared with llama.cpp, which is built for the same instructions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    Dotprod,
    I8mm,
}

impl Set {
    /// The name that `--kernels` has for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Set::Dotprod => "dotprod",
            Set::I8mm => "i8mm",
        }
    }
}

/// The compilers.
pub(crate) struct Toolchain {
    /// `None` for the rustc in use.
    pub(crate) rustc: Option<PathBuf>,
    pub(crate) cc: PathBuf,
    pub(crate) cxx: PathBuf,
    pub(crate) ar: PathBuf,
}

/// Finds the compilers, or fetches them, and lets the kernels' build know the rustc.
pub(crate) fn toolchain() -> Result<Toolchain> {
    let rustc = rustc()?;
    tell_kernels(rustc.as_deref())?;
    let (cc, cxx, ar) = match (on_path(GCC), on_path(GXX), on_path(AR)) {
        (Some(cc), Some(cxx), Some(ar)) => (cc, cxx, ar),
        _ => debian_gcc()?,
    };
    Ok(Toolchain { rustc, cc, cxx, ar })
}

/// The emulator for programs of that machine.
pub(crate) fn qemu() -> Result<PathBuf> {
    if let Some(found) = on_path(QEMU) {
        return Ok(found);
    }
    let home = home()?;
    let program = home.join(QEMU);
    if !program.exists() {
        need_apt("apt install qemu-user-static")?;
        say("fetching the emulator for 64-bit ARM from Debian's qemu-user-static (60 MB, once)");
        let work = tempfile::tempdir_in(&home)?;
        let files = work.path().join("files");
        Apt::of_machine().unpack(&["qemu-user-static".to_owned()], &files)?;
        fs::rename(files.join("usr/bin").join(QEMU), &program)?;
    }
    Ok(program)
}

/// An emulator for programs of that machine that takes plugins.
pub(crate) struct Emulator {
    program: PathBuf,
    /// Where libraries are that this machine lacks.
    libraries: Option<PathBuf>,
}

impl Emulator {
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(libraries) = &self.libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        command
    }
}

/// The emulator that takes plugins, which a static one can't.
pub(crate) fn qemu_with_plugins() -> Result<Emulator> {
    const DYNAMIC: &str = "qemu-aarch64";
    if let Some(program) = on_path(DYNAMIC) {
        return Ok(Emulator { program, libraries: None });
    }
    let folder = home()?.join("qemu");
    if !folder.exists() {
        need_apt("apt install qemu-user")?;
        say("fetching an emulator that counts from Debian's qemu-user (30 MB, once)");
        let work = tempfile::tempdir_in(home()?)?;
        let files = work.path().join("files");
        let apt = Apt::of_machine();
        let disassembler = apt.dependency("qemu-user", "libcapstone")?;
        apt.unpack(&["qemu-user".to_owned(), disassembler], &files)?;
        fs::rename(files, &folder)?;
    }
    let machine = env::consts::ARCH;
    let libraries = folder.join("usr/lib").join(format!("{machine}-linux-gnu"));
    Ok(Emulator { program: folder.join("usr/bin").join(DYNAMIC), libraries: Some(libraries) })
}

fn home() -> Result<PathBuf> {
    let home = cache::root()?.join("arm64");
    fs::create_dir_all(&home)?;
    Ok(home)
}

pub(super) fn need_apt(otherwise: &str) -> Result<()> {
    if on_path("apt-get").is_none() || on_path("dpkg-deb").is_none() {
        bail!("something to build for 64-bit ARM is missing, and there is no apt here: {otherwise}");
    }
    Ok(())
}

/// A rustc that has the target's standard library; `None` where the one in use has.
fn rustc() -> Result<Option<PathBuf>> {
    if wasm::has_std(Path::new("rustc"), TARGET) {
        return Ok(None);
    }
    let rustup_installs_nothing = env::var("RUSTUP_AUTO_INSTALL").is_ok_and(|value| value == "0");
    if !rustup_installs_nothing && on_path("rustup").is_some() {
        say(&format!("adding {TARGET} with rustup"));
        run(Command::new("rustup").args(["target", "add", TARGET]))?;
        return Ok(None);
    }
    need_apt(&format!("run `rustup target add {TARGET}`"))?;
    let toolchain = wasm::debian()?;
    let rustc = toolchain.join("bin/rustc");
    if !wasm::has_std(&rustc, TARGET) {
        add_std(&toolchain)?;
    }
    Ok(Some(rustc))
}

/// Adds the target's standard library to the private toolchain: the package of the same version.
fn add_std(toolchain: &Path) -> Result<()> {
    say(&format!(
        "fetching the standard library for {TARGET} from Debian's libstd-rust-web-dev (35 MB, once)"
    ));
    let home = home()?;
    let apt = Apt::with_architecture(&home.join("apt"), "arm64")?;
    let package = "libstd-rust-web-dev:arm64";
    let same = |version: &String| toolchain.ends_with(wasm::folder_name(version));
    let version = match apt.versions(package)?.into_iter().find(same) {
        Some(version) => version,
        None => {
            apt.update()?;
            apt.versions(package)?.into_iter().find(same).with_context(|| {
                format!(
                    "Debian's packages have no {package} of the version in {}: remove that folder, so that the newer \
                     one is fetched",
                    toolchain.display()
                )
            })?
        }
    };
    let work = tempfile::tempdir_in(&home)?;
    let files = work.path().join("files");
    apt.unpack(&[format!("{package}={version}")], &files)?;
    let rustlib = Path::new("lib/rustlib").join(TARGET);
    // Whole or not at all.
    fs::rename(files.join("usr").join(&rustlib), toolchain.join(&rustlib))?;
    Ok(())
}

/// Debian's cross compilers with their libraries for C and C++, and wrappers by which they find their own.
fn debian_gcc() -> Result<(PathBuf, PathBuf, PathBuf)> {
    let home = home()?;
    let folder = home.join("gcc");
    let programs = (folder.join(GCC), folder.join(GXX), folder.join(AR));
    let complete = folder.join(".complete-with-c++");
    if complete.exists() {
        return Ok(programs);
    }
    need_apt("apt install g++-aarch64-linux-gnu")?;
    say("fetching compilers for 64-bit ARM from Debian's g++-aarch64-linux-gnu (70 MB, once)");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let apt = Apt::of_machine();
    if apt.candidate("gcc-aarch64-linux-gnu")?.is_none() {
        apt.update()?;
    }
    let gcc = apt.dependency("gcc-aarch64-linux-gnu", "gcc-")?;
    let number = gcc.split('-').nth(1).context("gcc's package has its version in its name")?;
    let packages = [
        gcc.clone(),
        format!("cpp-{number}-aarch64-linux-gnu"),
        format!("g++-{number}-aarch64-linux-gnu"),
        format!("libstdc++-{number}-dev-arm64-cross"),
        format!("libgcc-{number}-dev-arm64-cross"),
        "binutils-aarch64-linux-gnu".to_owned(),
        "libc6-arm64-cross".to_owned(),
        "libc6-dev-arm64-cross".to_owned(),
        "libgcc-s1-arm64-cross".to_owned(),
        "linux-libc-dev-arm64-cross".to_owned(),
    ];
    let files = folder.join("files");
    fs::create_dir_all(&folder)?;
    apt.unpack(&packages, &files)?;
    let libraries = wasm::only_child(&files.join("usr/lib"), |name| {
        name.ends_with("-linux-gnu") && name != "aarch64-linux-gnu"
    })?;
    let versioned = |program| (program, format!("{program}-{number}"));
    for (wrapper, program) in [versioned(GCC), versioned(GXX), (AR, AR.to_owned())] {
        let path = folder.join(wrapper);
        let text = format!(
            "#!/bin/sh\nLD_LIBRARY_PATH=\"{}\" exec \"{}\" \"$@\"\n",
            libraries.display(),
            files.join("usr/bin").join(program).display()
        );
        fs::write(&path, text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    fs::write(complete, "")?;
    Ok(programs)
}

/// Writes the compiler's path where `studio-kernels/build.rs` looks for it, unless the one in use will do.
fn tell_kernels(rustc: Option<&Path>) -> Result<()> {
    let file = workspace_root().join("studio-kernels/compilers").join(TARGET);
    let text = rustc.map(|path| format!("{}\n", path.display())).unwrap_or_default();
    if fs::read_to_string(&file).unwrap_or_default() == text {
        return Ok(());
    }
    if text.is_empty() {
        fs::remove_file(&file)?;
    } else {
        fs::write(&file, text)?;
    }
    Ok(())
}
