//! What the tests share: modules made by the real compiler, and what its other tools say of them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two products with something between, and weights from an archive.
const SOURCE: &str = r#"module @two {
  util.global private @w = #flow.parameter.named<"model"::"w"> : tensor<8x16xf32>
  func.func public @main(%x: tensor<4x8xf32>, %n: i32) -> (tensor<4x16xf32>, i32) {
    %w = util.global.load @w : tensor<8x16xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<16x16xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
    return %2, %n : tensor<4x16xf32>, i32
  }
}
"#;

/// A module for some target, compiled with more flags; an earlier run's where there is one.
pub(crate) fn compile(name: &str, flags: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let module = folder.join(format!("iree-3.13.0-{name}.vmfb"));
    if !module.is_file() {
        let work = tempfile::tempdir_in(folder).expect("a temporary folder");
        let made = work.path().join("module.vmfb");
        output(compiler(work.path()).args(flags).arg("-o").arg(&made));
        fs::rename(made, &module).expect("both are in one folder");
    }
    module
}

/// The compiler, on its way to a module of [`SOURCE`].
pub(crate) fn compiler(work: &Path) -> Command {
    let source = work.join("two.mlir");
    fs::write(&source, SOURCE).expect("a temporary file");
    let mut compiler = Command::new(tool("iree/compiler/_mlir_libs/iree-compile"));
    compiler.arg(source).arg("--iree-hal-target-device=local");
    compiler
}

pub(crate) const CPU: &str = "--iree-hal-local-target-device-backends=llvm-cpu";

/// A tool of the 3.13.0 wheels in the cache folder.
pub(crate) fn tool(path: &str) -> PathBuf {
    let cache = env::var_os("STUDIO_CACHE").map(PathBuf::from).unwrap_or_else(|| {
        env::home_dir().expect("STUDIO_CACHE or HOME says where the cache is").join(".cache/lowering-studio")
    });
    let tool = cache.join("iree-3.13.0").join(path);
    assert!(tool.is_file(), "{} is missing; `./dev test` puts it there", tool.display());
    tool
}

/// What a tool prints.
pub(crate) fn output(command: &mut Command) -> String {
    let output = command.output().expect("the tool can be run");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("tools print text")
}
