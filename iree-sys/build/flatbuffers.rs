//! Makes C headers from IREE's FlatBuffers schemas with the `flatcc` that comes with IREE, built here for the host.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::{create, required};

/// The files of the schema compiler, relative to flatcc's root.
const FLATCC_SOURCES: [&str; 24] = [
    "external/hash/str_set.c",
    "external/hash/ptr_set.c",
    "src/cli/flatcc_cli.c",
    "src/compiler/codegen_c.c",
    "src/compiler/codegen_c_builder.c",
    "src/compiler/codegen_c_json_parser.c",
    "src/compiler/codegen_c_json_printer.c",
    "src/compiler/codegen_c_reader.c",
    "src/compiler/codegen_c_sort.c",
    "src/compiler/codegen_c_sorter.c",
    "src/compiler/codegen_c_verifier.c",
    "src/compiler/coerce.c",
    "src/compiler/fileio.c",
    "src/compiler/flatcc.c",
    "src/compiler/hash_tables/name_table.c",
    "src/compiler/hash_tables/schema_table.c",
    "src/compiler/hash_tables/scope_table.c",
    "src/compiler/hash_tables/symbol_table.c",
    "src/compiler/hash_tables/value_set.c",
    "src/compiler/parser.c",
    "src/compiler/semantics.c",
    "src/runtime/emitter.c",
    "src/runtime/builder.c",
    "src/runtime/refmap.c",
];

/// The schemas that the runtime needs, relative to IREE's `runtime/src`.
const SCHEMAS: [&str; 4] = [
    "iree/base/internal/flatcc/dummy.fbs",
    "iree/schemas/bytecode_module_def.fbs",
    "iree/schemas/executable_debug_info.fbs",
    "iree/schemas/vulkan_executable_def.fbs",
];

/// Writes `NAME_reader.h` and `NAME_verifier.h` of each schema to its place under `out`.
pub(crate) fn generate(iree: &Path, out: &Path) {
    let flatcc = build_flatcc(&iree.join("third_party/flatcc"));
    let runtime = iree.join("runtime/src");
    for schema in SCHEMAS {
        let dir = out.join(Path::new(schema).parent().expect("a schema lies in a folder"));
        create(&dir);
        let mut command = Command::new(&flatcc);
        command
            .arg("-o")
            .arg(dir)
            .arg("-I")
            .arg(&runtime)
            .args(["--reader", "--verifier"])
            .arg(runtime.join(schema));
        run(&mut command);
    }
}

/// Builds the schema compiler for the machine that builds, whatever the target is.
fn build_flatcc(root: &Path) -> PathBuf {
    let host = required("HOST");
    let compiler = cc::Build::new().target(&host).host(&host).opt_level(0).warnings(false).get_compiler();
    let program = Path::new(&required("OUT_DIR")).join("flatcc");
    let mut command = compiler.to_command();
    for dir in ["include", "external", "config"] {
        command.arg("-I").arg(root.join(dir));
    }
    command.args(["-w", "-DFLATCC_REFLECTION=0", "-o"]).arg(&program);
    command.args(FLATCC_SOURCES.iter().map(|file| root.join(file)));
    run(&mut command);
    program
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{:?}: {error}", command.get_program()));
    assert!(
        output.status.success(),
        "{:?} failed: {}{}",
        command.get_program(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
