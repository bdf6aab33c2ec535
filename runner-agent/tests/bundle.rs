//! Bundles in folders, whole and damaged.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::manifest;
use runner_agent::{BundleError, BundleFiles};
use serde_json::{Value, json};
use std::{fs, path::Path};
use studio_protocol::{ErrorCode, WireError};

fn write(dir: &Path, manifest: &Value, mlir: &str) {
    fs::write(dir.join("manifest.json"), manifest.to_string()).unwrap();
    fs::write(dir.join("model.mlir"), mlir).unwrap();
}

fn refused(manifest: &Value, mlir: &str) -> BundleError {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), manifest, mlir);
    BundleFiles::open(dir.path()).unwrap_err()
}

#[test]
fn a_whole_bundle_is_opened_and_verified() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &manifest(), "hello");
    let bundle = BundleFiles::open(dir.path()).unwrap();
    bundle.verify().unwrap();
    assert_eq!(bundle.path("model.mlir").unwrap(), dir.path().join("model.mlir"));
    let missing = bundle.path("model.irpa").unwrap_err();
    assert_eq!(missing.to_string(), "the bundle has no model.irpa");
}

#[test]
fn changed_bytes_are_found_by_their_hash() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &manifest(), "hellO");
    let error = BundleFiles::open(dir.path()).unwrap().verify().unwrap_err();
    assert!(matches!(&error, BundleError::Hash { path, .. } if path.ends_with("model.mlir")), "{error}");
    assert_eq!(WireError::from(error).code, ErrorCode::Corrupt);
}

#[test]
fn a_file_of_another_length_is_refused() {
    let error = refused(&manifest(), "hell");
    assert!(matches!(error, BundleError::Size { expected: 5, actual: 4, .. }), "{error}");
}

#[test]
fn a_missing_file_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let error = BundleFiles::open(dir.path()).unwrap_err();
    assert!(matches!(error, BundleError::NotABundle(_)), "{error}");
    assert!(error.to_string().contains("it has no manifest.json. `studio export"), "{error}");
    assert_eq!(WireError::from(error).code, ErrorCode::NotFound);
    write(dir.path(), &manifest(), "hello");
    fs::remove_file(dir.path().join("model.mlir")).unwrap();
    let error = BundleFiles::open(dir.path()).unwrap_err();
    assert!(error.to_string().contains("model.mlir"), "{error}");
}

#[test]
fn a_module_that_is_gone_or_cut_short_can_be_compiled_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut manifest = manifest();
    manifest["modules"] = json!([{
        "target": "host", "name": "host.vmfb", "size_bytes": 4, "blake3": "0".repeat(64),
        "compiler": "3.13.0", "flags": []
    }]);
    write(dir.path(), &manifest, "hello");
    let modules = || BundleFiles::open(dir.path()).unwrap().manifest().modules.len();
    assert_eq!(modules(), 0);
    fs::write(dir.path().join("host.vmfb"), "vmf").unwrap();
    assert_eq!(modules(), 0);
    fs::write(dir.path().join("host.vmfb"), "vmfb").unwrap();
    assert_eq!(modules(), 1);
}

#[test]
fn a_manifest_that_is_no_file_is_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("mkfifo").arg(dir.path().join("manifest.json")).status().unwrap();
    assert!(made.success());
    assert!(matches!(BundleFiles::open(dir.path()), Err(BundleError::NotABundle(_))));
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for name in ["../model.mlir", "/etc/passwd", "a/b", "..", "", "a\\b"] {
        let mut manifest = manifest();
        manifest["files"][0]["name"] = json!(name);
        let error = refused(&manifest, "hello");
        assert!(matches!(&error, BundleError::BadName(bad) if bad == name), "{error}");
    }
}

#[test]
fn a_name_is_given_once() {
    let mut twice = manifest();
    let file = twice["files"][0].clone();
    twice["files"].as_array_mut().unwrap().push(file);
    assert!(matches!(refused(&twice, "hello"), BundleError::Twice(name) if name == "model.mlir"));
    let mut itself = manifest();
    itself["files"][0]["name"] = json!("manifest.json");
    assert!(matches!(refused(&itself, "hello"), BundleError::Twice(name) if name == "manifest.json"));
}

#[test]
fn other_versions_and_other_files_are_refused() {
    let mut newer = manifest();
    newer["contract_version"] = json!(2);
    let error = refused(&newer, "hello");
    assert!(matches!(error, BundleError::Version { manifest: 1, contract: 2 }), "{error}");
    let error = refused(&json!({"hello": 1}), "hello");
    assert!(matches!(error, BundleError::Manifest { .. }), "{error}");
}
