//! Looking for the compiler. Programs are shell scripts that print what is to be found.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use runner_agent::{Tools, ToolsError};
use std::{fs, os::unix::fs::PermissionsExt, path::Path};
use studio_protocol::{ErrorCode, WireError};

fn install(cache: &Path, script: &str) {
    let folder = cache.join("iree-3.13.0/iree/compiler/_mlir_libs");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("iree-compile");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

async fn error(script: &str) -> ToolsError {
    let cache = tempfile::tempdir().unwrap();
    install(cache.path(), script);
    Tools::discover(cache.path()).await.compiler().unwrap_err().clone()
}

#[tokio::test]
async fn another_version_is_refused_with_a_way_out() {
    let error =
        error("echo 'IREE (https://iree.dev):'; echo '  IREE compiler version 3.12.1rc2 @ abc'").await;
    let ToolsError::Version { found, .. } = &error else { panic!("{error}") };
    assert_eq!(found, "3.12.1");
    let wire = WireError::from(&error);
    assert_eq!(wire.code, ErrorCode::CompilerMissing);
    assert!(wire.hint.unwrap().contains("./dev studio"));
}

#[tokio::test]
async fn a_program_that_says_no_version_is_refused() {
    let found = error("echo hello").await;
    assert!(matches!(&found, ToolsError::Unusable { reason, .. } if reason.contains("hello")), "{found}");
    let found = error("exit 1").await;
    assert!(
        matches!(&found, ToolsError::Unusable { reason, .. } if reason.contains("exit status: 1")),
        "{found}"
    );
}

#[tokio::test]
async fn the_right_version_is_taken() {
    let cache = tempfile::tempdir().unwrap();
    install(cache.path(), "echo '  IREE compiler version 3.13.0rc20261016 @ 89ece87b'");
    let tools = Tools::discover(cache.path()).await;
    assert_eq!(tools.compiler().unwrap().version, "3.13.0");
    assert!(tools.compiler().unwrap().path.starts_with(cache.path()));
}
