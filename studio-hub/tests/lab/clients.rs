//! A client that isn't ours: in Python, written from docs/protocol.md.

use crate::world::{Lab, quick};
use serde_json::{Value, json};
use std::process::Command;

#[tokio::test]
async fn a_client_in_python_does_what_the_document_says() {
    let dir = tempfile::tempdir().unwrap();
    let lab = Lab::start(&quick(dir.path())).await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../e2e/lab_client.py");
    let output = Command::new("python3")
        .arg(script)
        .arg(format!("http://{}/?token={}", lab.hub.address, lab.hub.token))
        .arg(lab.dir.path().join("bundle"))
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&seen["version"], &seen["runners"]), (&json!(1), &json!(["local"])));
    assert!(seen["sent_bytes"][0].as_u64().unwrap() > 0 && seen["sent_bytes"][1] == 0, "{seen}");
    assert_eq!(seen["events"][0], "started");
    assert_eq!((&seen["outcome"]["result"], &seen["listed"]), (&json!("compiled"), &json!([[true, "over"]])));
}
