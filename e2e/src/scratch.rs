//! A folder that lasts as long as a test.

use std::{
    env, fs,
    ops::Deref,
    path::{Path, PathBuf},
    thread,
};

/// A folder of one test's own, beside the test's binary. It goes when it is dropped, for all exports of a run together
/// fill a small disk, and stays when the test fails, to be looked at.
pub struct Scratch(PathBuf);

/// Makes the folder of this name, or empties what an earlier run left of it.
pub fn scratch(name: &str) -> Scratch {
    let folder =
        env::current_exe().expect("a test knows its binary").with_file_name(format!("scratch-{name}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("emptying the scratch folder");
    }
    fs::create_dir_all(&folder).expect("making the scratch folder");
    Scratch(folder)
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !thread::panicking() {
            // What can't be removed is emptied by the next run.
            drop(fs::remove_dir_all(&self.0));
        }
    }
}
