//! The kernels' bitcode, which is in this program once: the page fetches what it exports with.

use super::words;
use axum::{
    Json,
    extract::Path,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use std::sync::LazyLock;
use studio_kernels::{ARCHITECTURES, KernelSet, bitcode};
use studio_protocol::{Artifact, Hash, KernelFile};

static FILES: LazyLock<Vec<(KernelFile, &'static [u8])>> = LazyLock::new(|| {
    let of_set = |set: KernelSet| {
        ARCHITECTURES.into_iter().filter_map(move |architecture| {
            let bytes = bitcode(set, architecture)?;
            let blake3 = Hash::from_bytes(*blake3::hash(bytes).as_bytes());
            let file = KernelFile {
                kernels: set.name().to_owned(),
                architecture: architecture.to_owned(),
                file: Artifact { blake3, size_bytes: bytes.len() as u64 },
            };
            Some((file, bytes))
        })
    };
    KernelSet::ALL.into_iter().flat_map(of_set).collect()
});

/// `GET /kernels`
pub(super) async fn list() -> Response {
    let files: Vec<&KernelFile> = FILES.iter().map(|(file, _)| file).collect();
    ([(header::CACHE_CONTROL, "no-cache")], Json(files)).into_response()
}

/// `GET /kernels/HASH`
pub(super) async fn file(Path(hash): Path<String>) -> Response {
    match FILES.iter().find(|(file, _)| file.file.blake3.to_string() == hash) {
        Some((_, bytes)) => {
            let headers = [
                (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
                (header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable")),
            ];
            (headers, *bytes).into_response()
        }
        None => {
            let text = "This hub has no kernels of this name; `GET /kernels` lists what it has.";
            (StatusCode::NOT_FOUND, words::page("Not found", text)).into_response()
        }
    }
}
