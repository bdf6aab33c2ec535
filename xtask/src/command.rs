//! Running other programs: what ran is named when it fails.

use anyhow::{Context, Result, bail};
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// Where this workspace's root is.
pub(crate) fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// The cargo that runs this task.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Says on standard error what is about to take a while.
pub(crate) fn say(text: &str) {
    eprintln!("xtask: {text}");
}

/// Runs it to its end; a status other than 0 is an error that names it.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("starting {}", shown(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(())
}

/// Runs it and gives its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("starting {}", shown(command)))?;
    if !output.status.success() {
        bail!(
            "{} ended with {}:\n{}",
            shown(command),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    String::from_utf8(output.stdout).with_context(|| format!("reading what {} printed", shown(command)))
}

/// Whether a program of this name is on the path.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
