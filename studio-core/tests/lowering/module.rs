//! A lowered model, compiled and called by IREE's own tools.

use super::model::Lowered;
use super::npy;
use crate::stock::{cached, iree_tool};
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// What the compiler schedules for a model on this machine: dispatches, copies, allocations. `None` if there is no
/// compiler.
pub(crate) fn schedule(lowered: &Lowered) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    run_compiler(&folder, lowered, "schedule.mlir", &["--compile-to=stream"])?;
    Some(std::fs::read_to_string(folder.path().join("schedule.mlir")).unwrap())
}

fn run_compiler(folder: &TempDir, lowered: &Lowered, output: &str, flags: &[&str]) -> Option<()> {
    let compiler = cached("iree-3.13.0/iree/compiler/_mlir_libs/iree-compile")?;
    let source = folder.path().join("model.mlir");
    std::fs::write(&source, &lowered.text).unwrap();
    let output = Command::new(compiler)
        .arg(source)
        .args(["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu"])
        .args(["--iree-llvmcpu-target-cpu=host", "-o"])
        .arg(folder.path().join(output))
        .args(flags)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

/// A compiled model beside its archive.
pub(crate) struct Module {
    folder: TempDir,
}

impl Module {
    /// Compiles for this machine; `None` if there is no compiler.
    pub(crate) fn compile(lowered: &Lowered) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("model.irpa"), &lowered.archive).unwrap();
        run_compiler(&folder, lowered, "model.vmfb", &[])?;
        Some(Self { folder })
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Calls a function with arguments as `iree-run-module --input` takes them.
    pub(crate) fn call(&self, function: &str, arguments: &[impl AsRef<str>], results: &[&str]) -> Called {
        self.call_on("local-sync", function, arguments, results)
    }

    /// Calls a function on one of IREE's devices.
    pub(crate) fn call_on(
        &self,
        device: &str,
        function: &str,
        arguments: &[impl AsRef<str>],
        results: &[&str],
    ) -> Called {
        let mut flags = vec![
            format!("--module={}", self.path("model.vmfb")),
            format!("--parameters=model={}", self.path("model.irpa")),
            format!("--device={device}"),
            format!("--function={function}"),
        ];
        flags.extend(arguments.iter().map(|argument| format!("--input={}", argument.as_ref())));
        // Goes with the module's folder, so that a result can be the argument of a later call.
        let folder = tempfile::tempdir_in(&self.folder).unwrap().keep();
        let result = |name: &str| folder.join(format!("{name}.npy"));
        flags.extend(results.iter().map(|name| format!("--output=@{}", result(name).display())));
        iree_tool("iree-run-module", &flags).unwrap();
        Called { folder }
    }
}

/// The results of a call.
pub(crate) struct Called {
    folder: PathBuf,
}

impl Called {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.npy"))
    }

    pub(crate) fn f32(&self, name: &str) -> Vec<f32> {
        npy::elements(&self.path(name), "<f4", f32::from_le_bytes)
    }

    pub(crate) fn i32(&self, name: &str) -> Vec<i32> {
        npy::elements(&self.path(name), "<i4", i32::from_le_bytes)
    }

    /// A result as a later call's argument.
    pub(crate) fn argument(&self, name: &str) -> String {
        format!("@{}", self.path(name).display())
    }
}
