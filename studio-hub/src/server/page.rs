//! The page: the files of `studio-hub/page/`, embedded in the program.

use super::words;
use axum::{
    body::Body,
    extract::{Path, Request},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use rust_embed::{EmbeddedFile, RustEmbed};

#[derive(RustEmbed)]
#[folder = "page"]
struct Files;

const INDEX: &str = "index.html";

/// Whether the program was built with its page.
pub(crate) fn is_built() -> bool {
    Files::get(INDEX).is_some()
}

/// `GET /`
pub(super) async fn index(headers: HeaderMap) -> Response {
    match serve(INDEX, &headers) {
        Some(response) => response,
        None => words::page(
            "The page is not built",
            "This `studio` was built without its page. Run `./dev build` and start it again. \
             The command line and the protocol work without it.",
        )
        .into_response(),
    }
}

/// `GET /NAME`
pub(super) async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    serve(&name, &headers).unwrap_or_else(|| {
        (StatusCode::NOT_FOUND, words::page("Not found", "The hub has nothing of this name.")).into_response()
    })
}

/// The named file, compressed where the browser takes it and the build made it, or 304 where the browser
/// has it already.
fn serve(name: &str, headers: &HeaderMap) -> Option<Response> {
    let plain = Files::get(name).filter(|_| !name.starts_with('.'))?;
    let brotli = Files::get(&format!("{name}.br")).filter(|_| accepts_brotli(headers));
    let compressed = brotli.is_some();
    let content_type = HeaderValue::from_str(content_type(name, &plain)).ok()?;
    let file = brotli.unwrap_or(plain);
    let etag = HeaderValue::from_str(&etag(&file)).ok()?;
    let same = headers.get_all(header::IF_NONE_MATCH).iter().any(|value| value == etag);
    let mut response =
        if same { StatusCode::NOT_MODIFIED.into_response() } else { Body::from(file.data).into_response() };
    let answer = response.headers_mut();
    answer.insert(header::CONTENT_TYPE, content_type);
    answer.insert(header::ETAG, etag);
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if compressed {
        answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
    }
    Some(response)
}

fn accepts_brotli(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            parts.next() == Some("br") && parts.next().is_none_or(|q| !matches!(q, "q=0" | "q=0.0"))
        })
}

fn content_type<'a>(name: &str, file: &'a EmbeddedFile) -> &'a str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => file.metadata.mimetype(),
    }
}

fn etag(file: &EmbeddedFile) -> String {
    let digits: String = file.metadata.sha256_hash().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\"{digits}\"")
}

/// Puts on every answer what keeps the page to itself: nothing is loaded from another host, nothing may frame
/// it or read from it.
pub(super) async fn harden(request: Request, next: Next) -> Response {
    const HEADERS: [(&str, &str); 6] = [
        (
            "content-security-policy",
            "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; \
             img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; \
             frame-ancestors 'none'",
        ),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
    ];
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
