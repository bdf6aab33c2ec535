//! The folders that the program keeps things in.

use super::outcome::WrongUsage;
use std::{env, path::PathBuf};

const NAME: &str = "lowering-studio";

/// The hub's data: `$XDG_DATA_HOME/lowering-studio`, or below `~/.local/share`.
pub(super) fn data() -> anyhow::Result<PathBuf> {
    below("XDG_DATA_HOME", ".local/share")
}

/// What can be made again: `$STUDIO_CACHE`, or `$XDG_CACHE_HOME/lowering-studio`, or below `~/.cache`.
pub(super) fn cache() -> anyhow::Result<PathBuf> {
    match env::var_os("STUDIO_CACHE").filter(|value| !value.is_empty()) {
        Some(path) => Ok(std::path::absolute(path)?),
        None => below("XDG_CACHE_HOME", ".cache"),
    }
}

/// Compiled modules, by what they were made from.
pub(super) fn module_cache() -> anyhow::Result<PathBuf> {
    Ok(cache()?.join("modules"))
}

fn below(variable: &str, default: &str) -> anyhow::Result<PathBuf> {
    if let Some(path) = env::var_os(variable).filter(|value| !value.is_empty()) {
        return Ok(PathBuf::from(path).join(NAME));
    }
    let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let home = home.ok_or_else(|| WrongUsage(format!("neither HOME nor {variable} is set")))?;
    Ok(home.join(default).join(NAME))
}
