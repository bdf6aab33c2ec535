//! The page as a browser gets it; without one built, the words that say how to build it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use common::Hub;
use std::{fs, path::Path};

#[test]
fn the_page_comes_with_right_types_compressed_and_cached() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    if !folder.join("index.html").is_file() {
        let answer = hub.get("/");
        assert_eq!(answer.status, 200);
        assert!(answer.text().contains("<code>./dev build</code>"), "{}", answer.text());
        return;
    }
    assert!(hub.get("/").body == fs::read(folder.join("index.html")).unwrap());
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some((_, ending)) =
            name.rsplit_once('.').filter(|(stem, ending)| !stem.is_empty() && *ending != "br")
        else {
            continue;
        };
        let plain = hub.get(&format!("/{name}"));
        assert!(plain.body == fs::read(folder.join(&name)).unwrap(), "{name}");
        let expected = match ending {
            "html" => "text/html; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "wasm" => "application/wasm",
            "svg" => "image/svg+xml",
            _ => continue,
        };
        assert_eq!(plain.header("content-type"), Some(expected), "{name}");
        assert_eq!(plain.header("cache-control"), Some("no-cache"));
        let brotli = folder.join(format!("{name}.br"));
        let get = format!("GET /{name}");
        let packed = hub.request(&get, &[&hub.host(), &hub.bearer(), "Accept-Encoding: gzip, br"]);
        if brotli.is_file() {
            assert_eq!(packed.header("content-encoding"), Some("br"), "{name}");
            assert_eq!(packed.header("content-type"), Some(expected), "{name}");
            assert!(packed.body == fs::read(brotli).unwrap(), "{name}");
        }
        let etag = plain.header("etag").unwrap();
        let again = hub.request(&get, &[&hub.host(), &hub.bearer(), &format!("If-None-Match: {etag}")]);
        assert_eq!((again.status, again.body.len()), (304, 0), "{name}");
    }
}

#[test]
fn what_is_not_there_is_not_found() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    for path in ["/nothing.js", "/.gitkeep", "/..%2fCargo.toml", "/page/index.html"] {
        assert_eq!(hub.get(path).status, 404, "{path}");
    }
}
