//! Finds the C sources of IREE: they are in the package of `eerie-sys`, which Cargo has unpacked to build us.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::required;

const PACKAGE: &str = "eerie-sys";

/// The root of IREE's source tree.
pub(crate) fn iree_source_dir() -> PathBuf {
    println!("cargo::rerun-if-env-changed=IREE_SOURCE_DIR");
    let dir = match env::var_os("IREE_SOURCE_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => package_dir().join("iree"),
    };
    assert!(dir.join("runtime/src/iree/vm/api.h").is_file(), "no IREE runtime sources in {}", dir.display());
    dir
}

/// Asks Cargo where it keeps the package. The question is put for a package of its own that depends on nothing else, so
/// that it can be answered offline whatever else of the workspace has been fetched.
fn package_dir() -> PathBuf {
    let probe = Path::new(&required("OUT_DIR")).join("probe");
    fs::create_dir_all(probe.join("src")).expect("OUT_DIR can be written");
    fs::write(probe.join("src/lib.rs"), "").expect("OUT_DIR can be written");
    let version = wanted_version();
    let manifest = format!(
        "[package]\nname = \"probe\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n\
         [dependencies]\n{PACKAGE} = {{ version = \"={version}\", default-features = false }}\n"
    );
    let manifest_path = probe.join("Cargo.toml");
    fs::write(&manifest_path, manifest).expect("OUT_DIR can be written");

    let output = Command::new(required("CARGO"))
        .args(["metadata", "--format-version=1", "--offline", "--manifest-path"])
        .arg(&manifest_path)
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|package| package["name"] == PACKAGE)
        .and_then(|package| Path::new(package["manifest_path"].as_str()?).parent())
        .unwrap_or_else(|| panic!("cargo metadata does not list {PACKAGE}"))
        .to_owned()
}

/// The version that our own manifest pins.
fn wanted_version() -> String {
    let manifest = fs::read_to_string("Cargo.toml").expect("a build script runs beside its Cargo.toml");
    let line = manifest.lines().find(|line| line.starts_with(PACKAGE)).expect("Cargo.toml names eerie-sys");
    line.split("\"=").nth(1).and_then(|rest| rest.split('"').next()).expect("eerie-sys is pinned").to_owned()
}
