//! IREE's own tools and the real model, from the project's cache folder.

use std::path::PathBuf;
use std::process::Command;

/// A file of the cache folder. Without it the caller's test cannot run: that is an error where `CI` is set, and said
/// aloud elsewhere.
#[expect(clippy::print_stdout, reason = "whoever reads the test's output must see what was not tested")]
pub(crate) fn cached(path: &str) -> Option<PathBuf> {
    let var = |name| std::env::var_os(name).map(PathBuf::from);
    let cache = var("STUDIO_CACHE").unwrap_or_else(|| {
        let base = var("XDG_CACHE_HOME").or_else(|| Some(var("HOME")?.join(".cache")));
        base.unwrap_or_default().join("lowering-studio")
    });
    let file = cache.join(path);
    if file.exists() {
        return Some(file);
    }
    assert!(var("CI").is_none(), "{} is missing: fetch it before the tests", file.display());
    println!("SKIPPED: {} is missing; `./dev setup` fetches it", file.display());
    None
}

/// Runs a tool of IREE's runtime package and gives its standard output.
pub(crate) fn iree_tool(name: &str, arguments: &[String]) -> Option<String> {
    let tool = cached(&format!("iree-3.13.0/iree/_runtime_libs/{name}"))?;
    let output = Command::new(tool).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {arguments:?}: {errors}");
    Some(String::from_utf8(output.stdout).unwrap())
}
