//! Artifacts and bundles over HTTP: bytes, ranges, names, and the zip as another reader sees it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use common::{Hub, hash, noise};
use serde_json::{Value, json};
use std::{fs, io::Read, path::Path};
use studio_protocol::Hash;

#[tokio::test]
async fn an_artifact_comes_whole_in_ranges_and_under_its_name() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let bytes = noise(100_000);
    let artifact = hub.greet().await.upload(1, "k", &bytes).await;
    let answer = hub.get(&format!("/artifacts/{artifact}?name=..%2Fmodel.irpa"));
    assert_eq!((answer.status, answer.header("content-length")), (200, Some("100000")));
    assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"model.irpa\""));
    assert!(answer.body == bytes);
    let range = hub.request(
        &format!("GET /artifacts/{artifact}"),
        &[&hub.host(), &hub.bearer(), "Range: bytes=1000-1999"],
    );
    assert_eq!(range.status, 206);
    assert!(range.body == bytes[1000..2000]);
    assert_eq!(hub.get(&format!("/artifacts/{}", hash(b"unknown"))).status, 404);
    assert_eq!(hub.get("/artifacts/..%2Ftoken").status, 404);
}

/// A bundle of two files and, on the hub, two modules for the same target and one for another.
struct Bundle {
    manifest: Hash,
    modules: [Hash; 3],
    mlir: Vec<u8>,
    irpa: Vec<u8>,
}

/// A reference page as an export leaves it.
const PAGE: &[u8] = b"# A <b>model</b>\n\n## Files\n\nSome.\n\n## Running it with IREE's own tools\n\nSo.\n";

async fn bundle(hub: &Hub, data: &Path) -> Bundle {
    let (mlir, irpa) = (b"module {}".to_vec(), noise(3 << 20));
    let entry = |name: &str, bytes: &[u8]| json!({"name": name, "size_bytes": bytes.len(), "blake3": hash(bytes).to_string()});
    let manifest = json!({
        "manifest_version": 1, "contract_version": 1, "exporter": "test",
        "source": {"name": "a model.gguf", "size_bytes": 1, "blake3": "00"},
        "model": {"architecture": "llama", "parameter_count": 1, "context_length": 1, "vocabulary_size": 1},
        "options": {"form": "stablehlo", "weights": "bf16", "graphs": ["kv"], "seq": 8, "context": 8,
            "chunk": 4, "function_name": "main", "safetensors": false},
        "functions": [], "parameter_scope": "model", "stop_ids": [2],
        "tokenizer": {"file": "tokenizer.gguf", "model": "gpt2"},
        "files": [entry("model.mlir", &mlir), entry("model.irpa", &irpa), entry("REFERENCE.md", PAGE)],
    });
    let mut socket = hub.greet().await;
    socket.upload(1, "k.mlir", &mlir).await;
    socket.upload(2, "k.irpa", &irpa).await;
    socket.upload(4, "k.md", PAGE).await;
    let manifest = socket.upload(3, "k.json", manifest.to_string().as_bytes()).await;
    let mut modules = Vec::new();
    let mut record = Vec::new();
    for (index, target) in ["host", "host", "arm64"].iter().enumerate() {
        let bytes = vec![u8::try_from(index).unwrap(); 100];
        modules.push(socket.upload(10 + u32::try_from(index).unwrap(), &format!("m{index}"), &bytes).await);
        record.push(json!({"target": target, "name": format!("{target}.vmfb"), "size_bytes": 100,
            "blake3": modules[index].to_string(), "compiler": "3.13.0", "flags": []}));
    }
    fs::write(data.join(format!("bundles/{manifest}.json")), Value::from(record).to_string()).unwrap();
    Bundle { manifest, modules: modules.try_into().unwrap(), mlir, irpa }
}

/// The zip's files, each checked against its CRC by the reader.
fn unzip(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index(index).unwrap();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            (file.name().unwrap().into_owned(), bytes)
        })
        .collect()
}

#[tokio::test]
async fn a_bundle_comes_as_a_zip_with_the_newest_module_of_each_target() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let bundle = bundle(&hub, data.path()).await;
    let answer = hub.get(&format!("/bundles/{}.zip", bundle.manifest));
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/zip")));
    assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"a model.zip\""));
    assert_eq!(answer.header("content-length"), Some(answer.body.len().to_string().as_str()));
    let files = unzip(&answer.body);
    let file = |name: &str| &files.iter().find(|(known, _)| known == name).unwrap().1;
    assert!(*file("model.mlir") == bundle.mlir && *file("model.irpa") == bundle.irpa);
    assert_eq!(*file("host.vmfb"), vec![1; 100]);
    assert_eq!(*file("arm64.vmfb"), vec![2; 100]);
    let manifest: Value = serde_json::from_slice(file("manifest.json")).unwrap();
    assert_eq!(manifest["modules"][0]["blake3"], bundle.modules[1].to_string());
    assert_eq!(manifest["modules"].as_array().unwrap().len(), 2);
    let page = file("REFERENCE.md");
    assert_eq!(manifest["files"][2]["blake3"], hash(page).to_string());
    let page = String::from_utf8(page.clone()).unwrap();
    assert!(page.starts_with("# A <b>model</b>\n\n## Files\n\nSome.\n\n## Compiled modules\n"), "{page}");
    assert!(page.contains("| `arm64` | `arm64.vmfb` | 100 | 3.13.0 |"), "{page}");
    assert!(page.ends_with("## Running it with IREE's own tools\n\nSo.\n"), "{page}");
    assert_eq!(hub.get(&format!("/bundles/{}.md", bundle.manifest)).text(), page);
}

#[tokio::test]
async fn a_reference_page_is_shown_with_nothing_of_its_text_as_markup() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let bundle = bundle(&hub, data.path()).await;
    let answer = hub.get(&format!("/bundles/{}.html", bundle.manifest));
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let html = answer.text();
    assert!(html.contains("A &lt;b&gt;model&lt;/b&gt;</h1>"), "{html}");
    assert!(html.contains("<code>host.vmfb</code></td><td>100</td>"), "{html}");
    assert_eq!(hub.get(&format!("/bundles/{}.html", hash(&bundle.mlir))).status, 404);
}

#[tokio::test]
async fn modules_can_be_chosen_and_never_share_a_name() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let bundle = bundle(&hub, data.path()).await;
    let [first, second, _] = bundle.modules;
    let zip = hub.get(&format!("/bundles/{}.zip?module={first}&module={second}", bundle.manifest));
    let files = unzip(&zip.body);
    let vmfbs: Vec<_> =
        files.iter().map(|(name, _)| name.as_str()).filter(|name| name.ends_with("vmfb")).collect();
    assert_eq!(vmfbs, ["host.vmfb", &format!("host-{}.vmfb", &second.to_string()[..8])]);
    let unknown = hub.get(&format!("/bundles/{}.zip?module={}", bundle.manifest, hash(b"unknown")));
    assert_eq!(unknown.status, 404);
    assert!(unknown.text().contains("was compiled from this bundle"));
}

#[tokio::test]
async fn a_bundle_that_is_not_whole_is_not_sent() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let bundle = bundle(&hub, data.path()).await;
    fs::remove_file(data.path().join(format!("artifacts/{}", hash(&bundle.mlir)))).unwrap();
    let answer = hub.get(&format!("/bundles/{}.zip", bundle.manifest));
    assert_eq!(answer.status, 404);
    assert!(answer.text().contains("does not have the bundle's model.mlir"), "{}", answer.text());
    assert_eq!(hub.get(&format!("/bundles/{}.zip", hash(&bundle.mlir))).status, 404);
}
