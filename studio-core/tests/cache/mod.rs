//! The real models that tests use, in the cache folder.

use std::path::{Path, PathBuf};

use gguf_file::{FileSource, Gguf, Metadata};

const MODEL: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// The model's metadata. Panics with what to do if the model isn't there.
#[allow(dead_code, reason = "not every test that includes this asks for it")]
pub(crate) fn model_metadata() -> Metadata {
    metadata_of(&folder().join("models").join(MODEL))
}

/// The metadata of a GGUF. Panics with what to do if it isn't there.
pub(crate) fn metadata_of(path: &Path) -> Metadata {
    let source = FileSource::open(path).unwrap_or_else(|error| {
        panic!("{} is needed by this test: `./dev test` fetches it ({error})", path.display())
    });
    Gguf::open(&source).expect("it is a GGUF").metadata().clone()
}

/// The cache folder.
pub(crate) fn folder() -> PathBuf {
    let from =
        |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    from("STUDIO_CACHE").unwrap_or_else(|| {
        let caches = from("XDG_CACHE_HOME").or_else(|| Some(from("HOME")?.join(".cache")));
        caches.expect("HOME is set").join("lowering-studio")
    })
}
