//! Builds the IREE runtime and our shim with nothing but a C compiler: finds IREE's sources, makes the headers that its
//! own build would generate, and compiles the files of `sources.txt`.
//!
//! `IREE_SOURCE_DIR` names another checkout of the same version to build from.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

mod flatbuffers;
mod opcodes;
mod source;

/// What IREE's own build defines for a runtime with the local devices and both kinds of CPU executable.
const DEFINES: [(&str, &str); 4] = [
    ("IREE_THREADING_ENABLE", "1"),
    // The allocator that IREE takes memory from.
    ("IREE_ALLOCATOR_SYSTEM_CTL", "iree_allocator_libc_ctl"),
    // Errors carry messages and places, but no stack traces.
    ("IREE_STATUS_MODE", "2"),
    ("NDEBUG", "1"),
];

fn main() {
    for path in ["build", "shim", "sources.txt"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let iree = source::iree_source_dir();
    let runtime = iree.join("runtime/src");
    let generated = PathBuf::from(required("OUT_DIR")).join("generated");
    flatbuffers::generate(&iree, &generated);
    let isa = generated.join("iree/vm/bytecode/isa");
    create(&isa);
    opcodes::generate(&runtime.join("iree/vm/bytecode/isa/isa.json"), &isa.join("op_table.h"));

    let mut build = cc::Build::new();
    build
        .std("gnu11")
        .opt_level(3)
        .pic(true)
        .debug(false)
        .warnings(false)
        .include("shim")
        .include(&generated)
        // flatcc's headers include one another by their bare names.
        .include(generated.join("iree/schemas"))
        .include(&runtime)
        .include(&iree)
        .include(iree.join("third_party/flatcc/include"))
        .include(iree.join("third_party/flatcc/include/flatcc/reflection"))
        .flag_if_supported("-fvisibility=hidden")
        .flag_if_supported("-ffunction-sections")
        .flag_if_supported("-fdata-sections")
        // Errors name the file they come from: let it be IREE's path, not this machine's.
        .flag_if_supported(format!("-fmacro-prefix-map={}/=", iree.display()));
    for (name, value) in DEFINES {
        build.define(name, value);
    }
    for file in sources() {
        build.file(iree.join(file));
    }
    build.file("shim/shim.c").compile("iree_runtime");
}

/// The files of `sources.txt`, relative to IREE's root.
fn sources() -> Vec<String> {
    let list = fs::read_to_string("sources.txt").expect("sources.txt lies beside Cargo.toml");
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

fn required(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn create(dir: &Path) {
    fs::create_dir_all(dir).unwrap_or_else(|error| panic!("create {}: {error}", dir.display()));
}
