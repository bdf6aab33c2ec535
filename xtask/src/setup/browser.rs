//! A Chromium for the browser tests.

use crate::command::{on_path, output, run, say};
use anyhow::{Result, bail};
use std::{env, path::PathBuf, process::Command};

const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// `$CHROMIUM`, or one on the path, or Debian's package where this user may install it.
pub(crate) fn chromium() -> Result<PathBuf> {
    if let Some(named) = env::var_os("CHROMIUM").map(PathBuf::from) {
        if named.is_file() {
            return Ok(named);
        }
        bail!("CHROMIUM names {}, which is not a file", named.display());
    }
    if let Some(found) = NAMES.iter().find_map(|name| on_path(name)) {
        return Ok(found);
    }
    let root = output(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0");
    if root && on_path("apt-get").is_some() {
        say("installing Chromium");
        run(Command::new("apt-get").args(["update", "-qq"]))?;
        run(Command::new("apt-get")
            .args(["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"])
            .env("DEBIAN_FRONTEND", "noninteractive"))?;
        if let Some(found) = on_path("chromium") {
            return Ok(found);
        }
    }
    bail!(
        "no Chromium for the browser tests: install it (Debian: apt install chromium) or set CHROMIUM to one"
    )
}
