//! Builds the IREE runtime and our shim with nothing but a C compiler: finds IREE's sources, makes the headers that its
//! own build would generate, and compiles the files of `sources.txt` and, for programs that can load a Vulkan driver, of
//! `sources-vulkan.txt`.
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
    for path in ["build", "shim", "sources.txt", "sources-vulkan.txt"] {
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
    for file in sources("sources.txt") {
        build.file(iree.join(file));
    }
    if can_load_libraries() {
        for file in sources("sources-vulkan.txt") {
            build.file(iree.join(file));
        }
        build
            .include(iree.join("third_party/vulkan_headers/include"))
            .define("VK_NO_PROTOTYPES", None)
            .file("shim/vulkan.c");
    } else {
        build.file("shim/no_vulkan.c");
    }
    build.file("shim/shim.c").compile("iree_runtime");
}

/// Whether the program may load libraries when it runs. One that is linked statically can't, and so finds no Vulkan.
fn can_load_libraries() -> bool {
    !required("CARGO_CFG_TARGET_FEATURE").split(',').any(|feature| feature == "crt-static")
}

/// The files of a list, relative to IREE's root.
fn sources(list: &str) -> Vec<String> {
    let list = fs::read_to_string(list).unwrap_or_else(|error| panic!("{list} beside Cargo.toml: {error}"));
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

fn required(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn create(dir: &Path) {
    fs::create_dir_all(dir).unwrap_or_else(|error| panic!("create {}: {error}", dir.display()));
}
