//! IREE's own tools, out of its Python wheels: the native `iree-compile` and the tools that tests compare with.

use super::wheel::{Wheel, make_executable};
use crate::cache;
use anyhow::Result;
use std::path::PathBuf;

const VERSION: &str = "3.13.0";

/// One build for every Python: only the native programs inside are used.
const SELECTION: &[&str] = &[
    "--only-binary=:all:",
    "--implementation=cp",
    "--python-version=3.11",
    "--platform=manylinux_2_28_x86_64",
    "--platform=manylinux_2_27_x86_64",
];

const COMPILER: Wheel = Wheel {
    package: "iree-base-compiler",
    version: VERSION,
    sha256: "6e1f83dc404f5dcdd76354a869cbbb389bd3f93b4623096de3195799ceb323a7",
    selection: SELECTION,
};

const RUNTIME: Wheel = Wheel {
    package: "iree-base-runtime",
    version: VERSION,
    sha256: "4ecb03d5a33989d765eaa8bf1fe6199a937c88c1004e56c85714532cd95934fa",
    selection: SELECTION,
};

fn folder() -> Result<PathBuf> {
    Ok(cache::root()?.join(format!("iree-{VERSION}")))
}

/// `iree-compile`, where runners look for it.
pub(crate) fn compiler() -> Result<()> {
    let folder = folder()?;
    COMPILER.unpack(&folder)?;
    make_executable(&folder.join("iree/compiler/_mlir_libs"), "iree-")
}

/// `iree-run-module`, `iree-dump-parameters` and the others.
pub(crate) fn runtime_tools() -> Result<()> {
    let folder = folder()?;
    RUNTIME.unpack(&folder)?;
    make_executable(&folder.join("iree/_runtime_libs"), "iree-")
}
