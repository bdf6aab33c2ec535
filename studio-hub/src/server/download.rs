//! Downloads: single artifacts, with ranges, and whole bundles as a zip that is written while it is sent.

use super::{Hub, reference, words, zip_stream};
use crate::store::BundleError;
use axum::{
    extract::{Path, Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use std::{str::FromStr, sync::Arc};
use studio_protocol::Hash;
use tower::ServiceExt;
use tower_http::services::ServeFile;

/// `GET /artifacts/HASH?name=FILE`
pub(super) async fn artifact(
    State(hub): State<Arc<Hub>>,
    Path(hash): Path<String>,
    request: Request,
) -> Response {
    let Ok(hash) = Hash::from_str(&hash) else { return not_found("An artifact's name is its BLAKE3 hash.") };
    let name = query(&request, "name").pop().and_then(|name| plain_name(&name));
    match hub.store.artifact(&hash) {
        Ok(Some(_)) => {}
        Ok(None) => return not_found("The hub has no such artifact."),
        Err(error) => return failed(&error.to_string()),
    }
    let Ok(served) = ServeFile::new(hub.store.artifact_path(&hash)).oneshot(request).await;
    let mut response = served.map(axum::body::Body::new);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_DISPOSITION, attachment(&name.unwrap_or_else(|| hash.to_string())));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    response
}

/// `GET /bundles/HASH.html` and `.md`: its reference page, with all modules compiled from it so far. `GET
/// /bundles/HASH.zip?module=HASH…`: every file of a bundle, with the modules asked for, or with all
/// that were compiled from it.
pub(super) async fn bundle(
    State(hub): State<Arc<Hub>>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    for (ending, show) in [(".md", markdown as fn(String, &str) -> Response), (".html", html)] {
        if let Some(hash) = name.strip_suffix(ending).and_then(|hash| Hash::from_str(hash).ok()) {
            return reference_page(hub, hash, show).await;
        }
    }
    let Some(hash) = name.strip_suffix(".zip").and_then(|hash| Hash::from_str(hash).ok()) else {
        return not_found(
            "A bundle's name is the BLAKE3 hash of its manifest, then `.zip`, `.html` or `.md`.",
        );
    };
    let wanted: Result<Vec<Hash>, _> = query(&request, "module").iter().map(|hash| hash.parse()).collect();
    let wanted = match wanted {
        Ok(wanted) => wanted,
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    };
    let planned = tokio::task::spawn_blocking(move || zip_stream::plan(&hub.store, &hash, &wanted)).await;
    match planned {
        Ok(Ok(zip)) => {
            let name = plain_name(&zip.name).unwrap_or_else(|| "bundle.zip".to_owned());
            let headers = [
                (header::CONTENT_DISPOSITION, attachment(&name)),
                (header::CONTENT_TYPE, HeaderValue::from_static("application/zip")),
            ];
            let length = zip.length.map(|length| [(header::CONTENT_LENGTH, length.to_string())]);
            (headers, length, zip.into_body()).into_response()
        }
        Ok(Err(BundleError::Io(error))) => failed(&error.to_string()),
        Ok(Err(error)) => not_found(&error.to_string()),
        Err(error) => failed(&error.to_string()),
    }
}

async fn reference_page(hub: Arc<Hub>, hash: Hash, show: fn(String, &str) -> Response) -> Response {
    let page = tokio::task::spawn_blocking(move || zip_stream::reference_page(&hub.store, &hash)).await;
    match page {
        Ok(Ok(Some(page))) => show(page, &hash.to_string()),
        Ok(Ok(None)) => not_found("This bundle has no reference page."),
        Ok(Err(BundleError::Io(error))) => failed(&error.to_string()),
        Ok(Err(error)) => not_found(&error.to_string()),
        Err(error) => failed(&error.to_string()),
    }
}

fn markdown(page: String, _bundle: &str) -> Response {
    as_it_is_now("text/markdown; charset=utf-8", page)
}

fn html(page: String, bundle: &str) -> Response {
    as_it_is_now("text/html; charset=utf-8", reference::page(&page, bundle))
}

/// What is compiled later changes it.
fn as_it_is_now(content_type: &'static str, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, text).into_response()
}

fn query(request: &Request, name: &str) -> Vec<String> {
    let query = request.uri().query().unwrap_or_default();
    form_urlencoded::parse(query.as_bytes())
        .filter(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
        .collect()
}

/// A name that is safe as a file's on any system: without folders, control and quoting characters.
pub(super) fn plain_name(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let safe = |c: char| if c.is_control() || r#"<>:"|?*"#.contains(c) { '_' } else { c };
    let name: String = last.chars().map(safe).take(150).collect();
    let name = name.trim_matches(['.', ' ']);
    (!name.is_empty()).then(|| name.to_owned())
}

/// `Content-Disposition: attachment`, with the name in ASCII and, where that loses something, in full.
fn attachment(name: &str) -> HeaderValue {
    let ascii: String = name.chars().map(|c| if c.is_ascii() && c != '"' { c } else { '_' }).collect();
    let mut value = format!("attachment; filename=\"{ascii}\"");
    if ascii != name {
        let encoded: String = name
            .bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => char::from(byte).to_string(),
                _ => format!("%{byte:02X}"),
            })
            .collect();
        value.push_str(&format!("; filename*=UTF-8''{encoded}"));
    }
    HeaderValue::from_str(&value).unwrap_or_else(|_| HeaderValue::from_static("attachment"))
}

fn not_found(text: &str) -> Response {
    (StatusCode::NOT_FOUND, words::page("Not found", text)).into_response()
}

fn failed(text: &str) -> Response {
    (StatusCode::INTERNAL_SERVER_ERROR, words::page("The hub failed", text)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_folders_and_what_could_break_a_header_or_a_file_system() {
        assert_eq!(plain_name("../../etc/passwd").as_deref(), Some("passwd"));
        assert_eq!(plain_name("a\\b\r\nX: y\".irpa").as_deref(), Some("b__X_ y_.irpa"));
        assert_eq!(plain_name(".."), None);
        assert_eq!(plain_name("").as_deref(), None);
        assert_eq!(
            attachment("modèle.irpa"),
            "attachment; filename=\"mod_le.irpa\"; filename*=UTF-8''mod%C3%A8le.irpa"
        );
    }
}
