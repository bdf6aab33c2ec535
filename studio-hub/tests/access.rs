//! Who gets in: token, Host, Origin, and how a start can fail.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use common::{Hub, STUDIO};
use std::{os::unix::fs::PermissionsExt, process::Command};
use tokio_tungstenite::{connect_async, tungstenite::client::IntoClientRequest};

#[test]
fn nothing_is_served_without_the_token() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    for path in ["/", "/ws", "/artifacts/00", "/bundles/00.zip", "/anything"] {
        let answer = hub.request(&format!("GET {path}"), &[&hub.host()]);
        assert_eq!(answer.status, 401, "{path}");
        assert!(answer.text().contains("studio serve"), "{path}");
        let wrong = format!("Authorization: Bearer {}", "0".repeat(64));
        assert_eq!(hub.request(&format!("GET {path}"), &[&hub.host(), &wrong]).status, 401, "{path}");
    }
    assert_eq!(hub.request("GET /?token=wrong", &[&hub.host()]).status, 401);
    assert_eq!(hub.get("/").status, 200);
}

#[test]
fn the_token_in_the_address_becomes_a_cookie() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let answer = hub.request(&format!("GET /?token={}", hub.token), &[&hub.host()]);
    assert_eq!((answer.status, answer.header("location")), (303, Some("/")));
    let cookie = answer.header("set-cookie").unwrap().to_owned();
    assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
    let port = hub.address.rsplit(':').next().unwrap();
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(pair, format!("studio_token_{port}={}", hub.token));
    let answer = hub.request("GET /", &[&hub.host(), &format!("Cookie: other=1; {pair}")]);
    assert_eq!(answer.status, 200);
    assert_eq!(hub.request("GET /", &[&hub.host(), "Cookie: studio_token_1=x"]).status, 401);
}

#[test]
fn the_token_is_kept_for_its_owner_alone_and_lives_on() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let token = hub.token.clone();
    assert_eq!(token.len(), 64);
    let mode = std::fs::metadata(data.path().join("token")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    hub.kill();
    assert_eq!(Hub::start(data.path()).token, token);
}

#[test]
fn a_name_that_was_made_to_point_here_gets_nothing() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let port = hub.address.rsplit(':').next().unwrap();
    for host in [format!("evil.example:{port}"), "127.0.0.1".to_owned(), "127.0.0.1:1".to_owned()] {
        let answer = hub.request("GET /", &[&format!("Host: {host}"), &hub.bearer()]);
        assert_eq!(answer.status, 403, "{host}");
    }
    for host in [format!("localhost:{port}"), format!("[::1]:{port}")] {
        assert_eq!(hub.request("GET /", &[&format!("Host: {host}"), &hub.bearer()]).status, 200, "{host}");
    }
}

#[tokio::test]
async fn a_page_of_another_site_opens_no_websocket() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let open = async |origin: String| {
        let mut request = format!("ws://{}/ws", hub.address).into_client_request().unwrap();
        request.headers_mut().insert("authorization", format!("Bearer {}", hub.token).parse().unwrap());
        request.headers_mut().insert("origin", origin.parse().unwrap());
        connect_async(request).await.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(open(format!("http://{}", hub.address)).await, Ok(()));
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(open(origin.to_owned()).await, Err("HTTP error: 403 Forbidden".to_owned()), "{origin}");
    }
}

#[test]
fn every_answer_keeps_the_page_to_itself() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    for answer in [hub.get("/"), hub.get("/nothing-here"), hub.request("GET /", &[&hub.host()])] {
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"), "{policy}");
        assert!(!policy.contains("http"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"));
        assert_eq!(answer.header("cross-origin-embedder-policy"), Some("require-corp"));
    }
}

#[test]
fn a_port_in_use_is_said_with_what_to_do() {
    let data = tempfile::tempdir().unwrap();
    let hub = Hub::start(data.path());
    let other = tempfile::tempdir().unwrap();
    let output = Command::new(STUDIO)
        .args(["serve", "--listen", &hub.address, "--data"])
        .arg(other.path())
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains(&format!("{} is in use", hub.address)) && error.contains("--listen"), "{error}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_data_folder_has_one_hub() {
    let data = tempfile::tempdir().unwrap();
    let _hub = Hub::start(data.path());
    let output = Command::new(STUDIO)
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data.path())
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("another studio uses this data folder"), "{error}");
}

#[test]
fn only_loopback_is_listened_on() {
    let output = Command::new(STUDIO).args(["serve", "--listen", "0.0.0.0:0"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("loopback only"), "{error}");
}

#[test]
fn a_signal_ends_the_hub_at_once() {
    let data = tempfile::tempdir().unwrap();
    let mut hub = Hub::start(data.path());
    let pid = hub.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert_eq!(hub.child.wait().unwrap().code(), Some(0));
}
